//! Servers that die, answers that never come, reloads, tabs and other devices: the game goes on exactly where it stood.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use protocol::{StateName, routes};
use rules::Palier;
use system_tests::http::Message;
use system_tests::page::{Page, Role};
use system_tests::proxy::Fate;
use system_tests::{Browser, Deed, Proxy, Service, Size, eventually};

use crate::{address, begin, eur, shows_the_whole_draw};

/// What the console says of requests that found no server.
const AWAY: &[&str] = &["ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"];

#[test]
fn a_server_that_is_killed_in_the_middle_of_a_palier_and_started_again_finds_the_pick_that_waited_for_it() {
    let (mut service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let deeds = layout.win_at(Palier::Two);
    page.play(&deeds[1..10]);
    let before = service.look(&ticket);
    service.kill();
    let Deed::Pick(pending) = deeds[10] else { panic!("a pick is next") };
    page.click_number(pending);
    page.says("Connexion perdue.");
    page.says(&format!("Le {} reste choisi : nous réessayons.", pending.get()));
    assert_eq!(page.cell(pending).as_deref(), Some("choisi, en attente"));
    // Nothing else can be picked meanwhile.
    let Deed::Pick(other) = deeds[11] else { panic!("a pick comes after it") };
    let other = page.the(Role::Button, &format!("{}, à choisir", other.get()));
    assert_eq!(browser.attribute(&other, "aria-disabled").unwrap().as_deref(), Some("true"));
    browser.click(&other).unwrap_or_else(|refused| panic!("{refused}"));
    service.start_again();
    // By itself: nobody presses anything.
    page.is_settled(pending);
    assert_eq!(page.cell(pending).as_deref(), Some("bon numéro"));
    let after = service.look(&ticket);
    assert_eq!((after.seq, &after.picks[..before.picks.len()]), (before.seq + 1, &before.picks[..]));
    assert!(!page.shows("Connexion perdue."));
    page.play(&deeds[11..]);
    page.comes_to(&format!("Gagné : {}", eur(layout.gains_eur[1])));
    shows_the_whole_draw(&page, &service, &ticket);
    browser.assert_clean(&[service.addr()], &ticket.code, AWAY);
}

#[test]
fn a_continue_and_a_quit_that_meet_a_dead_server_get_through_by_themselves_too() {
    let (mut service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(10);
    let page = begin(&browser, service.addr(), &ticket);
    page.ask_to_go_on();
    service.kill();
    page.click(Role::Button, "CONTINUER");
    page.says("Connexion perdue.");
    page.says("Votre choix est gardé : nous réessayons.");
    service.start_again();
    page.comes_to("Palier 1");
    let layout = service.layout_of_begun(&ticket);
    let deeds = layout.win_at(Palier::One);
    page.play(&deeds[1..7]);
    page.comes_to("Palier 1 atteint !");
    page.click(Role::Button, "QUITTER");
    let _ = page.the(Role::Dialog, &format!("Quitter avec {} ?", eur(layout.gains_eur[0])));
    service.kill();
    page.click(Role::Button, "QUITTER");
    page.says("Connexion perdue.");
    assert_eq!(page.heading().as_deref(), Some("Palier 1 atteint !"));
    service.start_again();
    page.comes_to(&format!("Gagné : {}", eur(layout.gains_eur[0])));
    browser.assert_clean(&[service.addr()], &ticket.code, AWAY);
}

#[test]
fn an_answer_that_is_lost_on_its_way_is_asked_for_again_and_the_pick_counts_once() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    let lost = Arc::new(AtomicUsize::new(0));
    let counting = lost.clone();
    proxy.spoil(move |request, answer| {
        if request.path() == routes::PICKS && counting.fetch_add(1, Ordering::SeqCst) < 2 {
            Fate::Cut
        } else {
            Fate::Answer(answer)
        }
    });
    page.pick(layout.good[1]);
    assert!(lost.load(Ordering::SeqCst) >= 3, "twice for nothing, then for good");
    let picks = service.look(&ticket).picks;
    assert_eq!(picks.iter().map(|pick| pick.number).collect::<Vec<_>>(), layout.good[..2]);
    page.pick(layout.good[2]);
    browser.assert_clean(&[proxy.addr()], &ticket.code, AWAY);
}

#[test]
fn what_comes_from_something_between_is_no_answer_and_the_pick_waits_for_the_servers() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let tries = AtomicUsize::new(0);
    proxy.spoil(move |request, answer| {
        let pages = ["<html>502 Bad Gateway</html>", "{\"title\": \"Service Unavailable\"}", ""];
        match pages.get(tries.load(Ordering::SeqCst)) {
            Some(page) if request.path() == routes::PICKS => {
                tries.fetch_add(1, Ordering::SeqCst);
                Fate::Answer(Message {
                    start: "HTTP/1.1 502 Bad Gateway".to_owned(),
                    headers: vec![("content-type".to_owned(), "text/html".to_owned())],
                    body: page.as_bytes().to_vec(),
                })
            }
            _ => Fate::Answer(answer),
        }
    });
    page.pick(layout.good[0]);
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    assert_eq!(service.look(&ticket).picks.len(), 1);
    browser.assert_clean(&[proxy.addr()], &ticket.code, &["status of 502"]);
}

