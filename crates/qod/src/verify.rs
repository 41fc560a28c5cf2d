//! `qod verify FILE`: checks a saved game, with no access to any server.

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rules::{Nature, Palier};
use seal::Transcript;
use seal::json::Writer;
use seal::receipt::PublishedKeys;
use seal::transcript::{Action, Checked, Outcome};

use crate::data::print;
use crate::verify_receipts::{Compared, Held, check, compare};

/// The largest file that is read, in bytes. A whole game takes about 12 KB.
const LARGEST: u64 = 1 << 20;

/// What `qod verify` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The saved game; `-` for standard input
    file: PathBuf,
    /// The operator's published receipt keys (/.well-known/qod-keys.json), kept from a time when you trusted them: every receipt must be signed by one
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Another saved game of the same ticket: two signed answers at one place are proof against the operator
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Print the verdict as one JSON object, for programs
    #[arg(long)]
    json: bool,
}

/// Prints a readable account and gives exit code 0, or the first thing that is wrong and 1.
pub(crate) fn run(args: &Args) -> ExitCode {
    let verdict = verdict(args);
    let printed = match (&verdict, args.json) {
        (verdict, true) => print(&format!("{}\n", to_json(verdict))),
        (Ok(found), false) => print(&account(found)),
        (Err(wrong), false) => {
            eprintln!("WRONG: {wrong}");
            Ok(())
        }
    };
    if verdict.is_ok() && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn verdict(args: &Args) -> Verdict {
    let keys = match &args.keys {
        Some(file) => Some(PublishedKeys::from_json(&read(file)?).map_err(|bad| format!("{}: {bad}", file.display()))?),
        None => None,
    };
    let verified = verify(&read(&args.file)?, keys.as_ref())?;
    if let Some(file) = &args.against {
        let name = file.display();
        let other = verify(&read(file)?, keys.as_ref()).map_err(|wrong| format!("{name}: {wrong}"))?;
        let unsigned = "without receipts there is nothing to compare: a game is saved with them since it was begun";
        let (Some(one), Some(second)) = (&verified.held, &other.held) else { return Err(unsigned.to_owned()) };
        match compare((&verified.transcript, one), (&other.transcript, second))? {
            Compared::Agree => {}
            Compared::Contradict(place) => {
                return Err(format!(
                    "{name} tells {place} otherwise, and both are signed: together the two files prove that two answers were given"
                ));
            }
            Compared::FalseEnd(seq) => {
                return Err(format!(
                    "after the action with seq {seq} one of the two files tells an end that nobody signed, and the other one goes on, signed: that end is false"
                ));
            }
        }
    }
    Ok(verified)
}

fn read(file: &Path) -> Result<String, String> {
    let name = file.display();
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().take(LARGEST + 1).read_to_string(&mut text)
    } else {
        std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
    };
    match read {
        Err(error) => Err(format!("{name} cannot be read: {error}")),
        Ok(bytes) if bytes as u64 > LARGEST => Err(format!("{name} is larger than any transcript (over 1 MiB)")),
        Ok(_) => Ok(text),
    }
}

/// The first thing that is wrong, in words.
type Verdict = Result<Verified, String>;

/// A saved game that holds.
struct Verified {
    transcript: Transcript,
    checked: Checked,
    /// Its receipts, if it has some.
    held: Option<Held>,
}

fn verify(text: &str, keys: Option<&PublishedKeys>) -> Verdict {
    let transcript = Transcript::from_json(text).map_err(|malformed| malformed.to_string())?;
    let checked = transcript.check().map_err(|wrong| wrong.to_string())?;
    let held = check(text, &transcript, keys)?;
    Ok(Verified { transcript, checked, held })
}

/// `{"verified": true, …}` with what was found, or `{"verified": false, "wrong": "…"}`.
fn to_json(verdict: &Verdict) -> String {
    let mut w = Writer::new();
    w.object(|w| match verdict {
        Err(wrong) => {
            w.key("verified").bool(false);
            w.key("wrong").string(wrong);
        }
        Ok(Verified { transcript, checked, held }) => {
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
            match held {
                Some(held) => held.write(w.key("receipts")),
                None => w.key("receipts").null(),
            }
        }
    });
    w.finish()
}

