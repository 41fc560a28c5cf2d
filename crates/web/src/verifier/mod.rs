//! Verifying a saved game, and seeing it again step by step: a program of its own, which the page loads only where it is asked for
//! (`www/boot.js`), so that who plays does not wait for it. It sends nothing anywhere.
//!
//! [`state`] is its reducer, [`model`] what it shows, [`account`] what is said of a game that was checked; `components` draws it.

mod account;
pub mod model;
pub mod state;

use core::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, HtmlInputElement};
use yew::prelude::*;

use self::model::{Action, Screen, Trouble};
use self::state::{Effect, Input, LARGEST, State};
use crate::browser::{self, WebStorage};
use crate::components::use_verifier;
use crate::storage::{REVIEW, Store};

/// The fragment of the replay of a game that this tab has just played.
const REVIEW_PLACE: &str = "#revoir";

/// The id of the field that asks for a file.
pub(crate) const FILE_FIELD: &str = "file";

/// The running verifier.
struct Shell {
    state: RefCell<State>,
    show: RefCell<Option<Callback<Rc<Screen>>>>,
}

impl Shell {
    fn start() -> Rc<Self> {
        let shell = Rc::new(Self { state: RefCell::default(), show: RefCell::default() });
        shell.arrive();
        shell.listen();
        shell
    }

    /// Somebody comes to this place of the page: for a game that was handed over, or for a file.
    fn arrive(self: &Rc<Self>) {
        let place = browser::window().and_then(|window| window.location().hash().ok()).unwrap_or_default();
        self.give(if place == REVIEW_PLACE {
            Input::Handed(WebStorage::of_the_tab().read(REVIEW))
        } else {
            Input::Asked
        });
    }

    fn give(self: &Rc<Self>, input: Input) {
        let effects = self.state.borrow_mut().take(input);
        for effect in effects {
            match effect {
                Effect::Wait(play, millis) => {
                    let shell = Rc::clone(self);
                    browser::after(millis, Box::new(move || shell.give(Input::Rang(play))));
                }
                Effect::Choose => choose(),
            }
        }
        if let Some(show) = &*self.show.borrow() {
            show.emit(Rc::new(self.state.borrow().screen()));
        }
    }

    /// Reads a file, here; nothing is sent.
    fn read(self: &Rc<Self>, file: File) {
        let shell = Rc::clone(self);
        if file.size() > LARGEST {
            return shell.give(Input::Refused(Trouble::TooLarge));
        }
        let name = file.name();
        shell.give(Input::Reading);
        spawn_local(async move {
            let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
            shell.give(match text {
                Some(text) => Input::Read { name, text },
                None => Input::Refused(Trouble::Unreadable),
            });
        });
    }

    fn listen(self: &Rc<Self>) {
        let shell = Rc::clone(self);
        browser::on(&["hashchange"], move || {
            if browser::is_shown(ROOT) {
                shell.arrive();
            }
        });
        // A file may be dropped anywhere: beside the field, the browser would leave the page for it.
        let shell = Rc::clone(self);
        let dropped = Closure::<dyn Fn(DragEvent)>::new(move |event: DragEvent| {
            if !browser::is_shown(ROOT) {
                return;
            }
            event.prevent_default();
            if event.type_() == "drop"
                && let Some(file) = event.data_transfer().and_then(|carried| carried.files()?.item(0))
            {
                shell.read(file);
            }
        });
        let dropped = dropped.into_js_value();
        for event in ["dragover", "drop"] {
            if let Some(window) = browser::window() {
                let _ = window.add_event_listener_with_callback(event, dropped.unchecked_ref());
            }
        }
    }
}

/// The id of the element that it is drawn into.
const ROOT: &str = "verify";

/// Opens the browser's own choice of a file.
fn choose() {
    if let Some(field) = field() {
        // The same file may be chosen again, after it was mended.
        field.set_value("");
        field.click();
    }
}

fn field() -> Option<HtmlInputElement> {
    browser::document()?.get_element_by_id(FILE_FIELD)?.dyn_into().ok()
}

#[derive(Properties)]
struct Props {
    shell: Rc<Shell>,
}

impl PartialEq for Props {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.shell, &other.shell)
    }
}

#[component]
fn Verifier(Props { shell }: &Props) -> Html {
    let screen = use_state(|| Rc::new(shell.state.borrow().screen()));
    use_effect_with((), {
        let (shell, screen) = (Rc::clone(shell), screen.clone());
        move |()| {
            let setter = screen.setter();
            shell.show.replace(Some(Callback::from(move |screen: Rc<Screen>| setter.set(screen))));
            screen.set(Rc::new(shell.state.borrow().screen()));
        }
    });
    let act = use_callback((), {
        let shell = Rc::clone(shell);
        move |action: Action, ()| match action {
            Action::Chosen => {
                if let Some(file) = field().and_then(|field| field.files()?.item(0)) {
                    shell.read(file);
                }
            }
            action => shell.give(Input::Act(action)),
        }
    });
    use_verifier(&screen, &act)
}

/// Starts it in its place of the page.
pub fn run() {
    let Some(root) = browser::document().and_then(|document| document.get_element_by_id(ROOT)) else { return };
    yew::Renderer::<Verifier>::with_root_and_props(root, Props { shell: Shell::start() }).render();
}
