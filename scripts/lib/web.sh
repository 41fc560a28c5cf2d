# shellcheck shell=bash
# The page's release: what it is made of, and how it is built into dist/. Sourced after tools.sh.
# shellcheck disable=SC2154  # set by common.sh

# A hash over everything that the page is made of and with.
web_inputs() {
    (
        cd "$ROOT"
        local parts=(index.html Trunk.toml www Cargo.toml Cargo.lock .cargo scripts/tools)
        parts+=(scripts/lib/{post-build,no-panics,short-imports,wasm}.mjs scripts/lib/web.sh scripts/lib/tools.sh)
        local crate
        for crate in web protocol seal rules demo; do
            [ ! -d "crates/$crate" ] || parts+=("crates/$crate")
        done
        {
            find "${parts[@]}" -type f ! -path '*/node_modules/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
            echo "wasm by ${WASM_TOOLCHAIN:-stock}"
        } | sha256sum | cut -c1-32
    )
}

web_trunk() {
    cd "$ROOT"
    cargo fetch --locked --target wasm32-unknown-unknown
    RUST_BACKTRACE=0 with_wasm trunk build --release --cargo-profile wasm-release --locked
}

# Starts a build of dist/ in the background where it is missing or older than what it is made of; finish_web waits.
begin_web() {
    WEB_INPUTS=$(web_inputs)
    [ "$(cat "$DIST/.inputs" 2>/dev/null)" = "$WEB_INPUTS" ] ||
        begin_step web "the page: compiling it for the browser, optimising, compressing" "$1" web_trunk
}
finish_web() {
    finish_step web
    echo "$WEB_INPUTS" >"$DIST/.inputs"
}

# The table of bytes of the last build.
web_sizes() {
    node -e '
        const { first_load_brotli, files } = JSON.parse(require("fs").readFileSync(process.argv[1]))
        const row = (name, ...numbers) => console.log("  " + name.padEnd(38) + numbers.map((n) => String(n ?? "").padStart(9)).join(""))
        row("bytes (* = first load)", "raw", "gzip", "brotli")
        for (const [name, f] of Object.entries(files)) row((f.first ? "* " : "  ") + name, f.raw, f.gzip, f.brotli)
        console.log(`First load, brotli: ${first_load_brotli} bytes (${(first_load_brotli / 1000).toFixed(1)} KB)`)
    ' "$DIST/.build.json"
}
