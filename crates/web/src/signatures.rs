//! Signatures, checked by the browser (WebCrypto): the page's program holds no such code of its own.

use js_sys::Promise;
use seal::hash::to_hex;
use seal::json::Writer;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use crate::receipts::{ToCheck, Verdict};

#[wasm_bindgen]
extern "C" {
    /// Of `www/boot.js`.
    #[wasm_bindgen(js_name = qodCheck)]
    fn qod_check(list: &str) -> Promise;
}

/// Checks each, with the published keys.
pub async fn check(receipts: &[ToCheck]) -> Verdict {
    let mut w = Writer::new();
    w.array(|w| {
        for ToCheck { statement, signed, at } in receipts {
            w.object(|w| {
                w.key("key").string(&to_hex(&signed.key.0));
                w.key("at_ms").int_or_null(at.and_then(|at| u64::try_from(at.millis()).ok()));
                w.key("message").string(&to_hex(statement.bytes()));
                w.key("signature").string(&to_hex(&signed.signature.0));
            });
        }
    });
    let told = JsFuture::from(qod_check(&w.finish())).await.ok().and_then(|told| told.as_string());
    match told.as_deref() {
        None | Some("") => Verdict::Unknown,
        Some("wrong") => Verdict::Wrong,
        Some(keys) => Verdict::Hold(keys.to_owned()),
    }
}
