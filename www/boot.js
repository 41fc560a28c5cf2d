// Runs before the app: keeps an early submit on this page, and says so when
// this browser cannot run the game or when the game did not arrive.
// <html data-submitted> tells the app that a submit was asked; the app sets
// <html data-boot="ready"> when it has taken over.
// Shows the place of the page that the address names: the game, or the verifier
// (#verifier; #revoir for the game just played), a program of its own that is
// loaded when it is first asked for.
(function (d) {
  var state = d.documentElement.dataset;
  function failed() {
    if (!state.boot) state.boot = "fail";
  }
  try {
    // The smallest module with reference types: the floor of the release bundle.
    new WebAssembly.Module(
      new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 7, 1, 5, 0, 208, 112, 26, 11])
    );
  } catch (e) {
    state.boot = "old";
  }
  d.addEventListener("submit", function (e) {
    e.preventDefault();
    if (state.boot !== "ready") state.submitted = "1";
  });
  // Scripts and styles that fail to load do not bubble: listen on the way down.
  addEventListener("error", function (e) {
    if (!e.target || e.target.tagName !== "LINK") failed();
  }, true);
  addEventListener("unhandledrejection", failed);

  function show() {
    var verify = /^#(verifier|revoir)$/.test(location.hash);
    var game = d.getElementById("app"), other = d.getElementById("verify");
    var shown = verify ? other : game;
    if (!shown.hidden) return;
    game.hidden = verify;
    other.hidden = !verify;
    if (verify && !d.getElementById("verifier")) {
      var script = d.createElement("script");
      script.id = "verifier";
      script.type = "module";
      script.src = "/verify.js";
      script.onerror = function () {
        script.remove();
        other.dataset.boot = "fail";
      };
      d.head.append(script);
    }
    d.title = shown.dataset.title || d.title;
    shown.querySelector("h1").focus();
    scrollTo(0, 0);
  }
  addEventListener("hashchange", show);
  if (d.readyState === "loading") d.addEventListener("DOMContentLoaded", show);
  else show();
})(document);

// The operator's receipts, checked by the browser (docs/receipts-v1.md). Takes a JSON list of {key, at_ms, message, signature}; gives the
// published keys where all hold, "wrong" where one does not, and "" where this browser cannot tell.
window.qodCheck = function (list) {
  function bytes(hex) {
    return new Uint8Array(hex.match(/../g).map(function (pair) { return parseInt(pair, 16); }));
  }
  return Promise.resolve().then(function () {
    return fetch("/.well-known/qod-keys.json");
  }).then(function (answer) {
    return answer.text();
  }).then(function (text) {
    var keys = JSON.parse(text).keys, subtle = crypto.subtle;
    return Promise.all(JSON.parse(list).map(function (one) {
      var key = keys.filter(function (key) {
        var in_time = one.at_ms === null || (key.from_ms <= one.at_ms && (key.until_ms === null || one.at_ms < key.until_ms));
        return key.id === one.key && in_time;
      })[0];
      return key && subtle.importKey("raw", bytes(key.public_key), "Ed25519", false, ["verify"]).then(function (key) {
        return subtle.verify("Ed25519", key, bytes(one.signature), bytes(one.message));
      });
    })).then(function (held) {
      return held.every(Boolean) ? JSON.stringify(keys) : "wrong";
    });
  }).then(null, function () {
    return "";
  });
};
