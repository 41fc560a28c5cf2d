//! `qod codes`: what a demo prints for whoever wants to play it.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use ::issue::IssuedTicket;
use anyhow::Context as _;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use rules::PotentialGain;
use server::records;
use store::{Millis, SqliteStore, Store as _};

use crate::data::{block_on, now, open_store, print, tickets_file};
use crate::issue::read_tickets;

/// What `qod codes` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The data directory
    #[arg(long)]
    data: PathBuf,
    /// The address at which the page is served, for example http://127.0.0.1:8000
    #[arg(long)]
    base_url: String,
    /// How many codes of each potential gain
    #[arg(long, default_value_t = 2)]
    each: usize,
}

/// What a ticket is good for in a demo.
#[derive(PartialEq, Eq)]
enum Kind {
    /// It can be played.
    Playable(PotentialGain),
    Losing,
    Paid,
    TooLate,
    /// Its game was started.
    Begun,
}

/// Prints the link, codes of each kind that are still new, and a QR code.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    // None as long as no tickets file is found.
    let tickets = block_on(async {
        let store = open_store(&args.data)?;
        let mut tickets = None;
        for emission in store.emissions().await? {
            let file = tickets_file(&args.data, emission.id, 1);
            if !file.exists() {
                continue;
            }
            let tickets = tickets.get_or_insert_with(Vec::new);
            for ticket in read_tickets(&file)? {
                tickets.push((kind(&store, &ticket, emission.start_before).await?, ticket));
            }
        }
        store.close().await?;
        Ok(tickets)
    })?;
    let link = format!("{}/qod", args.base_url.trim_end_matches('/'));
    let Some(tickets) = tickets else {
        return print(&format!(
            "\n  Play: {link}\n\n  No code can be shown: the tickets file of every emission is missing from {}. Tickets that \
             were\n  issued can still be played by whoever has their codes; for new ones, start again with another --data \
             directory.\n",
            args.data.join("tickets").display()
        ));
    };
    print(&page(&link, &tickets, args.each)?)
}

fn page(link: &str, tickets: &[(Kind, IssuedTicket)], each: usize) -> anyhow::Result<String> {
    let mut out =
        format!("\n  Play: {link}\n\n  Type a code there, or open its link. Codes that nobody has used yet:\n\n");
    let kinds = PotentialGain::ALL.map(|gain| (Kind::Playable(gain), format!("{} €", gain.eur())));
    let others = [(Kind::Losing, "losing ticket"), (Kind::Paid, "already paid"), (Kind::TooLate, "too late to start")];
    let others = others.map(|(kind, name)| (kind, name.to_owned()));
    for (kind, name) in kinds.iter().chain(&others) {
        for (_, ticket) in tickets.iter().filter(|(k, _)| k == kind).take(each) {
            let code = ticket.code.grouped();
            writeln!(out, "  {name:>18}   {code}   {link}#{}", code.replace(' ', ""))?;
        }
    }
    let qr =
        [PotentialGain::Eur20, PotentialGain::Eur10, PotentialGain::Eur5, PotentialGain::Eur50].map(Kind::Playable);
    let qr = qr.iter().find_map(|kind| tickets.iter().find(|(k, _)| k == kind));
    let Some((Kind::Playable(gain), ticket)) = qr else {
        writeln!(out, "\n  Most of these tickets are used up: start again with another --data directory.")?;
        return Ok(out);
    };
    writeln!(out, "\n  Or flash this ticket of {} €, {}:\n", gain.eur(), ticket.code.grouped())?;
    let code = QrCode::new(format!("{link}#{}", ticket.code.grouped().replace(' ', "")));
    let code = code.context("the link is too long for a QR code")?;
    let modules = code.render::<Dense1x2>().dark_color(Dense1x2::Dark).light_color(Dense1x2::Light).build();
    // Black on white, whatever the terminal's own colours are: readers expect it.
    let (on, off) = if std::io::stdout().is_terminal() { ("\x1b[30;107m", "\x1b[0m") } else { ("", "") };
    for line in modules.lines() {
        writeln!(out, "  {on}{line}{off}")?;
    }
    if link.contains("//localhost") || link.contains("//127.") {
        writeln!(
            out,
            "\n  (Only this machine reaches that address: --lan prints one for a phone on the same network.)"
        )?;
    }
    // Again where it is seen: the codes may have scrolled the first away.
    writeln!(out, "\n  Play: {link}\n")?;
    Ok(out)
}

async fn kind(store: &SqliteStore, ticket: &IssuedTicket, start_before: Option<Millis>) -> anyhow::Result<Kind> {
    let record = store.load(store::TicketId(ticket.id.0)).await?;
    let record = record.with_context(|| format!("ticket {} was not imported: run `qod issue` again", ticket.number))?;
    let paid = record.game.state.is_some_and(|state| state.as_str() == "potential_gain_paid");
    Ok(match ticket.potential_gain {
        None => Kind::Losing,
        Some(_) if paid => Kind::Paid,
        Some(_) if record.game.version.0 > 0 => Kind::Begun,
        Some(_) if start_before.is_some_and(|end| records::millis(now()) >= end) => Kind::TooLate,
        Some(gain) => Kind::Playable(gain),
    })
}
