//! How it lies on the screen, and what a first visit asks of the world.

use rules::Palier;
use serde_json::json;
use system_tests::page::{Page, Role};
use system_tests::{Browser, Service, Size};

use crate::{address, begin};

/// Nothing is wider than the window, and what can be pressed is large enough for a finger.
#[track_caller]
fn fits(browser: &Browser, moment: &str) {
    let script = r"
        const [width] = arguments;
        const wide = document.scrollingElement.scrollWidth - width;
        const out = [...document.querySelectorAll('main *, .foot *')].filter((e) => e.checkVisibility() && !e.closest('.vh, svg'))
            .filter((e) => { const r = e.getBoundingClientRect(); return r.width > 0 && (r.right > width + 0.5 || r.left < -0.5); })
            .map((e) => `${e.getBoundingClientRect().right}: ${e.outerHTML.slice(0, 120)}`);
        const small = [...document.querySelectorAll('main button, main input, main a.btn')].filter((e) => e.checkVisibility())
            .filter((e) => { const r = (e.closest('label') || e).getBoundingClientRect(); const least = e.matches('.cell, .btn, .pick') ? 44 : 24; return r.width < least - 0.5 || r.height < least - 0.5; })
            .map((e) => e.outerHTML.slice(0, 120));
        return [innerWidth, wide, out, small];
    ";
    let width = Size::NARROWEST.width;
    let found = browser.run(script, json!([width]));
    assert_eq!(found, json!([width, 0, [], []]), "{moment}: width, what scrolls sideways, lies outside, is too small");
}

#[test]
fn nothing_scrolls_sideways_and_every_button_has_room_for_a_finger_at_320_pixels() {
    let (service, browser) = (Service::start(), Browser::open(Size::NARROWEST));
    // The longest amounts that there are.
    let ticket = service.ticket(50_000);
    let page = Page::open(&browser, &address(service.addr()));
    fits(&browser, "code entry");
    page.enter("ABC");
    page.says("Code incomplet");
    fits(&browser, "code entry with a slip");
    page.enter_ticket(&ticket);
    fits(&browser, "stake");
    page.ask_to_go_on();
    fits(&browser, "the question before CONTINUER");
    page.click(Role::Button, "CONTINUER");
    page.comes_to("Palier 1");
    fits(&browser, "grid");
    let layout = service.layout_of_begun(&ticket);
    let deeds = layout.win_at(Palier::Four);
    page.play(&deeds[1..7]);
    page.comes_to("Palier 1 atteint !");
    fits(&browser, "palier");
    page.play(&deeds[7..]);
    page.comes_to("Gagné : 800 000 €");
    fits(&browser, "won");
    page.click(Role::Button, "Revoir la partie");
    page.comes_to("Revoir la partie");
    fits(&browser, "replay");
    page.click(Role::Button, "Voir ce qui a été vérifié");
    page.comes_to("Tout est exact");
    fits(&browser, "what was verified");
    page.click(Role::Link, "Revenir au jeu");
    page.click(Role::Button, "Entrer un autre code");
    let ticket = service.ticket(50_000);
    page.enter_ticket(&ticket);
    page.go_on();
    page.play(&service.layout_of_begun(&ticket).lose_after(15)[1..]);
    page.comes_to("Perdu");
    fits(&browser, "lost");
    page.click(Role::Link, "Vérifier une partie enregistrée");
    page.comes_to("Vérifier une partie");
    fits(&browser, "verifier");
    browser.choose_file("vide.json", b"{}");
    page.says("Ce n’est pas une partie enregistrée");
    fits(&browser, "verifier, with a file that is no game");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn the_grid_stays_where_it_is_while_it_is_played() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let layout = service.layout_of_begun(&ticket);
    let place = || {
        browser.run(
            "const r = document.querySelector('[role=group]').getBoundingClientRect(); return [r.left, r.top + scrollY, r.width, r.height].map(Math.round)",
            json!([]),
        )
    };
    let at_first = place();
    // Those of the longest names: vingt-quatre, vingt-cinq…
    for number in layout.good.iter().rev().take(5) {
        page.click_number(*number);
        assert_eq!(place(), at_first, "while {number:?} is pending, or just known");
        page.is_settled(*number);
        assert_eq!(place(), at_first, "once {number:?} is known");
    }
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}

#[test]
fn a_telephone_number_is_never_broken_over_two_lines() {
    let (service, browser) = (Service::start(), Browser::open(Size::NARROWEST));
    let _ = Page::open(&browser, &address(service.addr()));
    // Each number in whatever element it stands, at every width that a telephone has.
    let script = r"
        const broken = [];
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node; (node = walker.nextNode()); ) {
            for (const found of node.data.matchAll(/09[-   ]74[-   ]75[-   ]13[-   ]13/g)) {
                const range = document.createRange();
                range.setStart(node, found.index);
                range.setEnd(node, found.index + found[0].length);
                for (let width = 200; width <= 600; width += 4) {
                    document.body.style.width = `${width}px`;
                    broken.push([width, new Set([...range.getClientRects()].map((r) => r.top)).size]);
                }
                document.body.style.width = '';
            }
        }
        return [broken.length, broken.filter(([, lines]) => lines > 1)];
    ";
    let found = browser.run(script, json!([]));
    assert_eq!(found, json!([202, []]), "two numbers at each width, and where one is broken");
}

#[test]
fn a_first_visit_asks_nothing_of_anyone_else_and_leaves_nothing_behind() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let page = Page::open(&browser, &address(service.addr()));
    page.comes_to("Entrez le code de votre ticket");
    page.says("Jouer comporte des risques : endettement, isolement, dépendance.");
    page.says("09-74-75-13-13");
    browser.assert_clean(&[service.addr()], "no code was typed", &[]);
    let kept = browser.run("return [document.cookie, {...localStorage}, {...sessionStorage}]", json!([]));
    assert_eq!(kept, json!(["", {}, {}]));
    let entries = browser.run("return performance.getEntriesByType('resource').map((e) => e.name)", json!([]));
    for entry in entries.as_array().unwrap() {
        assert!(entry.as_str().unwrap().starts_with(&format!("http://{}/", service.addr())), "{entry}");
    }
}

#[test]
fn the_code_is_kept_nowhere_once_its_ticket_is_open() {
    let (service, browser) = (Service::start(), Browser::open(Size::PHONE));
    let ticket = service.ticket(20);
    let page = begin(&browser, service.addr(), &ticket);
    page.go_on();
    let kept = browser.run(
        "return JSON.stringify([location.href, document.cookie, {...localStorage}, {...sessionStorage}, history.state, document.documentElement.outerHTML])",
        json!([]),
    );
    let squeezed: String = kept.as_str().unwrap().chars().filter(char::is_ascii_alphanumeric).collect();
    assert!(!squeezed.to_uppercase().contains(&ticket.code), "the code is kept");
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}
