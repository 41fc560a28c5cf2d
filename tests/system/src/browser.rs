//! A browser, driven over WebDriver (<https://www.w3.org/TR/webdriver2/>), in a fresh profile.

use std::collections::BTreeSet;
use std::fmt;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::engine::{Engine, Size};
use crate::http::{Message, get, send};
use crate::process::{Process, eventually};

/// The name under which WebDriver refers to elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser with one session; everything of it goes with the value.
pub struct Browser {
    driver: Process,
    addr: SocketAddr,
    session: String,
    engine: Engine,
    seen: Mutex<Seen>,
    downloads: TempDir,
    /// Kept for as long as the browser runs.
    profile: TempDir,
}

/// What the browser has logged so far.
#[derive(Default)]
struct Seen {
    console: Vec<String>,
    requested: Vec<String>,
}

/// An element of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element(String);

/// Why a command was not done.
#[derive(Debug)]
pub struct Refused {
    /// WebDriver's name of the error.
    pub error: String,
    message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error, self.message)
    }
}

/// What a command gives.
pub type Done<T> = Result<T, Refused>;

/// A key of the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Enter.
    Enter,
    /// The space bar.
    Space,
    /// Escape.
    Escape,
    /// The arrow to the left.
    Left,
    /// The arrow to the right.
    Right,
    /// The arrow up.
    Up,
    /// The arrow down.
    Down,
    /// A key that writes this.
    Char(char),
}

impl Key {
    const fn code(self) -> char {
        match self {
            Self::Tab | Self::BackTab => '\u{e004}',
            Self::Enter => '\u{e007}',
            Self::Space => ' ',
            Self::Escape => '\u{e00c}',
            Self::Left => '\u{e012}',
            Self::Up => '\u{e013}',
            Self::Right => '\u{e014}',
            Self::Down => '\u{e015}',
            Self::Char(c) => c,
        }
    }
}

