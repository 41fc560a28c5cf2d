//! The page as its reader knows it: things have a role and a name, and say something.

use rules::Number;
use serde_json::json;

use crate::browser::{Browser, Element, element};
use crate::player::Deed;
use crate::process::eventually;
use crate::tickets::Ticket;

/// A role, as ARIA names them; and where elements of that role can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something to press.
    Button,
    /// Something to tick.
    Checkbox,
    /// A field for text.
    Textbox,
    /// A heading.
    Heading,
    /// A question that takes the whole window.
    Dialog,
    /// A slider.
    Slider,
    /// A way to another place.
    Link,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Self::Button => "button",
            Self::Checkbox => "checkbox",
            Self::Textbox => "textbox",
            Self::Heading => "heading",
            Self::Dialog => "dialog",
            Self::Slider => "slider",
            Self::Link => "link",
        }
    }

    const fn places(self) -> &'static str {
        match self {
            Self::Button => "button, [role=button]",
            Self::Checkbox => "input[type=checkbox]",
            Self::Textbox => "input[type=text]",
            Self::Heading => "h1, h2, h3",
            Self::Dialog => "dialog[open]",
            Self::Slider => "input[type=range]",
            Self::Link => "a[href]",
        }
    }
}

/// Finds visible elements that may have a name; whether one has it is for the browser to say.
const MAY_BE_NAMED: &str = r"
    const [places, name] = arguments;
    const squeezed = (text) => (text || '').replace(/\s+/g, ' ').trim();
    const texts = (e) => [e.getAttribute('aria-label'), e.textContent, ...[...(e.labels || [])].map((l) => l.textContent)];
    return [...document.querySelectorAll(places)].filter((e) => e.checkVisibility() && texts(e).some((t) => squeezed(t).includes(name)));
";

/// The heading that can be seen: the page has one in each of its places.
const HEADING: &str = "return [...document.querySelectorAll('h1')].find((h) => h.checkVisibility()) || null";

/// A tab of a browser that shows the page.
pub struct Page<'a> {
    browser: &'a Browser,
}

