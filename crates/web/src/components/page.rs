//! What of the page follows the moment, outside of what is drawn: the focus, and the window's title.

use wasm_bindgen::JsCast;
use web_sys::{Document, HtmlElement};

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

fn find(selector: &str) -> Option<HtmlElement> {
    document()?.query_selector(selector).ok()??.dyn_into().ok()
}

/// Moves the focus to the heading of the moment, so that it is read out and the next Tab goes on from there.
pub(super) fn focus_heading(root: &str) {
    if let Some(heading) = find(&[root, ":not([hidden]) h1"].concat()) {
        // A heading that cannot take the focus leaves it where it was.
        let _ = heading.focus();
    }
}

/// Names the window; while another place of the page is shown, once this one is shown again (`www/boot.js`).
pub(super) fn set_title(root: &str, title: &str, suffix: &str) {
    let (Some(document), Some(root)) = (document(), find(root)) else { return };
    let title = [title, suffix].concat();
    // An attribute of that name can always be set.
    let _ = root.set_attribute("data-title", &title);
    if !root.has_attribute("hidden") {
        document.set_title(&title);
    }
}
