//! `qod verify FILE`: checks a saved game, with no access to any server.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;

use rules::{Nature, Palier};
use seal::Transcript;
use seal::json::Writer;
use seal::transcript::{Action, Checked, Outcome};

use crate::data::print;

/// The largest file that is read, in bytes. A whole game takes about 12 KB.
const LARGEST: u64 = 1 << 20;

/// What `qod verify` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The saved game; `-` for standard input
    file: PathBuf,
    /// Print the verdict as one JSON object, for programs
    #[arg(long)]
    json: bool,
}

/// Prints a readable account and gives exit code 0, or the first thing that is wrong and 1.
pub(crate) fn run(args: &Args) -> ExitCode {
    let verdict = read(args).and_then(|text| verify(&text));
    let printed = match (&verdict, args.json) {
        (verdict, true) => print(&format!("{}\n", to_json(verdict))),
        (Ok((transcript, checked)), false) => print(&account(transcript, checked)),
        (Err(wrong), false) => {
            eprintln!("WRONG: {wrong}");
            Ok(())
        }
    };
    if verdict.is_ok() && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn read(args: &Args) -> Result<String, String> {
    let name = args.file.display();
    let mut text = String::new();
    let read = if args.file.as_os_str() == "-" {
        std::io::stdin().take(LARGEST + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(&args.file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
    };
    match read {
        Err(error) => Err(format!("{name} cannot be read: {error}")),
        Ok(bytes) if bytes as u64 > LARGEST => Err(format!("{name} is larger than any transcript (over 1 MiB)")),
        Ok(_) => Ok(text),
    }
}

/// The first thing that is wrong, in words.
type Verdict = Result<(Transcript, Checked), String>;

fn verify(text: &str) -> Verdict {
    let transcript = Transcript::from_json(text).map_err(|malformed| malformed.to_string())?;
    let checked = transcript.check().map_err(|wrong| wrong.to_string())?;
    Ok((transcript, checked))
}

/// `{"verified": true, …}` with what was found, or `{"verified": false, "wrong": "…"}`.
fn to_json(verdict: &Verdict) -> String {
    let mut w = Writer::new();
    w.object(|w| match verdict {
        Err(wrong) => {
            w.key("verified").bool(false);
            w.key("wrong").string(wrong);
        }
        Ok((transcript, checked)) => {
            w.key("verified").bool(true);
            w.key("ticket_id").string(&transcript.sealed.ticket.to_string());
            w.key("potential_gain_eur").int(transcript.sealed.potential_gain.eur().into());
            w.key("commitment").string(&transcript.sealed.commitment.to_hex());
            w.key("outcome").string(transcript.outcome.name());
            w.key("gain_eur").int_or_null(transcript.gain_eur);
            w.key("palier").int(checked.game.palier_reached().map_or(0, Palier::rank).into());
            w.key("found").int(checked.game.found().into());
            w.key("losing_numbers");
            match checked.losing {
                Some(losing) => w.array(|w| losing.iter().for_each(|number| w.int(number.get().into()))),
                None => w.null(),
            }
        }
    });
    w.finish()
}

/// The account of a transcript that holds.
fn account(transcript: &Transcript, checked: &Checked) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_account(&mut out, transcript, checked);
    out
}

fn write_account(out: &mut String, transcript: &Transcript, checked: &Checked) -> std::fmt::Result {
    let sealed = &transcript.sealed;
    writeln!(out, "Ticket      {}", sealed.ticket)?;
    writeln!(out, "At stake    {} €", sealed.potential_gain.eur())?;
    writeln!(out, "Commitment  {}", sealed.commitment.to_hex())?;
    writeln!(out)?;
    let natures: Vec<_> = checked.game.picks().collect();
    let mut picks = natures.iter();
    let mut found = 0;
    for (at, action) in (1..).zip(&transcript.actions) {
        write!(out, "{at:4}. ")?;
        match action {
            Action::Continue if at == 1 => writeln!(out, "CONTINUER: the potential gain is put at stake")?,
            Action::Continue => writeln!(out, "CONTINUER: the palier's gain is put at stake again")?,
            Action::Quit => writeln!(out, "QUITTER")?,
            Action::Pick(number, opening) => {
                let losing = picks.next().is_some_and(|(_, nature)| *nature == Nature::Losing);
                found += u8::from(!losing);
                let what = if losing { "losing".to_owned() } else { format!("good ({found} found)") };
                writeln!(out, "number {:2}: {what}; cell {} opened and proven", number.get(), opening.index)?;
            }
            Action::Palier(claim) => {
                let (rank, factor) = (claim.palier.rank(), claim.multiplier.factor());
                writeln!(out, "palier {rank} reached: ×{factor} drawn from both shares, {} €", claim.gain_eur)?;
            }
        }
    }
    writeln!(out)?;
    writeln!(out, "{}", ending(transcript, checked))?;
    match checked.losing {
        Some(losing) => {
            let numbers: Vec<_> = losing.iter().map(|n| n.get().to_string()).collect();
            writeln!(
                out,
                "The revealed server seed makes the commitment; the losing numbers were {}.",
                numbers.join(", ")
            )?;
        }
        None => writeln!(out, "The game goes on: its draw is sealed, and not revealed yet.")?,
    }
    writeln!(out, "VERIFIED: every opening, multiplier and gain in this transcript holds.")?;
    writeln!(out, "(That shows a consistent game; that this operator played it, only signed receipts can show.)")
}

fn ending(transcript: &Transcript, checked: &Checked) -> String {
    let gain = transcript.gain_eur.unwrap_or_default();
    let palier = checked.game.palier_reached().map_or(0, Palier::rank);
    match transcript.outcome {
        Outcome::InProgress => "In progress.".to_owned(),
        Outcome::Won => format!("Won at palier {palier}: {gain} €."),
        Outcome::Lost => "Lost.".to_owned(),
        Outcome::Expired => format!("Expired after 30 days: {gain} €."),
        Outcome::Void => format!("Voided by the operator: {gain} €."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_transcript_is_told_by_its_first_fault() {
        let wrong = |text| verify(text).err().unwrap();
        assert_eq!(wrong("{}"), "\"version\" is not 1: this program checks version 1 only");
        assert!(wrong("{\"version\":1,\"version\":1}").contains("given twice"));
        assert!(wrong("").contains("ends too soon"));
        assert_eq!(to_json(&Err("a \"reason\"".into())), r#"{"verified":false,"wrong":"a \"reason\""}"#);
    }
}