#[test]
fn a_continue_that_gets_no_answer_is_sent_again_with_the_same_seed_even_after_a_reload() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    let sent = Arc::new(Mutex::new(Vec::new()));
    let noted = sent.clone();
    // A server that plays deaf, in the hope of a seed that it likes better.
    proxy.hold_back(move |request| {
        let is_first = request.path() == routes::CONTINUE;
        if is_first {
            noted.lock().unwrap().push(request.text().to_owned());
        }
        !is_first
    });
    page.ask_to_go_on();
    page.click(Role::Button, "CONTINUER");
    page.says("Connexion perdue.");
    browser.reload();
    let page = Page::of(&browser);
    page.says("Votre choix est gardé : nous réessayons.");
    assert_eq!(service.look(&ticket).state, StateName::NotStarted);
    proxy.be_honest();
    page.comes_to("Palier 1");
    let seed = service.look(&ticket).client_seed.unwrap().to_hex();
    let sent = sent.lock().unwrap();
    assert!(sent.len() >= 2, "{sent:?}");
    assert!(sent.iter().all(|body| *body == sent[0]) && sent[0].contains(&seed), "{sent:?} and then {seed}");
    page.pick(service.layout_of_begun(&ticket).good[0]);
    browser.assert_clean(&[proxy.addr()], &ticket.code, AWAY);
}

#[test]
fn a_pick_that_is_pending_survives_a_reload_and_gets_through_once_there_is_a_way() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    proxy.hold_back(|request| request.path() != routes::PICKS);
    page.click_number(layout.good[1]);
    page.says("Connexion perdue.");
    browser.reload();
    let page = Page::of(&browser);
    page.comes_to("Palier 1");
    page.says(&format!("Le {} reste choisi : nous réessayons.", layout.good[1].get()));
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    assert_eq!(service.look(&ticket).picks.len(), 1);
    proxy.be_honest();
    page.is_settled(layout.good[1]);
    assert_eq!(page.cell(layout.good[1]).as_deref(), Some("bon numéro"));
    assert_eq!(service.look(&ticket).picks.len(), 2);
    browser.assert_clean(&[proxy.addr()], &ticket.code, AWAY);
}

#[test]
fn a_game_goes_on_after_a_reload_at_the_stake_between_paliers_on_a_palier_and_at_the_end() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(50);
    let page = begin(&browser, service.addr(), &ticket);
    let again = |heading: &str| {
        browser.reload();
        let page = Page::of(&browser);
        page.comes_to(heading);
        page
    };
    again("Votre gain potentiel").go_on();
    let layout = service.layout_of_begun(&ticket);
    let deeds = layout.win_at(Palier::Two);
    page.play(&deeds[1..4]);
    let known = page.cells();
    let page = again("Palier 1");
    page.says("La partie reprend où elle en était.");
    assert_eq!(page.cells(), known);
    page.play(&deeds[4..7]);
    again("Palier 1 atteint !").play(&deeds[7..]);
    let heading = format!("Gagné : {}", eur(layout.gains_eur[1]));
    page.comes_to(&heading);
    shows_the_whole_draw(&again(&heading), &service, &ticket);
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_second_tab_of_the_same_browser_takes_up_the_game_with_the_same_seed_and_each_sees_what_the_other_did() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    let first = browser.tab();
    let second = browser.new_tab();
    let page = Page::open(&browser, &address(service.addr()));
    page.enter(&ticket.grouped());
    // Not a word of another seed: it is this browser's.
    page.comes_to("Palier 1");
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    page.pick(layout.good[1]);
    browser.turn_to(&first);
    let caught_up = || (page.cell(layout.good[1])? == "bon numéro").then_some(());
    eventually("what the other tab did", caught_up, || browser.shown());
    page.says("La partie a avancé ailleurs : voici où elle en est.");
    page.pick(layout.good[2]);
    browser.turn_to(&second);
    page.play(&layout.good[3..6].iter().map(|number| Deed::Pick(*number)).collect::<Vec<_>>());
    page.comes_to("Palier 1 atteint !");
    assert_eq!(service.look(&ticket).picks.len(), 6);
    browser.assert_clean(&[service.addr()], &ticket.code, &["status of 409"]);
}

