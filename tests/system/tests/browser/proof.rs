//! A middleman, or a server, that lies: the page stops, says so, shows no result, and gives the evidence.

use std::sync::Mutex;

use protocol::routes;
use rules::Palier;
use system_tests::http::Message;
use system_tests::page::{Page, Role};
use system_tests::proxy::Fate;
use system_tests::{Browser, Deed, Proxy, Service, Size, eventually};

use crate::begin;

/// What a lie does to the body of an answer.
type Lie = fn(&str) -> String;

/// The first digit of a hash or nonce after this mark becomes another one.
fn another_digit(body: &str, mark: &str) -> String {
    let at = body.find(mark).unwrap_or_else(|| panic!("no {mark} in {body}")) + mark.len();
    let digit = if &body[at..=at] == "0" { "1" } else { "0" };
    format!("{}{digit}{}", &body[..at], &body[at + 1..])
}

/// Once, and only where this mark is.
#[track_caller]
fn instead(body: &str, true_one: &str, false_one: &str) -> String {
    assert!(body.contains(true_one), "no {true_one} in {body}");
    body.replacen(true_one, false_one, 1)
}

/// From now on the middleman lies on every answer from that address that has this mark.
fn lie(proxy: &Proxy, path: &'static str, mark: &'static str, lie: Lie) {
    proxy.spoil(move |request, mut answer: Message| {
        if request.path() == path && answer.status() == 200 && answer.text().contains(mark) {
            answer.body = lie(answer.text()).into_bytes();
        }
        Fate::Answer(answer)
    });
}

/// The page has stopped: it says what does not hold, shows no result, and gives the evidence for saving.
#[track_caller]
fn has_stopped(page: &Page<'_>, says: &str, ticket_number: &str) -> String {
    page.comes_to("Preuve non valable");
    page.says(says);
    page.says("Nous arrêtons la partie ici, sans montrer de résultat.");
    page.says("Gardez votre ticket et enregistrez le constat");
    page.says(ticket_number);
    let shown = page.shown();
    for result in ["bon numéro", "numéro perdant", "Perdu", "Gagné", "atteint"] {
        assert!(!shown.contains(result), "{result} is shown: {shown}");
    }
    assert_eq!(page.browser().all("[role=group]").len(), 0, "no grid is left to play on");
    page.click(Role::Button, "Enregistrer le constat");
    page.browser().download().1
}

#[test]
fn a_pick_whose_answer_was_altered_stops_the_game_and_shows_no_result() {
    let service = Service::start();
    let browser = Browser::open(Size::DESKTOP);
    let proxy = Proxy::before(service.addr());
    let lies: [(&str, Lie); 8] = [
        ("a byte of the nonce", |body| another_digit(body, "\"nonce\":\"")),
        ("a byte of the path", |body| another_digit(body, "\"path\":[\"")),
        ("the sealed value", |body| instead(body, "\"value\":1", "\"value\":0")),
        ("the nature", |body| instead(body, "\"good\":true", "\"good\":false")),
        ("value and nature together", |body| {
            instead(&instead(body, "\"value\":1", "\"value\":0"), "\"good\":true", "\"good\":false")
        }),
        ("the number that it answers", |body| {
            let number = body.split("\"number\":").nth(1).unwrap().split(',').next().unwrap();
            let other = if number == "30" { "29" } else { "30" };
            body.replacen(&format!("\"number\":{number}"), &format!("\"number\":{other}"), 1)
        }),
        ("a palier that is not reached", |body| {
            let opening = &body[body.find("{\"index\"").unwrap()..=body.find('}').unwrap()];
            let palier =
                format!("\"palier\":{{\"palier\":1,\"multiplier\":3,\"gain_eur\":60,\"opening\":{opening}}},\"game\":");
            instead(body, "\"game\":", &palier)
        }),
        ("the game around it", |body| instead(body, "\"potential_gain_eur\":20", "\"potential_gain_eur\":50")),
    ];
    for (what, altered) in lies {
        println!("{what}");
        proxy.be_honest();
        let ticket = service.ticket(20);
        let page = begin(&browser, proxy.addr(), &ticket);
        page.go_on();
        let layout = service.layout_of_begun(&ticket);
        page.pick(layout.good[0]);
        lie(&proxy, routes::PICKS, "\"opening\"", altered);
        let number = layout.good[1];
        page.click_number(number);
        let says = match what {
            "the game around it" => {
                "Le ticket, son gain potentiel ou son tirage scellé ne sont plus ceux du début.".to_owned()
            }
            "a palier that is not reached" => "La preuve du palier 1 ne correspond pas au tirage scellé.".to_owned(),
            _ => format!("La preuve du numéro {} ne correspond pas au tirage scellé.", number.get()),
        };
        let evidence = has_stopped(&page, &says, &ticket.number);
        let game = service.look(&ticket);
        for held in [&*game.commitment.to_hex(), &game.client_seed.unwrap().to_hex(), &ticket.id.to_string()] {
            assert!(evidence.contains(held), "{what}: the evidence has no {held}: {evidence}");
        }
        assert!(evidence.contains("nonce"), "{what}: the evidence has not the answer itself: {evidence}");
        // It stays so: the game does not go on behind the player's back.
        assert_eq!(game.picks.len(), 2, "{what}");
        page.click(Role::Button, "Entrer un autre code");
        page.comes_to("Entrez le code de votre ticket");
        browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
    }
}

