//! Codes that open no game: each is told its own way, and nothing unreadable is ever shown as lost.

use protocol::StateName;
use system_tests::page::{Page, Role};
use system_tests::{Browser, Service, Size, eventually};

use crate::{address, begin};

#[test]
fn each_code_that_opens_no_game_is_told_in_its_own_sentence_and_none_but_a_losing_ticket_as_losing() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let page = Page::open(&browser, &address(service.addr()));
    let code = service.ticket(5).grouped();
    let flipped: String = code.chars().rev().collect();
    let unknown = "2222 2222 2222 2222";
    let unknown = (0..)
        .find_map(|n: u32| {
            let body = format!("{:0>16}", n).replace('0', "2").replace('1', "3");
            let body: Vec<u8> = body.bytes().filter_map(rules::code::symbol_value).collect();
            rules::Code::from_body(body.try_into().ok()?)
        })
        .map_or(unknown.to_owned(), |code| code.grouped());
    let losing = service.losing_ticket().grouped();
    let sentences = [
        ("", "Il manque le code. Entrez les 18 caractères qui sont sous la tablette."),
        ("ABC", "Code incomplet. Il manque 15 caractères sur 18."),
        (&*format!("{code}AB"), "Code trop long. Il y a 2 caractères de trop : un code en a 18."),
        (&*code.replacen(&code[..1], "0", 1), "Un caractère à revoir. Le 1er, « 0 », n’est dans aucun code"),
        (&*flipped, "Une erreur de copie. Un caractère au moins n’est pas le bon."),
        (&*unknown, "Code non reconnu Cela ne dit pas que le ticket est perdant : gardez-le."),
        (&*losing, "Ce ticket n’a pas de gain potentiel Aucun de ses 15 numéros n’est gagnant"),
    ];
    for (code, sentence) in sentences {
        page.enter(code);
        page.says(sentence);
        assert_eq!(page.heading().as_deref(), Some("Entrez le code de votre ticket"), "{sentence}");
        for (_, other) in sentences.iter().filter(|(_, other)| *other != sentence) {
            assert!(!page.shows(other), "« {sentence} » and « {other} » at once");
        }
        assert_eq!(page.shows("n’est gagnant"), code == losing, "{}", page.shown());
    }
    browser.assert_clean(&[service.addr()], &losing, &["status of 404", "status of 409"]);
}

#[test]
fn a_paid_ticket_and_one_that_comes_too_late_are_told_so_and_keep_what_they_are_worth() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let page = Page::open(&browser, &address(service.addr()));
    page.enter(&service.paid_ticket().grouped());
    page.comes_to("Ce ticket a été payé");
    page.says("Son gain potentiel a été payé en point de vente : la suite ne peut plus être jouée.");
    assert!(page.find(Role::Button, "CONTINUER").is_none());
    page.click(Role::Button, "Entrer un autre code");
    let late = service.late_ticket();
    page.enter_ticket(late);
    page.says("Trop tard pour CONTINUER");
    page.says("Votre ticket n’a rien perdu : il vaut toujours son gain potentiel.");
    page.says(&crate::eur(late.gain_eur.into()));
    // How it is paid: with what, where, and until when.
    page.says("Gardez votre ticket C’est lui qui sera payé : présentez-le en point de vente.");
    page.says("Payable sans limite à ce jour");
    assert!(page.find(Role::Button, "CONTINUER").is_none());
    page.click(Role::Button, "QUITTER");
    page.says(
        "Rien n’a changé : votre ticket vaut toujours son gain potentiel. Gardez-le. Il est payé en point de vente.",
    );
    browser.assert_clean(&[service.addr()], &late.code, &[]);
}

#[test]
fn quitting_before_continuing_changes_nothing_and_the_ticket_may_come_back() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(100);
    let page = begin(&browser, service.addr(), &ticket);
    page.click(Role::Button, "QUITTER");
    page.says("Vous avez quitté");
    page.says("Rien n’a changé : votre ticket vaut toujours son gain potentiel. Gardez-le.");
    assert_eq!(service.look(&ticket).state, StateName::NotStarted);
    page.enter_ticket(&ticket);
    page.go_on();
    assert_eq!(service.look(&ticket).state, StateName::Picking);
    // From the grid, too, one can go to another ticket: the game waits.
    page.click(Role::Button, "Entrer un autre code");
    page.says("Elle reste où elle en est : le même code la rouvre, sur tout appareil.");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_code_that_meets_no_server_is_not_lost_and_opens_its_ticket_once_there_is_one() {
    let (mut service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(100);
    let page = Page::open(&browser, &address(service.addr()));
    service.kill();
    page.enter(&ticket.grouped());
    page.says("Le serveur ne répond pas");
    page.says("Votre ticket n’a rien perdu.");
    service.start_again();
    page.click(Role::Button, "Ouvrir mon ticket");
    page.comes_to("Votre gain potentiel");
    browser.assert_clean(&[service.addr()], &ticket.code, &["ERR_CONNECTION_REFUSED"]);
}

#[test]
fn a_session_that_ended_asks_for_the_code_again_and_says_that_nothing_is_lost() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(100);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    let forget = "for (const key of Object.keys(sessionStorage)) sessionStorage[key] = sessionStorage[key].replace(/[0-9a-f]{64}/, '0'.repeat(64))";
    browser.run(forget, serde_json::json!([]));
    browser.reload();
    let page = Page::of(&browser);
    page.says("Votre session a pris fin");
    page.enter(&ticket.grouped());
    page.comes_to("Palier 1");
    assert_eq!(page.cell(layout.good[0]).as_deref(), Some("bon numéro"));
    page.pick(layout.good[1]);
    browser.assert_clean(&[service.addr()], &ticket.code, &["status of 401"]);
}

#[test]
fn a_link_that_is_opened_where_the_page_is_already_opens_its_ticket_too_and_a_spoiled_one_says_what_is_wrong() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let page = Page::open(&browser, &address(service.addr()));
    let (first, second) = (service.ticket(20), service.ticket(50));
    browser.go(&format!("{}#{}", address(service.addr()), first.code));
    page.says(&first.number);
    assert_eq!(browser.url(), address(service.addr()));
    browser.go(&format!("{}#{}", address(service.addr()), second.grouped().replace(' ', "-").to_lowercase()));
    page.says(&second.number);
    assert_eq!(browser.url(), address(service.addr()));
    browser.go(&format!("{}#{}", address(service.addr()), first.grouped().replace(' ', "%20")));
    page.says(&first.number);
    assert_eq!(browser.url(), address(service.addr()));
    // What is no code closes no game, and stays in no address bar.
    for garbage in [&first.code[..17], &first.code[..5], "utm_source=newsletter"] {
        browser.go(&format!("{}#{garbage}", address(service.addr())));
        eventually("a bare address", || (browser.url() == address(service.addr())).then_some(()), || browser.url());
        page.says(&first.number);
        page.comes_to("Votre gain potentiel");
    }
    page.click(Role::Button, "QUITTER");
    page.comes_to("Entrez le code de votre ticket");
    browser.go(&format!("{}#{}", address(service.addr()), &first.code[..17]));
    page.says("Code incomplet. Il manque 1 caractère sur 18.");
    assert_eq!(browser.url(), address(service.addr()));
    browser.assert_clean(&[service.addr()], &first.code, &[]);
    browser.assert_clean(&[service.addr()], &second.code, &[]);
}
