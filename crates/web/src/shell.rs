//! The shell around the reducer: hands in what happens in the browser, and carries out what is wanted.

use core::cell::RefCell;
use std::rc::Rc;

use protocol::Client;
use wasm_bindgen_futures::spawn_local;
use yew::Callback;

use crate::browser::{self, WebStorage};
use crate::flow::{Call, Keeping, perform, ticket_of};
use crate::model::Screen;
use crate::net::{Wire, transport};
use crate::receipts::denies;
use crate::signatures::check;
use crate::state::{Answered, Effect, Input, State};
use crate::storage::{Kept, REVIEW, TOKEN, game_of, report_of};

/// The running app.
pub struct Shell {
    state: RefCell<State>,
    show: RefCell<Option<Callback<Rc<Screen>>>>,
    wire: Keeping<Wire>,
    tab: Kept<WebStorage>,
    shared: Kept<WebStorage>,
}

impl Shell {
    /// Takes over from the static page and starts; what is to be shown first can be read at once. Also tells whether the code's field had the
    /// focus.
    #[must_use]
    pub fn start() -> (Rc<Self>, bool) {
        let shell = Rc::new(Self {
            state: RefCell::default(),
            show: RefCell::default(),
            wire: Keeping::new(transport()),
            tab: Kept::new(WebStorage::of_the_tab()),
            shared: Kept::new(WebStorage::shared()),
        });
        let early = browser::take_early();
        let typed = Some(early.typed.clone()).filter(|typed| early.submitted && !typed.is_empty());
        shell.give(Input::Online(browser::is_online()));
        shell.give(Input::Start {
            code: browser::take_code().or(typed),
            typed: early.typed,
            token: shell.tab.read(TOKEN),
        });
        shell.listen();
        (shell, early.focused)
    }

    /// What stands on the tablet.
    #[must_use]
    pub fn screen(&self) -> Rc<Screen> {
        Rc::new(self.state.borrow().screen(browser::now()))
    }

    /// From now on every change is shown by this.
    pub fn show_by(&self, show: Callback<Rc<Screen>>) {
        self.show.replace(Some(show));
    }

    /// Hands something in.
    pub fn give(self: &Rc<Self>, input: Input) {
        let mut next = Some(input);
        while let Some(input) = next.take() {
            let effects = self.state.borrow_mut().take(input, browser::now());
            for effect in effects {
                next = self.carry_out(effect).or(next);
            }
        }
        if let Some(show) = &*self.show.borrow() {
            show.emit(self.screen());
        }
    }

    /// Carries out one thing; what is known at once is handed in next.
    fn carry_out(self: &Rc<Self>, effect: Effect) -> Option<Input> {
        let shell = Rc::clone(self);
        match effect {
            Effect::Send { id, call, token } => browser::after_paint(Box::new(move || {
                spawn_local(async move {
                    let result = perform(&Client::new(&shell.wire), &call, token.as_deref()).await;
                    let held = ticket_of(&result).and_then(|ticket| shell.shared.held(ticket));
                    let raw = shell.wire.take();
                    if let (Call::Transcript, Ok(_), Some(ticket)) = (&call, &result, ticket_of(&result))
                        && let Some(kept) = shell.shared.read(&game_of(ticket)).filter(|kept| denies(&raw, kept))
                    {
                        return shell.give(Input::Denied(ticket, [raw, kept].concat()));
                    }
                    shell.give(Input::Answered(Answered { id, result, raw, held }));
                });
            })),
            Effect::Wait(timer, millis) => browser::after(millis, Box::new(move || shell.give(Input::Rang(timer)))),
            Effect::Token(Some(token)) => self.tab.write(TOKEN, &token),
            Effect::Token(None) => self.tab.remove(TOKEN),
            Effect::Check(ticket, receipts) => spawn_local(async move {
                let verdict = check(&receipts).await;
                shell.give(Input::Checked(ticket, verdict));
            }),
            Effect::KeepGame(ticket, text) => self.shared.write(&game_of(ticket), &text),
            Effect::Hold(ticket, held) => self.shared.hold(ticket, &held),
            Effect::KeepReport(ticket, text) => self.shared.write(&report_of(ticket), &text),
            Effect::GiveReport { ticket, name } => {
                browser::download(&name, &self.shared.read(&report_of(ticket)).unwrap_or_default());
            }
            Effect::DrawSeed(ticket) => {
                // Without a cryptographic source no game can be started: every browser that runs this page has one.
                let held = self.shared.held(ticket);
                return browser::fresh_seed().map(|fresh| Input::Drawn { ticket, held, fresh });
            }
            Effect::Review(text) => {
                self.tab.write(REVIEW, &text);
                browser::go_to("revoir");
            }
            Effect::Download { name, text } => browser::download(&name, &text),
        }
        None
    }

    fn listen(self: &Rc<Self>) {
        let shell = Rc::clone(self);
        browser::on(&["visibilitychange", "focus", "pageshow", "storage"], move || {
            if browser::is_visible() {
                shell.give(Input::Woke);
            }
        });
        let shell = Rc::clone(self);
        browser::on(&["online", "offline"], move || shell.give(Input::Online(browser::is_online())));
        let shell = Rc::clone(self);
        browser::on(&["hashchange"], move || {
            if let Some(code) = browser::take_code() {
                shell.give(Input::Link(code));
            }
        });
    }
}
