//! How a request travels: the page's `fetch`. In a preview build, the engine in the page stands in for it.

use protocol::{Method, Request, Response, Transport, Unreachable};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, RequestCache, RequestInit};

use crate::browser;

/// How long an answer is waited for, in milliseconds. The same request is then sent again: the server does nothing twice.
const TIME_OUT: u32 = 10_000;

/// The way of this build.
pub enum Wire {
    /// To the server that the page came from.
    Fetch,
    /// To the engine in the page.
    #[cfg(feature = "preview")]
    Demo(demo::Demo<preview::Shelf>),
}

/// The way that requests take.
#[must_use]
pub fn transport() -> Wire {
    #[cfg(feature = "preview")]
    return Wire::Demo(preview::demo());
    #[cfg(not(feature = "preview"))]
    Wire::Fetch
}

impl Transport for Wire {
    async fn send(&self, request: Request<'_>) -> Result<Response, Unreachable> {
        match self {
            Self::Fetch => fetch(request).await.map_err(|_| Unreachable),
            #[cfg(feature = "preview")]
            Self::Demo(demo) => demo.send(request).await,
        }
    }
}

async fn fetch(request: Request<'_>) -> Result<Response, JsValue> {
    let window = browser::window().ok_or(JsValue::NULL)?;
    let headers = Headers::new()?;
    let init = RequestInit::new();
    init.set_cache(RequestCache::NoStore);
    if let Some(token) = request.token {
        headers.set("authorization", &["Bearer ", token].concat())?;
    }
    if request.method == Method::Post {
        init.set_method("POST");
        headers.set("content-type", "application/json")?;
    }
    if let Some(body) = request.body {
        init.set_body(&body.into());
    }
    init.set_headers(&headers);
    let abort = AbortController::new()?;
    init.set_signal(Some(&abort.signal()));
    // Aborting what has ended does nothing.
    browser::after(TIME_OUT, Box::new(move || abort.abort()));
    let response = JsFuture::from(window.fetch_with_str_and_init(request.path, &init)).await?;
    let response: web_sys::Response = response.dyn_into()?;
    if let Ok(Some(date)) = response.headers().get("date") {
        browser::told_time(&date);
    }
    let body = JsFuture::from(response.text()?).await?;
    Ok(Response { status: response.status(), body: body.as_string().unwrap_or_default() })
}

#[cfg(feature = "preview")]
mod preview {
    //! The engine in the page, over this browser's storage.

    use crate::browser::{self, WebStorage};
    use crate::storage::Kept;

    /// Where it keeps its games.
    pub struct Shelf(Kept<WebStorage>);

    impl demo::Shelf for Shelf {
        fn get(&self, key: &str) -> Option<String> {
            self.0.read(key)
        }
        fn put(&self, key: &str, text: &str) {
            self.0.write(key, text);
        }
    }

    /// A demo whose codes stand in the browser's console.
    pub(super) fn demo() -> demo::Demo<Shelf> {
        for (gain, code) in demo::tickets() {
            let gain = gain.map_or(0, rules::PotentialGain::eur);
            web_sys::console::log_1(&format!("{gain} € : {}", code.grouped()).into());
        }
        let random = browser::fresh_seed().map_or([0; 32], |seed| seed.0);
        demo::Demo::new(Shelf(Kept::new(WebStorage::shared())), browser::now, random)
    }
}