impl Browser {
    /// Opens a browser with nothing in it.
    ///
    /// # Panics
    /// The driver or the browser does not start.
    #[must_use]
    #[track_caller]
    pub fn open(size: Size) -> Self {
        let engine = Engine::from_environment();
        let folder = |prefix| tempfile::Builder::new().prefix(prefix).tempdir().unwrap();
        let (profile, downloads) = (folder("qod-test-profile-"), folder("qod-test-downloads-"));
        let (driver, addr) = start_driver(engine);
        let capabilities = engine.capabilities(size, profile.path(), downloads.path());
        let body = json!({"capabilities": {"alwaysMatch": capabilities}});
        let made = command(addr, "POST", "/session", &body);
        let made = made.unwrap_or_else(|refused| panic!("no session: {refused}\n{}", driver.printed()));
        let session = made["sessionId"].as_str().expect("a session's id").to_owned();
        Self { driver, addr, session, engine, seen: Mutex::default(), downloads, profile }
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Done<Value> {
        command(self.addr, method, &format!("/session/{}{path}", self.session), body)
    }

    #[track_caller]
    fn must(&self, method: &str, path: &str, body: &Value) -> Value {
        self.ask(method, path, body).unwrap_or_else(|refused| panic!("{method} {path}: {refused}"))
    }

    /// Goes to an address.
    #[track_caller]
    pub fn go(&self, url: &str) {
        self.must("POST", "/url", &json!({"url": url}));
    }

    /// What stands in the address bar.
    #[must_use]
    #[track_caller]
    pub fn url(&self) -> String {
        self.must("GET", "/url", &Value::Null).as_str().unwrap().to_owned()
    }

    /// The window's title.
    #[must_use]
    #[track_caller]
    pub fn title(&self) -> String {
        self.must("GET", "/title", &Value::Null).as_str().unwrap().to_owned()
    }

    /// Reloads the page.
    #[track_caller]
    pub fn reload(&self) {
        self.must("POST", "/refresh", &json!({}));
    }

    /// Goes back in the history.
    #[track_caller]
    pub fn back(&self) {
        self.must("POST", "/back", &json!({}));
    }

    /// Opens another tab, and turns to it.
    #[must_use]
    #[track_caller]
    pub fn new_tab(&self) -> String {
        let made = self.must("POST", "/window/new", &json!({"type": "tab"}));
        let tab = made["handle"].as_str().unwrap().to_owned();
        self.turn_to(&tab);
        tab
    }

    /// The tab that is driven.
    #[must_use]
    #[track_caller]
    pub fn tab(&self) -> String {
        self.must("GET", "/window", &Value::Null).as_str().unwrap().to_owned()
    }

    /// Turns to another tab.
    #[track_caller]
    pub fn turn_to(&self, tab: &str) {
        self.must("POST", "/window", &json!({"handle": tab}));
    }

    /// Runs a script in the page.
    ///
    /// # Errors
    /// It fails, or an element that it is given is there no more.
    pub fn try_run(&self, script: &str, arguments: Value) -> Done<Value> {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": arguments}))
    }

    /// Runs a script in the page.
    #[track_caller]
    pub fn run(&self, script: &str, arguments: Value) -> Value {
        self.try_run(script, arguments).unwrap_or_else(|refused| panic!("{refused}"))
    }

    /// The elements of a selector, in the document's order.
    #[must_use]
    #[track_caller]
    pub fn all(&self, selector: &str) -> Vec<Element> {
        let found = self.must("POST", "/elements", &json!({"using": "css selector", "value": selector}));
        found.as_array().unwrap().iter().map(element).collect()
    }

    /// The element that has the focus.
    ///
    /// # Errors
    /// None has.
    pub fn focused(&self) -> Done<Element> {
        self.ask("GET", "/element/active", &Value::Null).map(|found| element(&found))
    }

    /// An element's accessible name, as the browser computes it.
    ///
    /// # Errors
    /// It is there no more.
    pub fn name(&self, element: &Element) -> Done<String> {
        self.of(element, "/computedlabel")
    }

    /// An element's role, as the browser computes it.
    ///
    /// # Errors
    /// It is there no more.
    pub fn role(&self, element: &Element) -> Done<String> {
        self.of(element, "/computedrole")
    }

    /// What an element shows.
    ///
    /// # Errors
    /// It is there no more.
    pub fn text(&self, element: &Element) -> Done<String> {
        self.of(element, "/text")
    }

    /// An attribute of an element; none where it has none.
    ///
    /// # Errors
    /// It is there no more.
    pub fn attribute(&self, element: &Element, name: &str) -> Done<Option<String>> {
        let value = self.ask("GET", &format!("/element/{}/attribute/{name}", element.0), &Value::Null)?;
        Ok(value.as_str().map(str::to_owned))
    }

    fn of(&self, element: &Element, what: &str) -> Done<String> {
        let text = self.ask("GET", &format!("/element/{}{what}", element.0), &Value::Null)?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Clicks an element, where it can be seen and nothing covers it.
    ///
    /// # Errors
    /// It cannot, or it is there no more.
    pub fn click(&self, element: &Element) -> Done<()> {
        self.ask("POST", &format!("/element/{}/click", element.0), &json!({})).map(|_| ())
    }

    /// Whether a finger on the middle of an element would touch it, and not what lies over it or does not listen yet.
    #[must_use]
    pub fn reaches(&self, target: &Element) -> bool {
        let script = "arguments[0].scrollIntoView({block: 'center'});
            const { x, y, width, height } = arguments[0].getBoundingClientRect();
            return arguments[0].contains(document.elementFromPoint(x + width / 2, y + height / 2))";
        self.try_run(script, json!([reference(target)])).is_ok_and(|reached| reached == json!(true))
    }

    /// Taps the middle of an element with a finger.
    ///
    /// # Errors
    /// It is outside of the window, or there no more.
    pub fn tap(&self, target: &Element) -> Done<()> {
        self.try_run("arguments[0].scrollIntoView({block: 'center'})", json!([reference(target)]))?;
        let actions = json!([
            {"type": "pointerMove", "origin": reference(target), "x": 0, "y": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]);
        let finger =
            json!({"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": actions});
        self.ask("POST", "/actions", &json!({"actions": [finger]})).map(|_| ())
    }

    /// Presses keys, one after the other, wherever the focus is.
    #[track_caller]
    pub fn press(&self, keys: impl IntoIterator<Item = Key>) {
        let mut actions = Vec::new();
        for key in keys {
            let shift = |action: &str| json!({"type": action, "value": '\u{e008}'});
            let stroke = |action: &str| json!({"type": action, "value": key.code()});
            actions.extend((key == Key::BackTab).then(|| shift("keyDown")));
            actions.extend([stroke("keyDown"), stroke("keyUp")]);
            actions.extend((key == Key::BackTab).then(|| shift("keyUp")));
        }
        self.must("POST", "/actions", &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}));
    }

    /// Types a text wherever the focus is.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        self.press(text.chars().map(Key::Char));
    }

