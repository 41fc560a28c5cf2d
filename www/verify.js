// Starts the verifier, which boot.js loads only where it is asked for.
import init from "/verifier.js";

init().catch(() => (document.getElementById("verify").dataset.boot = "fail"));