/// A text with each run of spaces, of whatever width, as one.
#[must_use]
pub fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl<'a> Page<'a> {
    /// The page of the tab that is driven, once its app has taken over.
    #[must_use]
    #[track_caller]
    pub fn of(browser: &'a Browser) -> Self {
        let ready = || {
            let state = browser.try_run("return document.documentElement.dataset.boot", json!([])).ok()?;
            (state == "ready").then_some(())
        };
        eventually("the app", ready, || browser.shown());
        Self { browser }
    }

    /// Goes to an address, and waits for the app.
    #[must_use]
    #[track_caller]
    pub fn open(browser: &'a Browser, url: &str) -> Self {
        browser.go(url);
        Self::of(browser)
    }

    /// The browser.
    #[must_use]
    pub const fn browser(&self) -> &'a Browser {
        self.browser
    }

    /// Everything that it shows, with single spaces.
    #[must_use]
    pub fn shown(&self) -> String {
        squeezed(&self.browser.shown())
    }

    /// Whether it shows this, now; in capitals or not, which is a matter of style.
    #[must_use]
    pub fn shows(&self, text: &str) -> bool {
        self.shown().to_lowercase().contains(&text.to_lowercase())
    }

    /// Waits until it shows this.
    #[track_caller]
    pub fn says(&self, text: &str) {
        eventually(&format!("« {text} »"), || self.shows(text).then_some(()), || self.browser.shown());
    }

    /// The heading of the moment, which also has its role for a screen reader.
    #[must_use]
    pub fn heading(&self) -> Option<String> {
        let found = self.browser.try_run(HEADING, json!([])).ok()?;
        let found = (!found.is_null()).then(|| element(&found))?;
        (self.browser.role(&found).ok()? == "heading").then_some(())?;
        Some(squeezed(&self.browser.name(&found).ok()?))
    }

    /// Waits for a moment with this heading.
    #[track_caller]
    pub fn comes_to(&self, heading: &str) {
        let is_there = || (self.heading().as_deref() == Some(heading)).then_some(());
        eventually(&format!("the moment « {heading} »"), is_there, || self.browser.shown());
    }

    /// Something with exactly this name, that can be seen and reached.
    #[must_use]
    pub fn find(&self, role: Role, name: &str) -> Option<Element> {
        let may_be = self.browser.try_run(MAY_BE_NAMED, json!([role.places(), name])).ok()?;
        may_be.as_array()?.iter().map(element).find(|found| {
            let is_named = self.browser.name(found).is_ok_and(|named| squeezed(&named) == name);
            is_named && self.browser.role(found).is_ok_and(|has| has == role.name())
        })
    }

    /// Waits for it.
    #[must_use]
    #[track_caller]
    pub fn the(&self, role: Role, name: &str) -> Element {
        eventually(&format!("a {} « {name} »", role.name()), || self.find(role, name), || self.browser.shown())
    }

    /// Waits until it can be clicked, and clicks it.
    #[track_caller]
    pub fn click(&self, role: Role, name: &str) {
        self.activate(role, name, |found| self.browser.click(found).is_ok());
    }

    /// Waits until it can be tapped, and taps it with a finger.
    #[track_caller]
    pub fn tap(&self, role: Role, name: &str) {
        self.activate(role, name, |found| self.browser.reaches(found) && self.browser.tap(found).is_ok());
    }

    #[track_caller]
    fn activate(&self, role: Role, name: &str, mut activated: impl FnMut(&Element) -> bool) {
        let mut go = || {
            let found = self.find(role, name)?;
            let at_rest = self.browser.attribute(&found, "aria-disabled").ok()?;
            (at_rest.as_deref() != Some("true") && activated(&found)).then_some(())
        };
        eventually(&format!("a {} « {name} » at work", role.name()), &mut go, || self.browser.shown());
    }

    /// Types a code, without sending it.
    #[track_caller]
    pub fn type_code(&self, code: &str) {
        let field = self.the(Role::Textbox, "Votre code");
        let typed = self
            .browser
            .try_run("arguments[0].focus(); arguments[0].select()", json!([crate::browser::reference(&field)]));
        typed.unwrap_or_else(|refused| panic!("{refused}"));
        self.browser.type_text(code);
    }

    /// Types a code and sends it.
    #[track_caller]
    pub fn enter(&self, code: &str) {
        self.type_code(code);
        self.click(Role::Button, "Ouvrir mon ticket");
    }

    /// Enters a ticket's code and comes to its stake.
    #[track_caller]
    pub fn enter_ticket(&self, ticket: &Ticket) {
        self.enter(&ticket.grouped());
        self.comes_to("Votre gain potentiel");
    }

    /// CONTINUER, at the stake or on a palier, with all that is asked; and comes to the grid.
    #[track_caller]
    pub fn go_on(&self) {
        self.ask_to_go_on();
        self.click(Role::Button, "CONTINUER");
        let at_grid = || self.heading().is_some_and(|heading| is_grid(&heading)).then_some(());
        eventually("the grid", at_grid, || self.browser.shown());
    }

    /// CONTINUER, up to the last question; the age is declared where it is asked for.
    #[track_caller]
    pub fn ask_to_go_on(&self) {
        let first = self.heading().as_deref() == Some("Votre gain potentiel");
        self.click(Role::Button, "CONTINUER");
        let asked = || self.browser.all("dialog[open]").into_iter().next();
        let dialog = eventually("a dialog", asked, || self.browser.shown());
        let name = squeezed(&self.browser.name(&dialog).unwrap_or_default());
        assert!(name.starts_with("Remettre ") && name.ends_with(" en jeu ?"), "the dialog is named {name:?}");
        if first {
            self.click(Role::Checkbox, "J’ai 18 ans ou plus, et je sais que ce choix est irrévocable.");
        }
    }

    /// QUITTER on a palier, confirmed; and comes to the end.
    #[track_caller]
    pub fn quit(&self) {
        self.click(Role::Button, "QUITTER");
        let asked = || self.browser.all("dialog[open]").into_iter().next();
        eventually("a dialog", asked, || self.browser.shown());
        self.click(Role::Button, "QUITTER");
        let over = || self.heading().is_some_and(|heading| heading.starts_with("Gagné : ")).then_some(());
        eventually("the end", over, || self.browser.shown());
    }

    /// What a number of the grid is, in the words of its name: « bon numéro ».
    #[must_use]
    pub fn cell(&self, number: Number) -> Option<String> {
        let found = self.cell_element(number)?;
        let name = squeezed(&self.browser.name(&found).ok()?);
        name.split_once(", ").map(|(_, state)| state.to_owned())
    }

    fn cell_element(&self, number: Number) -> Option<Element> {
        let script =
            "return document.querySelector(`main:not([hidden]) [role=group] [aria-label^=\"${arguments[0]}, \"]`)";
        let found = self.browser.try_run(script, json!([number.get()])).ok()?;
        (!found.is_null()).then(|| element(&found))
    }

    /// What all thirty numbers are.
    #[must_use]
    #[track_caller]
    pub fn cells(&self) -> Vec<String> {
        let read = || Number::all().map(|number| self.cell(number)).collect::<Option<Vec<_>>>();
        eventually("the grid", read, || self.browser.shown())
    }

    /// Clicks a number, without waiting for what it is.
    #[track_caller]
    pub fn click_number(&self, number: Number) {
        self.click(Role::Button, &format!("{}, à choisir", number.get()));
    }

    /// Picks a number, and waits until it is known what it is.
    #[track_caller]
    pub fn pick(&self, number: Number) {
        self.click_number(number);
        self.is_settled(number);
    }

    /// Waits until it is known what a picked number is: the grid says so, or another moment has come.
    #[track_caller]
    pub fn is_settled(&self, number: Number) {
        let known = || {
            let heading = self.heading()?;
            let state = self.cell(number);
            (!is_grid(&heading) || matches!(state.as_deref(), Some("bon numéro" | "numéro perdant"))).then_some(())
        };
        eventually(&format!("what {} is", number.get()), known, || self.browser.shown());
    }

    /// Plays on.
    #[track_caller]
    pub fn play(&self, deeds: &[Deed]) {
        for deed in deeds {
            match *deed {
                Deed::GoOn => self.go_on(),
                Deed::Pick(number) => self.pick(number),
                Deed::Quit => self.quit(),
            }
        }
    }
}

/// Whether a heading is that of the grid in play: « Palier 2 ».
fn is_grid(heading: &str) -> bool {
    heading.strip_prefix("Palier ").is_some_and(|rank| rank.len() == 1)
}