    /// Everything that a reader sees of the page.
    #[must_use]
    pub fn shown(&self) -> String {
        let shown = self.try_run("return document.body ? document.body.innerText : ''", json!([]));
        shown.map_or_else(|refused| refused.to_string(), |text| text.as_str().unwrap_or_default().to_owned())
    }

    /// Gives a file of this text to the page's field for files, as if the player had chosen it.
    ///
    /// # Panics
    /// There is no such field.
    #[track_caller]
    pub fn choose_file(&self, name: &str, content: &[u8]) {
        let path = self.profile.path().join(name);
        std::fs::write(&path, content).unwrap();
        let field = self.all("input[type=file]").into_iter().next().expect("a field for files");
        self.must("POST", &format!("/element/{}/value", field.0), &json!({"text": path.display().to_string()}));
    }

    /// The text of the next file that the page gives, with its name; it is taken away.
    #[must_use]
    #[track_caller]
    pub fn download(&self) -> (String, String) {
        let find = || {
            let files = std::fs::read_dir(self.downloads.path()).ok()?.filter_map(Result::ok);
            let mut whole = files.map(|file| file.path()).filter(|path| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                !name.starts_with('.') && !name.ends_with(".crdownload") && !name.ends_with(".part")
            });
            let path: PathBuf = whole.next()?;
            // It is renamed once it is whole: an empty one is not, yet.
            let text = std::fs::read_to_string(&path).ok().filter(|text| !text.is_empty())?;
            std::fs::remove_file(&path).ok()?;
            Some((path.file_name()?.to_string_lossy().into_owned(), text))
        };
        eventually("a download", find, || self.shown())
    }

    /// A picture of the window, as PNG.
    ///
    /// # Errors
    /// The driver gives none.
    pub fn picture(&self) -> Done<Vec<u8>> {
        let picture = self.ask("GET", "/screenshot", &Value::Null)?;
        Ok(base64(picture.as_str().unwrap_or_default()))
    }

    /// The lines of the console at warning and above, so far.
    #[must_use]
    pub fn console(&self) -> Vec<String> {
        self.read_logs();
        self.seen.lock().unwrap().console.clone()
    }

    /// The address of every request made so far, where the driver tells.
    #[must_use]
    pub fn requested(&self) -> Vec<String> {
        self.read_logs();
        self.seen.lock().unwrap().requested.clone()
    }

    fn read_logs(&self) {
        if !self.engine.has_logs() {
            return;
        }
        let mut seen = self.seen.lock().unwrap();
        let log = |kind| self.ask("POST", self.engine.log_path(), &json!({"type": kind})).unwrap_or_default();
        for entry in log("browser").as_array().into_iter().flatten() {
            let (level, message) = (entry["level"].as_str(), entry["message"].as_str().unwrap_or_default());
            if matches!(level, Some("SEVERE" | "WARNING")) {
                seen.console.push(message.to_owned());
            }
        }
        for entry in log("performance").as_array().into_iter().flatten() {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap_or_default()).unwrap_or_default();
            let event = &event["message"];
            if event["method"] == "Network.requestWillBeSent" {
                let url = event["params"]["request"]["url"].as_str();
                // The browser's own pages (a new tab) ask the browser itself.
                seen.requested.extend(url.filter(|url| !url.starts_with("chrome:")).map(str::to_owned));
            }
        }
    }

    /// Nothing went wrong unseen: the console has no warning and no error (policy violations are among them) but the
    /// network's own lines that contain one of `expected`; and every request went to one of these origins, none with
    /// this secret in its address.
    ///
    /// # Panics
    /// Something did.
    #[track_caller]
    pub fn assert_clean(&self, origins: &[SocketAddr], secret: &str, expected: &[&str]) {
        let console = self.console();
        let network = |line: &&String| line.contains("Failed to load resource");
        let awaited = |line: &&String| network(line) && expected.iter().any(|part| line.contains(part));
        // The browser fetches the manifest's icons when it pleases: also while the test has the server away.
        let away = expected.iter().any(|part| part.starts_with("ERR_"));
        let allowed = |line: &&String| awaited(line) || away && line.contains("icon from the Manifest");
        let wrong: Vec<_> = console.iter().filter(|line| !allowed(line)).collect();
        assert!(wrong.is_empty(), "the console says: {wrong:#?}");
        let bare: String = secret.chars().filter(char::is_ascii_alphanumeric).collect();
        let requested: BTreeSet<_> = self.requested().into_iter().collect();
        assert!(!self.engine.has_logs() || !requested.is_empty(), "no request was seen at all");
        for url in requested {
            let inside = url.starts_with("data:") || url.starts_with("blob:");
            let ours = origins.iter().any(|origin| url.starts_with(&format!("http://{origin}/")));
            assert!(inside || ours, "a request went to {url}");
            let squeezed: String = url.chars().filter(char::is_ascii_alphanumeric).collect();
            assert!(!squeezed.contains(&bare), "a request had the code in its address");
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let picture = self.picture().ok().and_then(|png| {
                let file = tempfile::Builder::new().prefix("qod-test-failed-").suffix(".png").tempfile().ok()?;
                std::fs::write(file.path(), png).ok()?;
                file.keep().ok().map(|(_, path)| path.display().to_string())
            });
            let title = self.ask("GET", "/title", &Value::Null).unwrap_or_default();
            eprintln!("The page {title} showed:\n{}\n", self.shown());
            eprintln!("A picture of it: {}", picture.unwrap_or_else(|| "none".to_owned()));
            eprintln!("The console: {:#?}", self.console());
        }
        // Ends the browser; whatever of it stays ends with its driver.
        let _ = self.ask("DELETE", "", &Value::Null);
        self.driver.kill();
    }
}