#[test]
fn a_palier_whose_multiplier_gain_or_opening_was_altered_or_left_out_stops_the_game_before_it_shows() {
    let service = Service::start();
    let browser = Browser::open(Size::DESKTOP);
    let proxy = Proxy::before(service.addr());
    let lies: [(&str, Lie); 4] = [
        ("multiplier", |body| {
            let two = "\"multiplier\":2";
            if body.contains(two) {
                body.replacen(two, "\"multiplier\":3", 1)
            } else {
                body.replacen("\"multiplier\":3", two, 1)
            }
        }),
        ("gain", |body| {
            let (before, after) = body.split_once("\"gain_eur\":").unwrap();
            format!("{before}\"gain_eur\":9{after}")
        }),
        ("opening", |body| {
            let (before, after) = body.split_once("\"palier\":{").unwrap();
            format!("{before}\"palier\":{{{}", another_digit(after, "\"nonce\":\""))
        }),
        ("left out", |body| {
            let (before, after) = body.split_once("\"palier\":{").unwrap();
            let game = after.find("\"game\":").unwrap();
            format!("{before}{}", &after[game..])
        }),
    ];
    for (what, altered) in lies {
        println!("{what}");
        proxy.be_honest();
        let ticket = service.ticket(20);
        let page = begin(&browser, proxy.addr(), &ticket);
        page.go_on();
        let layout = service.layout_of_begun(&ticket);
        page.play(&layout.win_at(Palier::One)[1..6]);
        lie(&proxy, routes::PICKS, "\"palier\":{", altered);
        page.click_number(layout.good[5]);
        let evidence = has_stopped(&page, "La preuve du palier 1 ne correspond pas au tirage scellé.", &ticket.number);
        assert!(evidence.contains(&service.look(&ticket).commitment.to_hex()));
        page.click(Role::Button, "Entrer un autre code");
        browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
    }
}

#[test]
fn a_draw_revealed_at_the_end_that_is_not_the_sealed_one_is_shown_as_no_end() {
    let service = Service::start();
    let browser = Browser::open(Size::DESKTOP);
    let proxy = Proxy::before(service.addr());
    // Lost by a pick, and won by QUITTER.
    for (path, lost) in [(routes::PICKS, true), (routes::QUIT, false)] {
        proxy.be_honest();
        let ticket = service.ticket(20);
        let page = begin(&browser, proxy.addr(), &ticket);
        page.go_on();
        let layout = service.layout_of_begun(&ticket);
        let deeds = if lost { layout.lose_after(2) } else { layout.win_at(Palier::One) };
        let (last, before) = deeds[1..].split_last().unwrap();
        page.play(before);
        lie(&proxy, path, "\"server_seed\":\"", |body| another_digit(body, "\"server_seed\":\""));
        match *last {
            Deed::Pick(number) => page.click_number(number),
            _ => {
                page.click(Role::Button, "QUITTER");
                eventually("a dialog", || browser.all("dialog[open]").pop(), || browser.shown());
                page.click(Role::Button, "QUITTER");
            }
        }
        has_stopped(&page, "Le tirage révélé n’est pas celui qui était scellé.", &ticket.number);
        page.click(Role::Button, "Entrer un autre code");
        browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
    }
}

