//! The page that verifies a saved game: in this browser alone, with no server at all once it is there.

use rules::Palier;
use serde_json::json;
use system_tests::page::{Page, Role, squeezed};
use system_tests::{Browser, Service, Size};

use crate::{address, begin, eur};

/// The place of the page where games are verified.
fn verifier(service: &Service) -> String {
    format!("{}#verifier", address(service.addr()))
}

#[test]
fn a_saved_game_is_verified_without_a_server_and_an_altered_one_is_told_where_it_fails() {
    let (mut service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let deeds = layout.win_at(Palier::One);
    page.play(&deeds[1..4]);
    let unfinished = service.join(&ticket).transcript_answer().unwrap().text().to_owned();
    page.play(&deeds[4..]);
    page.click(Role::Button, "Enregistrer la preuve");
    let (name, finished) = browser.download();
    assert_eq!(name, format!("quitte-ou-double-{}-preuve.json", ticket.number));

    page.click(Role::Link, "Vérifier une partie enregistrée");
    page.comes_to("Vérifier une partie");
    assert!(browser.title().starts_with("Vérifier une partie"));
    page.says("Le fichier est lu dans ce navigateur seulement : rien n’est envoyé.");
    let asked = browser.requested().len();
    service.kill();

    browser.choose_file(&name, finished.as_bytes());
    page.comes_to("Tout est exact");
    let gain = eur(layout.gains_eur[0]);
    page.says(&format!("Partie gagnée au palier 1 : {gain}."));
    page.says(&name);
    page.says("Les 6 numéros choisis ouvrent chacun la case scellée");
    page.says(&format!("palier 1, ×{}, {gain}.", layout.gains_eur[0] / 20));
    let losing: Vec<_> = layout.losing.iter().map(|number| number.get().to_string()).collect();
    page.says(&format!("Elle a exactement 3 numéros perdants : {}, {} et {}.", losing[0], losing[1], losing[2]));
    page.says("Ce que ce fichier ne prouve pas");

    // Seen again from the file alone.
    page.click(Role::Button, "Revoir la partie");
    page.comes_to("Revoir la partie");
    page.says("Étape 1 sur 8");
    page.click(Role::Button, "Suivant");
    page.says("Étape 2 sur 8");
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    let buttons = browser.run("return document.querySelectorAll('main:not([hidden]) .grid button').length", json!([]));
    assert_eq!(buttons, 0, "nothing in a replay can be picked");
    page.click(Role::Button, "Voir ce qui a été vérifié");
    page.comes_to("Tout est exact");

    // While it lasted, it was as true as far as it went.
    browser.choose_file("en-cours.json", unfinished.as_bytes());
    page.comes_to("Tout est exact jusqu’ici");
    page.says("La partie est en cours, aucun palier n’est encore atteint.");
    page.says("Le reste de la grille est scellé jusqu’à la fin.");

    // One digit of the third number's opening.
    let third = finished.match_indices("\"nonce\":\"").nth(2).unwrap().0 + "\"nonce\":\"".len();
    let mut altered = finished.clone().into_bytes();
    altered[third] = if altered[third] == b'0' { b'1' } else { b'0' };
    browser.choose_file("modifiée.json", &altered);
    page.comes_to("Ce fichier n’est pas valable");
    page.says(&format!(
        "Au 3e numéro choisi, le {} : la case qui est ouverte ne mène pas au sceau.",
        layout.good[2].get()
    ));
    page.says("Les 2 numéros choisis avant sont exacts.");
    assert!(page.find(Role::Button, "Revoir la partie").is_none());

    // What is no game at all, and what is far too large for one.
    browser.choose_file("photo.json", &[0x89, b'P', b'N', b'G', 0, 0xff]);
    page.says("Ce n’est pas une partie enregistrée");
    browser.choose_file("grand.json", &vec![b' '; (1 << 20) + 1]);
    page.says("Ce fichier est trop grand");
    assert_eq!(browser.requested().len(), asked, "nothing was asked of anyone, nor sent");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_dropped_file_is_verified_wherever_it_falls_and_the_game_waits_behind() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(5);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    let saved = service.join(&ticket).transcript_answer().unwrap().text().to_owned();
    browser.go(&verifier(&service));
    page.comes_to("Vérifier une partie");
    let _ = page.the(Role::Button, "Choisir un fichier");
    let drop = r"
        const carried = new DataTransfer();
        carried.items.add(new File([arguments[0]], 'partie.json', { type: 'application/json' }));
        for (const kind of ['dragover', 'drop']) {
            const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried });
            document.querySelector('footer').dispatchEvent(event);
            if (!event.defaultPrevented) return `${kind} is left to the browser`;
        }
        return null;
    ";
    assert_eq!(browser.run(drop, json!([saved])), json!(null));
    page.comes_to("Tout est exact jusqu’ici");
    page.click(Role::Link, "Revenir au jeu");
    page.comes_to("Palier 1");
    assert_eq!(browser.url(), address(service.addr()));
    assert_eq!(squeezed(&browser.title()), "Palier 1 – Quitte ou Double");
    page.pick(layout.good[1]);
    // Where the game is shown, a file is none of the page's business.
    assert_eq!(browser.run(drop, json!([saved])), json!("dragover is left to the browser"));
    // A code in the address opens its ticket from there too.
    let other = service.ticket(100);
    browser.go(&verifier(&service));
    page.comes_to("Tout est exact jusqu’ici");
    browser.go(&format!("{}#{}", address(service.addr()), other.code));
    page.comes_to("Votre gain potentiel");
    page.says(&other.number);
    browser.assert_clean(&[service.addr()], &other.code, &[]);
}

#[test]
fn the_verifier_has_an_address_of_its_own_that_outlives_a_reload_and_is_left_by_going_back() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let page = Page::open(&browser, &address(service.addr()));
    page.comes_to("Entrez le code de votre ticket");
    page.click(Role::Link, "Vérifier une partie enregistrée");
    page.comes_to("Vérifier une partie");
    browser.reload();
    let page = Page::of(&browser);
    page.comes_to("Vérifier une partie");
    let _ = page.the(Role::Button, "Choisir un fichier");
    assert_eq!(browser.url(), verifier(&service));
    browser.back();
    page.comes_to("Entrez le code de votre ticket");
    // A replay of nothing says so, and asks for a file.
    browser.go(&format!("{}#revoir", address(service.addr())));
    page.says("Cette partie n’est plus là");
    browser.assert_clean(&[service.addr()], "no code was typed", &[]);
}
