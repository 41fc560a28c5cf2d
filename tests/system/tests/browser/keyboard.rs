//! A whole game by keyboard alone, from the code to the end.

use rules::{Number, Palier};
use serde_json::json;
use system_tests::page::{Page, squeezed};
use system_tests::{Browser, Deed, Key, Service, Size, eventually};

use crate::{address, eur, shows_the_whole_draw};

/// More than all that can have the focus on one screen.
const MOST_STEPS: usize = 80;

/// What has the focus: its role and its name.
fn focus(browser: &Browser) -> Option<(String, String)> {
    let focused = browser.focused().ok()?;
    Some((browser.role(&focused).ok()?, squeezed(&browser.name(&focused).ok()?)))
}

/// Goes from one thing to the next with this key until the focus is on the wanted one.
#[track_caller]
fn reach(browser: &Browser, by: Key, role: &str, name: &str) {
    let mut met = Vec::new();
    for _ in 0..MOST_STEPS {
        let at = focus(browser);
        if at.as_ref().is_some_and(|(r, n)| r == role && n == name) {
            return;
        }
        met.push(at);
        browser.press([by]);
    }
    panic!("by {by:?} the focus never comes to the {role} « {name} », but to: {met:#?}");
}

/// Within the grid, goes to a number by the arrows.
#[track_caller]
fn walk_to(browser: &Browser, from: Number, to: Number) {
    let (row, column) = (|n: Number| n.index() / 6, |n: Number| n.index() % 6);
    let steps = |from: usize, to: usize, less, more| {
        std::iter::repeat_n(if to < from { less } else { more }, from.abs_diff(to))
    };
    let vertical = steps(row(from), row(to), Key::Up, Key::Down);
    browser.press(vertical.chain(steps(column(from), column(to), Key::Left, Key::Right)));
    let name = format!("{}, ", to.get());
    assert!(
        focus(browser).is_some_and(|(_, at)| at.starts_with(&name)),
        "from {from:?} to {to:?}: {:?}",
        focus(browser)
    );
}

