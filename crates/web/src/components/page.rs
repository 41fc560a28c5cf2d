//! What of the page follows the moment, outside of what is drawn: the focus, and the window's title.

use wasm_bindgen::JsCast;
use web_sys::{Document, HtmlElement};

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

/// Moves the focus to the heading of the moment, so that it is read out and the next Tab goes on from there.
pub(super) fn focus_heading() {
    let heading = document().and_then(|d| d.query_selector("#app h1").ok().flatten());
    if let Some(heading) = heading.and_then(|h| h.dyn_into::<HtmlElement>().ok()) {
        // A heading that cannot take the focus leaves it where it was.
        let _ = heading.focus();
    }
}

/// Names the window.
pub(super) fn set_title(title: &str, suffix: &str) {
    if let Some(document) = document() {
        document.set_title(&[title, suffix].concat());
    }
}
