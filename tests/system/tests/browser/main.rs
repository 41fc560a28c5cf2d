//! Scenarios in a real browser against the real server: what a player sees, can do, and is never shown.
//!
//! Each has a server, a browser profile and tickets of its own. What the page says stands here in its own words.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold here fails a test")]

mod entry;
mod games;
mod keyboard;
mod layout;
mod network;
mod proof;
mod verifier;

use std::net::SocketAddr;
use std::process::{Command, Output, Stdio};

use rules::Number;
use system_tests::page::Page;
use system_tests::service::qod;
use system_tests::{Browser, Service, Ticket};

/// Where players type their codes.
fn address(addr: SocketAddr) -> String {
    format!("http://{addr}/qod")
}

/// An amount as the page writes it, with single spaces: « 50 000 € ».
fn eur(amount: u64) -> String {
    let digits = amount.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap()).collect();
    format!("{} €", groups.join(" "))
}

/// Opens the page in this browser and the ticket in it.
#[track_caller]
fn begin<'a>(browser: &'a Browser, addr: SocketAddr, ticket: &Ticket) -> Page<'a> {
    let page = Page::open(browser, &address(addr));
    page.enter_ticket(ticket);
    page
}

/// What the end of a game shows of all thirty numbers is the draw, whole, and no more.
#[track_caller]
fn shows_the_whole_draw(page: &Page<'_>, service: &Service, ticket: &Ticket) {
    let layout = service.layout_of_begun(ticket);
    let picked: Vec<_> = service.look(ticket).picks.iter().map(|pick| pick.number).collect();
    let expected = Number::all().map(|number| {
        let nature = if layout.losing.contains(&number) { "numéro perdant" } else { "bon numéro" };
        if picked.contains(&number) { nature.to_owned() } else { format!("{nature}, non choisi") }
    });
    assert_eq!(page.cells(), expected.collect::<Vec<_>>());
    page.says("Tirage vérifié");
    page.says("Ce navigateur a recalculé toute la grille : exactement 3 numéros perdants");
}

/// What `qod verify` says of a saved game.
fn verify(saved: &str) -> Output {
    use std::io::Write as _;
    let mut command = Command::new(qod());
    command.args(["verify", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut verifier = command.spawn().unwrap();
    verifier.stdin.take().unwrap().write_all(saved.as_bytes()).unwrap();
    verifier.wait_with_output().unwrap()
}

#[test]
fn amounts_are_written_as_the_page_writes_them() {
    assert_eq!(["5 €", "40 €", "1 000 €", "800 000 €"], [5, 40, 1000, 800_000].map(eur)[..]);
}
