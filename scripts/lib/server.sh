# shellcheck shell=bash
# The server's release, which is also what the browser tests run against. Sourced after common.sh.
# shellcheck disable=SC2154  # set by common.sh

server_cargo() {
    cd "$ROOT"
    cargo build --release --locked -p qod
}
build_server() { step server "the server: compiling it" "2 min at first, then as long as what changed" server_cargo; }
server_binary() { printf '%s\n' "${CARGO_TARGET_DIR:-$ROOT/target}/release/qod"; }
