//! The root component: shows the screen of the moment, and hands what the player does to the shell.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::components::use_stage;
use crate::model::{Action, Screen};
use crate::shell::Shell;
use crate::state::Input;

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
fn App(Props { shell }: &Props) -> Html {
    let screen = use_state(|| shell.screen());
    use_effect_with((), {
        let (shell, screen) = (Rc::clone(shell), screen.clone());
        move |()| {
            let setter = screen.setter();
            shell.show_by(Callback::from(move |screen: Rc<Screen>| setter.set(screen)));
            // Something may have happened since the first rendering.
            screen.set(shell.screen());
        }
    });
    let act = use_callback((), {
        let shell = Rc::clone(shell);
        move |action: Action, ()| shell.give(Input::Act(action))
    });
    use_stage(&screen, &act)
}

/// Starts the app in the place of the static page.
pub fn run() {
    let Some(root) = browser::document().and_then(|document| document.get_element_by_id("app")) else { return };
    let (shell, focused) = Shell::start();
    yew::Renderer::<App>::with_root_and_props(root, Props { shell }).render();
    if focused {
        // Who was typing goes on typing.
        browser::after(0, Box::new(|| browser::focus("code")));
    }
}