/// A reference to an element, as an argument of scripts and actions.
#[must_use]
pub fn reference(element: &Element) -> Value {
    json!({ELEMENT: element.0})
}

/// The element that a script or a command has given.
///
/// # Panics
/// It is none.
#[must_use]
#[track_caller]
pub fn element(given: &Value) -> Element {
    Element(given[ELEMENT].as_str().unwrap_or_else(|| panic!("no element: {given}")).to_owned())
}

fn start_driver(engine: Engine) -> (Process, SocketAddr) {
    // The port is free when it is looked for; where another takes it first, the driver ends and the next is tried.
    for _ in 0..5 {
        let addr = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).unwrap();
        let (program, arguments) = engine.driver(addr.port());
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let mut driver = Process::start(&program, &arguments, &[]);
        let mut answers = || match get(addr, "/status", &[]) {
            Ok(status) if status.status() == 200 => Some(true),
            _ => driver.has_ended().then_some(false),
        };
        if eventually("the driver", &mut answers, || engine.hint().to_owned()) {
            return (driver, addr);
        }
        eprintln!("{}", driver.printed());
    }
    panic!("no driver starts: {}", engine.hint());
}

fn command(addr: SocketAddr, method: &str, path: &str, body: &Value) -> Done<Value> {
    let body = if method == "POST" { body.to_string().into_bytes() } else { Vec::new() };
    let request = Message::request(method, path, &[("content-type", "application/json; charset=utf-8")], body);
    let failed = |why: &dyn fmt::Display| Refused { error: "no answer".to_owned(), message: why.to_string() };
    let answer = send(addr, &request).map_err(|error| failed(&error))?;
    let mut value: Value = serde_json::from_slice(&answer.body).map_err(|error| failed(&error))?;
    let value = value["value"].take();
    if answer.status() == 200 {
        return Ok(value);
    }
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let message = text("message").lines().next().unwrap_or_default().to_owned();
    Err(Refused { error: text("error"), message })
}

fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for six in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(six);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_decoded() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(base64(text), bytes.as_bytes());
        }
        assert_eq!(base64("+/8="), [0xfb, 0xff]);
    }
}