/// The account of a transcript that holds.
fn account(found: &Verified) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_account(&mut out, &found.transcript, &found.checked);
    out += &match &found.held {
        Some(held) => held.account(),
        None => {
            "(That shows a consistent game; that this operator played it, only signed receipts can show.)\n".to_owned()
        }
    };
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
    writeln!(out, "VERIFIED: every opening, multiplier and gain in this transcript holds.")
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
        let wrong = |text| verify(text, None).err().unwrap();
        assert_eq!(wrong("{}"), "\"version\" is not 1: this program checks version 1 only");
        assert!(wrong("{\"version\":1,\"version\":1}").contains("given twice"));
        assert!(wrong("").contains("ends too soon"));
        assert_eq!(to_json(&Err("a \"reason\"".into())), r#"{"verified":false,"wrong":"a \"reason\""}"#);
    }

    /// A worked game of the vectors as it would be saved, and the published keys.
    fn worked(game: usize) -> (String, PublishedKeys) {
        let vectors: serde_json::Value =
            serde_json::from_str(include_str!("../../../tests/vectors/receipts-v1.json")).unwrap();
        let keys = PublishedKeys::from_json(&vectors["published"].to_string()).unwrap();
        (vectors["games"][game]["saved"].to_string(), keys)
    }

    #[test]
    fn receipts_are_checked_with_the_keys_given_or_with_those_of_the_file_and_it_is_said_which() {
        let (text, keys) = worked(2);
        let account = |keys| account(&verify(&text, keys).ok().unwrap());
        assert!(account(None).contains("SIGNED") && account(None).contains("come with the file"));
        let given = account(Some(&keys));
        assert!(given.contains("that you gave") && given.matches("fingerprint").count() == 2, "{given}");
        let first = PublishedKeys::new(vec![keys.all()[0]]).unwrap();
        assert!(verify(&text, Some(&first)).err().unwrap().contains("not among those published"));
        assert!(
            to_json(&verify(&text, Some(&keys)))
                .contains(r#""receipts":{"actions":22,"keys_given":true,"end_signed":true,"keys":[{"id":"#)
        );
    }

    #[test]
    fn a_file_without_receipts_holds_by_itself_but_not_where_keys_are_given() {
        let (text, keys) = worked(0);
        let bare = text.replace("\"receipts\"", "\"other\"");
        assert!(verify(&bare, None).is_ok_and(|found| found.held.is_none()));
        assert!(verify(&bare, Some(&keys)).err().unwrap().contains("no receipts"));
        let bad = text.replace("\"at_ms\"", "\"at\"");
        assert!(verify(&bad, None).err().unwrap().contains("\"actions\""));
    }

    /// The same game told with its second pick an hour later: what a server that signs twice would have signed.
    fn told_otherwise(text: &str) -> String {
        use seal::receipt::{Receipt, ReceiptKey, Receipts, statements};
        use seal::{Json, hash::to_hex};
        let secret = seal::hash::sha256(&[b"qod test vector receipt key 1"]);
        let key = ReceiptKey::from_secret(&secret);
        let transcript = Transcript::from_json(text).unwrap();
        let mut receipts = Receipts::read(Json::parse(text).unwrap().get("receipts").unwrap()).unwrap();
        assert_eq!(to_hex(&key.public().0), to_hex(&receipts.keys.all()[0].public.0));
        for receipt in receipts.actions.iter_mut().skip(2) {
            receipt.at = rules::Timestamp::from_millis(receipt.at.millis() + 60_000);
        }
        let times = receipts.actions.iter().map(|receipt| receipt.at);
        let all = statements(&transcript, receipts.number, receipts.unfinished, times).unwrap();
        let signed = receipts.actions.iter().zip(&all);
        receipts.actions = signed.map(|(r, statement)| Receipt { at: r.at, signed: key.sign(statement) }).collect();
        receipts.beside(&transcript)
    }

    /// A finished game cut after the CONTINUER that followed its first palier, and given an end that nobody signed.
    fn cut(text: &str, outcome: Outcome, gain_eur: u64) -> String {
        use seal::receipt::Receipts;
        let mut transcript = Transcript::from_json(text).unwrap();
        let mut receipts = Receipts::read(seal::Json::parse(text).unwrap().get("receipts").unwrap()).unwrap();
        let palier = transcript.actions.iter().position(|action| matches!(action, Action::Palier(_))).unwrap();
        assert!(matches!(transcript.actions[palier + 1], Action::Continue));
        transcript.actions.truncate(palier + 2);
        // A palier has no receipt of its own.
        receipts.actions.truncate(palier + 1);
        (transcript.outcome, transcript.gain_eur) = (outcome, Some(gain_eur));
        receipts.beside(&transcript)
    }

    #[test]
    fn an_end_that_no_player_brought_is_said_to_be_unsigned_must_fit_the_signed_setting_and_is_false_where_the_game_goes_on()
     {
        let (whole, _) = (0..8).map(worked).find(|(text, _)| text.contains("\"palier\":2")).unwrap();
        let gain = Transcript::from_json(&whole).unwrap().actions.iter().find_map(|action| match action {
            Action::Palier(claim) => Some(claim.gain_eur),
            _ => None,
        });
        let setting = |text: &str| text.contains("\"unfinished\":\"last_palier\"");
        let due = if setting(&whole) { gain.unwrap() } else { 0 };
        let other = if setting(&whole) { 0 } else { gain.unwrap() };
        let fitting = verify(&cut(&whole, Outcome::Expired, due), None).ok().unwrap();
        assert!(account(&fitting).contains("Its end is NOT signed"));
        assert!(to_json(&Ok(fitting)).contains("\"end_signed\":false"));
        let wrong = verify(&cut(&whole, Outcome::Expired, other), None).err().unwrap();
        assert!(wrong.contains("signed setting"), "{wrong}");
        assert!(!account(&verify(&whole, None).ok().unwrap()).contains("NOT signed"));

        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (long, short) = (file("long", &whole), file("short", &cut(&whole, Outcome::Expired, due)));
        for (one, other) in [(&long, &short), (&short, &long)] {
            let found = verdict(&Args { file: one.clone(), keys: None, against: Some(other.clone()), json: false });
            assert!(found.err().unwrap().contains("that end is false"));
        }
    }

    #[test]
    fn only_the_keys_that_signed_are_told() {
        let (text, published) = worked(0);
        let told = |text: &str| account(&verify(text, Some(&published)).ok().unwrap()).matches("fingerprint").count();
        let signers = told(&text);
        // A key that the file names and that signed nothing of it, and a file that names none.
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        let bogus = seal::receipt::ReceiptKey::from_secret(&[7; 32]).public();
        let key = serde_json::json!({"id": bogus.id().to_string(), "algorithm": "Ed25519",
            "public_key": seal::hash::to_hex(&bogus.0), "from_ms": 0, "until_ms": null});
        let list = file.pointer_mut("/receipts/keys").unwrap().as_array_mut().unwrap();
        list.push(key);
        let found = account(&verify(&file.to_string(), Some(&published)).ok().unwrap());
        assert!(!found.contains(&bogus.fingerprint()));
        assert_eq!(told(&file.to_string()), signers);
    }

    #[test]
    fn two_signed_answers_at_one_place_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let (text, _) = worked(0);
        let (one, same) = (file("one", &text), file("same", &text));
        let (two, other) = (file("two", &told_otherwise(&text)), file("other", &worked(1).0));
        let against = |against| verdict(&Args { file: one.clone(), keys: None, against: Some(against), json: false });
        assert!(against(same).is_ok());
        let found = against(two).err().unwrap();
        assert!(found.contains("the action with seq 2") && found.contains("prove"), "{found}");
        assert!(against(other).err().unwrap().contains("different tickets"));
    }
}
