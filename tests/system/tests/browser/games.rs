//! Whole games: won, lost, on a phone; what can be saved of them, and replayed.

use rules::Palier;
use serde_json::json;
use system_tests::page::{Page, Role};
use system_tests::{Browser, Service, Size};

use crate::{address, begin, eur, shows_the_whole_draw, verify};

#[test]
fn a_game_is_won_at_palier_2_by_quitting_and_what_is_saved_of_it_can_be_verified_anywhere() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.says("20 €");
    page.says("CONTINUER est irrévocable : vous renoncez à 20 €");
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let gain = eur(layout.gains_eur[1]);
    let deeds = layout.win_at(Palier::Two);
    let (first, second) = deeds[1..].split_at(6);
    page.play(first);
    page.comes_to("Palier 1 atteint !");
    page.says(&eur(layout.gains_eur[0]));
    let (quit, second) = second.split_last().unwrap();
    page.play(second);
    page.comes_to("Palier 2 atteint !");
    page.says(&gain);
    page.play(&[*quit]);
    page.comes_to(&format!("Gagné : {gain}"));
    assert_eq!(service.look(&ticket).gain_eur, Some(layout.gains_eur[1]));
    shows_the_whole_draw(&page, &service, &ticket);
    page.says("Gardez votre ticket");
    page.says(&ticket.number);

    page.click(Role::Button, "Enregistrer la preuve");
    let (name, saved) = browser.download();
    assert!(name.ends_with(".json"), "{name}");
    let verified = verify(&saved);
    let account = String::from_utf8(verified.stdout).unwrap();
    assert_eq!(verified.status.code(), Some(0), "{account}");
    assert!(account.contains("VERIFIED") && account.contains("Won at palier 2"), "{account}");
    let nonce = saved.find("\"nonce\":\"").unwrap() + "\"nonce\":\"".len();
    let mut tampered = saved.into_bytes();
    tampered[nonce] = if tampered[nonce] == b'0' { b'1' } else { b'0' };
    let refused = verify(str::from_utf8(&tampered).unwrap());
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8(refused.stderr).unwrap().starts_with("WRONG: action 2: "));
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_game_won_at_palier_4_ends_by_itself_and_can_be_seen_again_step_by_step() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(50_000);
    let page = begin(&browser, service.addr(), &ticket);
    page.says("En moyenne, CONTINUER vaut 99,7 % de ce qui est remis en jeu.");
    page.go_on();
    page.play(&service.layout_of_begun(&ticket).win_at(Palier::Four)[1..]);
    page.comes_to("Gagné : 800 000 €");
    page.says("C’est le gain du palier 4.");
    shows_the_whole_draw(&page, &service, &ticket);

    page.click(Role::Button, "Revoir la partie");
    page.comes_to("Revoir la partie");
    page.says("Rediffusion : rien ne se joue ici");
    page.says("En jeu à ce moment 50 000 €");
    page.says(&ticket.number);
    page.says("Étape 1 sur 22");
    let good = |page: &Page<'_>| page.cells().iter().filter(|cell| *cell == "bon numéro").count();
    assert_eq!(good(&page), 0);
    for step in 2..=22 {
        page.click(Role::Button, "Suivant");
        page.says(&format!("Étape {step} sur 22"));
    }
    assert_eq!(good(&page), 18);
    page.says("Gain de la partie 800 000 €");
    page.click(Role::Button, "Précédent");
    page.says("Étape 21 sur 22");
    assert_eq!(good(&page), 17);
    // Reloaded, it is still there; and the way back is that of the browser.
    browser.reload();
    let page = Page::of(&browser);
    page.comes_to("Revoir la partie");
    page.says("Étape 1 sur 22");
    browser.back();
    page.comes_to("Gagné : 800 000 €");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_lost_game_says_so_uncovers_the_whole_grid_and_says_that_it_was_checked() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(1000);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.play(&layout.lose_after(8)[1..]);
    page.comes_to("Perdu");
    let at_stake = eur(layout.gains_eur[0]);
    page.says(&format!("La partie est finie, sans gain : les {at_stake} en jeu sont perdus."));
    page.says("Besoin d’en parler ? 09 74 75 13 13 (appel non surtaxé), ou joueurs-info-service.fr.");
    shows_the_whole_draw(&page, &service, &ticket);
    assert!(!page.shows("Gardez votre ticket"));
    page.click(Role::Button, "Enregistrer la preuve");
    let verified = verify(&browser.download().1);
    let account = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.success() && account.contains("Lost."), "{account}");
    // The same code opens the same end again.
    page.click(Role::Button, "Entrer un autre code");
    page.comes_to("Entrez le code de votre ticket");
    page.enter(&ticket.grouped());
    page.comes_to("Perdu");
    shows_the_whole_draw(&page, &service, &ticket);
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_game_can_be_saved_and_verified_while_it_lasts() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(5);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.play(&layout.win_at(Palier::Two)[1..10]);
    let how =
        browser.all("summary").into_iter().find(|how| browser.text(how).is_ok_and(|t| t == "Comment c’est prouvé"));
    browser.click(&how.expect("an explanation of the proof")).unwrap_or_else(|refused| panic!("{refused}"));
    page.says("À chaque numéro, la case scellée est ouverte");
    page.click(Role::Button, "Enregistrer la preuve");
    let verified = verify(&browser.download().1);
    let account = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.success() && account.contains("In progress."), "{account}");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_qr_link_opens_its_ticket_on_a_phone_and_the_code_is_gone_from_the_address_bar_and_the_history() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(20);
    browser.go("about:blank");
    let before = browser.run("return history.length", json!([])).as_u64().unwrap();
    let link = format!("{}#{}", address(service.addr()), ticket.grouped().replace(' ', ""));
    let page = Page::open(&browser, &link);
    page.comes_to("Votre gain potentiel");
    let seen = browser.run("return [innerWidth, innerHeight, history.length]", json!([]));
    assert_eq!(seen, json!([360, 740, before + 1]), "the window, and the length of the history");
    assert_eq!(browser.url(), address(service.addr()));
    // A whole game with a finger.
    page.tap(Role::Button, "CONTINUER");
    page.tap(Role::Checkbox, "J’ai 18 ans ou plus, et je sais que ce choix est irrévocable.");
    page.tap(Role::Button, "CONTINUER");
    page.comes_to("Palier 1");
    let layout = service.layout_of_begun(&ticket);
    for number in &layout.good[..6] {
        page.tap(Role::Button, &format!("{}, à choisir", number.get()));
        page.is_settled(*number);
    }
    page.comes_to("Palier 1 atteint !");
    page.tap(Role::Button, "QUITTER");
    let _ = page.the(Role::Dialog, &format!("Quitter avec {} ?", eur(layout.gains_eur[0])));
    page.tap(Role::Button, "QUITTER");
    page.comes_to(&format!("Gagné : {}", eur(layout.gains_eur[0])));
    shows_the_whole_draw(&page, &service, &ticket);
    // Back and forth, the code comes up nowhere.
    browser.back();
    assert_eq!(browser.url(), "about:blank");
    browser.run("history.forward()", json!([]));
    let page = system_tests::eventually(
        "the page",
        || (browser.url() == address(service.addr())).then(|| Page::of(&browser)),
        || browser.url(),
    );
    page.comes_to(&format!("Gagné : {}", eur(layout.gains_eur[0])));
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn the_second_half_of_a_double_tap_does_not_answer_what_the_first_one_asked() {
    let (service, browser) = (Service::start(), Browser::open(Size { width: 412, height: 915, phone: true }));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    page.play(&service.layout_of_begun(&ticket).win_at(Palier::Two)[1..7]);
    page.comes_to("Palier 1 atteint !");
    // The time for which the answers wait, drawn out, so that no machine is too slow for this test.
    let slow = "const [sheet] = document.styleSheets;
        sheet.insertRule('dialog[open] .actions { animation-duration: 600s !important }', sheet.cssRules.length)";
    browser.run(slow, json!([]));
    page.ask_to_go_on();
    let answer = browser.all("dialog[open] button").pop().unwrap();
    assert!(!browser.reaches(&answer));
    browser.tap(&answer).unwrap();
    page.says("Remettre");
    assert_eq!(browser.all("dialog[open]").len(), 1);
    assert_eq!(service.look(&ticket).state, protocol::StateName::OnPalier);
    browser.run("document.getAnimations().forEach((animation) => animation.finish())", json!([]));
    page.tap(Role::Button, "CONTINUER");
    page.comes_to("Palier 2");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}
