//! What the page asks of the browser, each in a few lines: its address, its clock, its timers, its events, a file to save.

use core::cell::Cell;

use js_sys::{Array, Date, JsString};
use rules::Timestamp;
use seal::ClientSeed;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Document, HtmlElement, HtmlInputElement, Storage, Url, Window};

use crate::storage::Store;

/// What the fragment may be besides a code: the places of the page, which `www/boot.js` shows, and a bare `#`.
const PLACES: [&str; 2] = ["verifier", "revoir"];

/// A fragment shorter than this is no code, nor one that lost some of its characters.
const SHORTEST_CODE: usize = 12;

/// The window; there is none in a worker, where this app never runs.
#[must_use]
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
#[must_use]
pub fn document() -> Option<Document> {
    window()?.document()
}

/// The code that the address brought behind `#`, or what may have been one. Whatever stands there and is no place of the page is taken out of the
/// address bar, and of the history, at once.
#[must_use]
pub fn take_code() -> Option<String> {
    let window = window()?;
    let address = window.location().href().ok()?;
    let (clean, fragment) = address.split_once('#')?;
    if PLACES.contains(&fragment) {
        return None;
    }
    window.history().ok()?.replace_state_with_url(&JsValue::NULL, "", Some(clean)).ok()?;
    // Messengers and scanners escape the spaces between the groups of a code.
    let code = js_sys::decode_uri_component(fragment).map_or_else(|_| fragment.to_owned(), String::from);
    (code.len() >= SHORTEST_CODE).then_some(code)
}

/// Whether the element of this id is there and not hidden.
#[must_use]
pub fn is_shown(id: &str) -> bool {
    document()
        .and_then(|document| document.get_element_by_id(id))
        .is_some_and(|element| !element.has_attribute("hidden"))
}

/// Goes to a place of the page.
pub fn go_to(place: &str) {
    if let Some(window) = window() {
        // A fragment can always be set.
        let _ = window.location().set_hash(place);
    }
}

/// What the static page's form gathered before the app was there.
#[derive(Default)]
pub struct Early {
    /// What was typed.
    pub typed: String,
    /// It was submitted.
    pub submitted: bool,
    /// Its field had the focus.
    pub focused: bool,
}

/// Takes over from the static page.
#[must_use]
pub fn take_early() -> Early {
    let Some(document) = document() else { return Early::default() };
    let field = document.get_element_by_id("code").and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
    let focused = document.active_element().is_some_and(|element| element.id() == "code");
    let page = document.document_element();
    let submitted = page.as_ref().is_some_and(|page| page.get_attribute("data-submitted").is_some());
    if let Some(page) = page {
        let _ = page.set_attribute("data-boot", "ready");
    }
    Early { typed: field.map(|field| field.value()).unwrap_or_default(), submitted, focused }
}

/// Puts the focus on the element of this id.
pub fn focus(id: &str) {
    let element = document().and_then(|document| document.get_element_by_id(id));
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// A storage of the browser; none where it is blocked.
pub struct WebStorage(Option<Storage>);

impl WebStorage {
    /// For this tab, until it is closed.
    #[must_use]
    pub fn of_the_tab() -> Self {
        Self(window().and_then(|window| window.session_storage().ok()?))
    }

    /// For all tabs, until it is cleared.
    #[must_use]
    pub fn shared() -> Self {
        Self(window().and_then(|window| window.local_storage().ok()?))
    }
}

impl Store for WebStorage {
    fn read(&self, name: &str) -> Option<String> {
        self.0.as_ref()?.get_item(name).ok()?
    }
    fn write(&self, name: &str, text: &str) -> bool {
        self.0.as_ref().is_some_and(|storage| storage.set_item(name, text).is_ok())
    }
    fn remove(&self, name: &str) {
        if let Some(storage) = &self.0 {
            let _ = storage.remove_item(name);
        }
    }
}

thread_local! {
    /// How much the server's clock is ahead of this device's, in milliseconds.
    static AHEAD: Cell<i64> = const { Cell::new(0) };
}

/// The device's clock, in milliseconds.
fn device_millis() -> i64 {
    Date::now() as i64
}

/// The instant by the server's clock, as far as its answers told it: a device's own clock may be days wrong.
#[must_use]
pub fn now() -> Timestamp {
    Timestamp::from_millis(device_millis() + AHEAD.get())
}

/// An answer told the server's time (to the second, in the form of HTTP).
pub fn told_time(date: &str) {
    let server = Date::parse(date);
    if server.is_nan() {
        return;
    }
    let ahead = server as i64 - device_millis();
    // Less than that is the time of travel and the rounding.
    AHEAD.set(if ahead.abs() < 5_000 { 0 } else { ahead });
}

/// 32 bytes of the browser's cryptographic source.
#[must_use]
pub fn fresh_seed() -> Option<ClientSeed> {
    let mut bytes = [0; 32];
    window()?.crypto().ok()?.get_random_values_with_u8_array(&mut bytes).ok()?;
    Some(ClientSeed(bytes))
}

/// Does this after so many milliseconds.
pub fn after(millis: u32, then: Box<dyn FnOnce()>) {
    if let Some(window) = window() {
        let millis = i32::try_from(millis).unwrap_or(i32::MAX);
        let then = Closure::once_into_js(then);
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(then.unchecked_ref(), millis);
    }
}

/// Does this once the page has been painted; at once where it is not seen.
pub fn after_paint(then: Box<dyn FnOnce()>) {
    let Some(window) = window().filter(|_| is_visible()) else { return then() };
    let then: Box<dyn FnOnce()> = Box::new(move || after(0, then));
    let _ = window.request_animation_frame(Closure::once_into_js(then).unchecked_ref());
}

/// Whether the page is seen.
#[must_use]
pub fn is_visible() -> bool {
    document().is_some_and(|document| !document.hidden())
}

/// Whether the browser believes to be on line.
#[must_use]
pub fn is_online() -> bool {
    window().is_none_or(|window| window.navigator().on_line())
}

/// Does this at each of these events, for as long as the page is there.
pub fn on(events: &[&str], then: impl Fn() + 'static) {
    let then = Closure::<dyn Fn()>::new(then).into_js_value();
    let listen = |target: &web_sys::EventTarget, event: &str| {
        let _ = target.add_event_listener_with_callback(event, then.unchecked_ref());
    };
    for event in events {
        match (*event, window(), document()) {
            ("visibilitychange", _, Some(document)) => listen(&document, event),
            (_, Some(window), _) => listen(&window, event),
            _ => {}
        }
    }
}

/// Gives the player a file.
pub fn download(name: &str, text: &str) {
    let _ = try_download(name, text);
}

fn try_download(name: &str, text: &str) -> Option<()> {
    let blob = Blob::new_with_str_sequence(&Array::of(&[JsString::from(text)])).ok()?;
    let url = Url::create_object_url_with_blob(&blob).ok()?;
    let link = document()?.create_element("a").ok()?.dyn_into::<web_sys::HtmlAnchorElement>().ok()?;
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // Some browsers read the file a little later.
    let forget = move || {
        let _ = Url::revoke_object_url(&url);
    };
    after(60_000, Box::new(forget));
    Some(())
}