#[test]
fn another_device_says_that_the_game_was_begun_elsewhere_and_goes_on_only_when_the_player_confirms() {
    let service = Service::start();
    let ticket = service.ticket(20);
    let here = Browser::open(Size::DESKTOP);
    let page = begin(&here, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);

    let there = Browser::open(Size::PHONE);
    let page = Page::open(&there, &address(service.addr()));
    page.enter(&ticket.grouped());
    page.comes_to("Partie commencée ailleurs");
    page.says("Cette partie a été commencée avec la clé d’un autre navigateur");
    assert_eq!(there.all("[role=group]").len(), 0, "the grid is not shown before the player has confirmed");
    page.click(Role::Button, "Enregistrer le constat");
    let (_, evidence) = there.download();
    assert!(evidence.contains(&service.look(&ticket).client_seed.unwrap().to_hex()), "{evidence}");
    page.click(Role::Button, "Ce n’est pas moi");
    page.comes_to("Entrez le code de votre ticket");
    assert_eq!(service.look(&ticket).picks.len(), 1);
    page.enter(&ticket.grouped());
    page.comes_to("Partie commencée ailleurs");
    page.click(Role::Button, "C’est moi, reprendre");
    page.comes_to("Palier 1");
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    page.play(&layout.win_at(Palier::One)[2..]);
    page.comes_to(&format!("Gagné : {}", eur(layout.gains_eur[0])));
    // The seal was checked, the player's half was not: it says so, and never calls the draw checked.
    page.says("Sceau vérifié");
    page.says("La part de hasard du navigateur qui a commencé la partie n’est pas vérifiée ici.");
    assert!(!page.shows("Tirage vérifié"));
    there.assert_clean(&[service.addr()], &ticket.code, &[]);
    here.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_ticket_that_is_open_on_two_devices_before_the_start_is_begun_by_one_and_the_other_is_told() {
    let service = Service::start();
    let ticket = service.ticket(20);
    let here = Browser::open(Size::DESKTOP);
    let page = begin(&here, service.addr(), &ticket);
    page.ask_to_go_on();
    let elsewhere = service.join(&ticket);
    elsewhere.send(0, Deed::GoOn).unwrap().expect(200);
    page.click(Role::Button, "CONTINUER");
    page.comes_to("Partie commencée ailleurs");
    page.says("Elle a aussi été commencée ici, avec une autre clé.");
    assert_eq!(service.look(&ticket).state, StateName::Picking);
    here.assert_clean(&[service.addr()], &ticket.code, &["status of 409"]);
}

#[test]
fn what_is_typed_and_sent_before_the_app_has_arrived_is_taken_over_and_never_stands_in_an_address() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let open = Arc::new(AtomicBool::new(false));
    let gate = open.clone();
    proxy.hold_back(move |request| {
        let is_app = request.path().ends_with(".wasm");
        is_app.then(|| eventually("the test", || gate.load(Ordering::SeqCst).then_some(()), String::new));
        true
    });
    let ticket = service.ticket(10);
    // The load event waits for the app: the address is opened without waiting for it.
    browser.go("about:blank");
    browser
        .run("setTimeout((to) => { location.href = to }, 0, arguments[0])", serde_json::json!([address(proxy.addr())]));
    eventually("the static page", || browser.all("#code").pop(), || browser.shown());
    let field = browser.all("#code").pop().unwrap();
    browser.run("arguments[0].focus()", serde_json::json!([system_tests::browser::reference(&field)]));
    browser.type_text(&ticket.grouped());
    browser.press([system_tests::Key::Enter]);
    eventually("the notice", || browser.shown().contains("Votre code est noté.").then_some(()), || browser.shown());
    assert_eq!(browser.url(), address(proxy.addr()));
    open.store(true, Ordering::SeqCst);
    Page::of(&browser).comes_to("Votre gain potentiel");
    assert_eq!(browser.url(), address(proxy.addr()));
    browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
}