#[test]
fn a_ticket_whose_seal_or_gain_changes_after_it_was_published_is_not_played() {
    let service = Service::start();
    let browser = Browser::open(Size::DESKTOP);
    let proxy = Proxy::before(service.addr());
    let lies: [(&str, Lie); 2] = [
        ("commitment", |body| another_digit(body, "\"commitment\":\"")),
        ("gain", |body| instead(body, "\"potential_gain_eur\":20", "\"potential_gain_eur\":10")),
    ];
    for (what, altered) in lies {
        println!("{what}");
        proxy.be_honest();
        let ticket = service.ticket(20);
        let page = begin(&browser, proxy.addr(), &ticket);
        // As it was first told, the ticket is known to this browser. Told anew, another way:
        lie(&proxy, routes::GAME, "\"commitment\"", altered);
        browser.reload();
        let page_again = Page::of(&browser);
        let says = "Le ticket, son gain potentiel ou son tirage scellé ne sont plus ceux du début.";
        has_stopped(&page_again, says, &ticket.number);
        assert!(page.find(Role::Button, "CONTINUER").is_none());
        page.click(Role::Button, "Entrer un autre code");
        browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
    }
}

#[test]
fn a_game_told_anew_with_an_altered_or_shortened_transcript_is_not_taken_up() {
    let service = Service::start();
    let browser = Browser::open(Size::DESKTOP);
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    page.pick(layout.good[0]);
    page.pick(layout.good[1]);
    lie(&proxy, routes::TRANSCRIPT, "\"nonce\"", |body| another_digit(body, "\"nonce\":\""));
    browser.reload();
    let page = Page::of(&browser);
    has_stopped(&page, "ne correspond pas au tirage scellé.", &ticket.number);
    // By an honest way it is not forgotten: the same is said, with the same report; and the game, checked anew, is where it was.
    proxy.be_honest();
    browser.reload();
    let page = Page::of(&browser);
    let report = has_stopped(&page, "ne correspond pas au tirage scellé.", &ticket.number);
    assert!(report.contains("nonce") && report.contains(&ticket.id.to_string()), "{report}");
    page.says("Ce constat a été fait plus tôt, dans ce navigateur.");
    page.click(Role::Button, "Reprendre la partie");
    page.comes_to("Palier 1");
    page.pick(layout.good[2]);
    assert_eq!(service.look(&ticket).picks.len(), 3);
    browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
}

#[test]
fn a_true_opening_of_another_cell_is_not_taken_for_that_of_the_number_picked() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let proxy = Proxy::before(service.addr());
    let ticket = service.ticket(20);
    let page = begin(&browser, proxy.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let earlier = Mutex::new(None);
    let opening = |body: &str| {
        let from = body.find("{\"index\"").unwrap();
        from..from + body[from..].find('}').unwrap() + 1
    };
    // A server that would rather not open what was picked shows again what it has shown before.
    proxy.spoil(move |request, mut answer| {
        if request.path() == routes::PICKS {
            let body = answer.text().to_owned();
            let shown = earlier.lock().unwrap().get_or_insert_with(|| body[opening(&body)].to_owned()).clone();
            let at = opening(&body);
            answer.body = format!("{}{shown}{}", &body[..at.start], &body[at.end..]).into_bytes();
        }
        Fate::Answer(answer)
    });
    page.pick(layout.good[0]);
    let losing = layout.losing[0];
    page.click_number(losing);
    let says = format!("La preuve du numéro {} ne correspond pas au tirage scellé.", losing.get());
    has_stopped(&page, &says, &ticket.number);
    browser.assert_clean(&[proxy.addr()], &ticket.code, &[]);
}