#[test]
fn a_whole_game_is_played_by_keyboard_alone_and_the_focus_is_never_lost() {
    let (service, browser) = (Service::start(), Browser::open(Size::DESKTOP));
    let ticket = service.ticket(100);
    let page = Page::open(&browser, &address(service.addr()));
    reach(&browser, Key::Tab, "textbox", "Votre code");
    browser.type_text(&ticket.grouped());
    browser.press([Key::Enter]);
    page.comes_to("Votre gain potentiel");
    // Each moment begins at its heading.
    assert_eq!(focus(&browser).unwrap().1, "Votre gain potentiel");
    reach(&browser, Key::Tab, "button", "CONTINUER");
    browser.press([Key::Enter]);
    // Escape leaves the question, and gives the focus back.
    page.says("Vous renoncez à 100 €, définitivement.");
    browser.press([Key::Escape]);
    eventually("the focus", || (focus(&browser)?.1 == "CONTINUER").then_some(()), || format!("{:?}", focus(&browser)));
    assert!(!page.shows("définitivement"));
    browser.press([Key::Space]);
    page.says("Vous renoncez à 100 €, définitivement.");
    reach(&browser, Key::Tab, "checkbox", "J’ai 18 ans ou plus, et je sais que ce choix est irrévocable.");
    browser.press([Key::Space]);
    reach(&browser, Key::Tab, "button", "CONTINUER");
    browser.press([Key::Enter]);
    page.comes_to("Palier 1");

    let layout = service.layout_of_begun(&ticket);
    let mut at = None;
    for deed in &layout.win_at(Palier::Two)[1..] {
        match *deed {
            Deed::Pick(number) => {
                match at {
                    // By Tab into the grid, and on to the number; then by the arrows, or back by Shift and Tab.
                    None => reach(&browser, Key::Tab, "button", &format!("{}, à choisir", number.get())),
                    Some(from) if number.get() % 2 == 0 => walk_to(&browser, from, number),
                    Some(_) => {
                        let last = Number::all().last().unwrap();
                        walk_to(&browser, at.unwrap(), last);
                        reach(&browser, Key::BackTab, "button", &format!("{}, à choisir", number.get()));
                    }
                }
                browser.press([if number.get() % 2 == 0 { Key::Enter } else { Key::Space }]);
                page.is_settled(number);
                at = Some(number);
                if page.cell(number).is_some_and(|state| state == "bon numéro") {
                    let here = focus(&browser).unwrap().1;
                    assert_eq!(here, format!("{}, bon numéro", number.get()), "the focus stays on the number");
                } else {
                    at = None;
                }
            }
            Deed::GoOn => {
                eventually(
                    "the heading's focus",
                    || (focus(&browser)?.1 == "Palier 1 atteint !").then_some(()),
                    String::new,
                );
                reach(&browser, Key::Tab, "button", "CONTINUER");
                browser.press([Key::Enter]);
                page.says("Vous renoncez à");
                reach(&browser, Key::Tab, "button", "CONTINUER");
                browser.press([Key::Enter]);
                page.comes_to("Palier 2");
                at = None;
            }
            Deed::Quit => {
                page.comes_to("Palier 2 atteint !");
                reach(&browser, Key::Tab, "button", "QUITTER");
                browser.press([Key::Space]);
                page.says("La partie sera gagnée et finie");
                reach(&browser, Key::Tab, "button", "QUITTER");
                browser.press([Key::Space]);
            }
        }
    }
    let heading = format!("Gagné : {}", eur(layout.gains_eur[1]));
    page.comes_to(&heading);
    eventually(
        "the heading's focus",
        || (focus(&browser)?.1 == heading).then_some(()),
        || format!("{:?}", focus(&browser)),
    );
    shows_the_whole_draw(&page, &service, &ticket);
    reach(&browser, Key::Tab, "button", "Revoir la partie");
    browser.press([Key::Enter]);
    page.comes_to("Revoir la partie");
    eventually(
        "the heading's focus",
        || (focus(&browser)?.1 == "Revoir la partie").then_some(()),
        || format!("{:?}", focus(&browser)),
    );
    // Step by step, by the slider, and by itself: with nothing but keys.
    reach(&browser, Key::Tab, "button", "Suivant");
    browser.press([Key::Enter]);
    page.says("Étape 2 sur");
    reach(&browser, Key::BackTab, "button", "Précédent");
    browser.press([Key::Space]);
    page.says("Étape 1 sur");
    reach(&browser, Key::Tab, "slider", "Étape");
    browser.press([Key::Right, Key::Right, Key::Right]);
    page.says("Étape 4 sur");
    reach(&browser, Key::Tab, "button", "×4");
    browser.press([Key::Enter]);
    let pressed =
        browser.run("return document.querySelector('main:not([hidden]) [aria-pressed=true]').textContent", json!([]));
    assert_eq!(pressed, "×4");
    reach(&browser, Key::BackTab, "button", "Lire");
    browser.press([Key::Enter]);
    let steps = layout.win_at(Palier::Two).len();
    page.says(&format!("Étape {steps} sur {steps}"));
    page.says("Gain de la partie");
    // Each step by hand was said, politely.
    reach(&browser, Key::BackTab, "button", "Précédent");
    browser.press([Key::Enter]);
    let said =
        || browser.run("return document.querySelector('main:not([hidden]) [role=status]').textContent", json!([]));
    let last_but_one = format!("Étape {} sur {steps}.", steps - 1);
    eventually("what is said", || said().as_str()?.contains(&last_but_one).then_some(()), || said().to_string());
    reach(&browser, Key::Tab, "link", "Revenir au jeu");
    browser.press([Key::Enter]);
    page.comes_to(&heading);
    browser.assert_clean(&[service.addr()], &ticket.code, &[]);
}
