# shellcheck shell=bash
# The tools that build the page and test it, installed once per version into the cache. Every function here does
# nothing, quickly, when its tool is there. Sourced after common.sh.
# shellcheck disable=SC2030,SC2031

# Pinned here; wasm-bindgen-cli is pinned by the wasm-bindgen of Cargo.lock, wasm-opt and esbuild by scripts/tools.
# 0.21 is the last trunk that builds with the Rust named in Cargo.toml.
TRUNK_VERSION=0.21.14

NPM_DIR=$CACHE/npm-$(sha256sum <"$ROOT/scripts/tools/package-lock.json" | cut -c1-16)
TRUNK_DIR=$CACHE/trunk-$TRUNK_VERSION

wasm_bindgen_version() {
    local version
    version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/"/, "", $3); print $3; exit }' "$ROOT/Cargo.lock")
    [ -n "$version" ] || die "Cargo.lock names no wasm-bindgen"
    printf '%s\n' "$version"
}

need_basics() {
    local tool
    for tool in cargo rustc cc node npm; do
        has "$tool" || die "$tool is missing. Needed beforehand: Rust (rustup), a C compiler, Node 18 or newer with npm."
    done
}

# --- the Wasm target ---------------------------------------------------------------------------------------------
# Sets WASM_TOOLCHAIN: empty for the stock toolchain, `debweb` for Debian's (see wasm_from_debian).
# QOD_WASM=debian asks for Debian's even where rustup could do it.

DEBIAN_PACKAGES=(rustc-web cargo-web rust-web-src lld-22)
DEBIAN_LINKER=/usr/lib/llvm-22/bin/wasm-ld
DEBIAN_TARGET=/usr/lib/rustlib/wasm32-unknown-unknown
WASM_TOOLCHAIN=

stock_has_wasm() {
    [ "${QOD_WASM:-}" != debian ] && [ -n "$(find "$1/lib/rustlib/wasm32-unknown-unknown/lib" -name 'libstd-*.rlib' 2>/dev/null)" ]
}
debian_version() { dpkg-query -W -f '${Version}' rustc-web 2>/dev/null || true; }
debian_has_wasm() {
    local version
    version=$(debian_version)
    [ -n "$version" ] && [ "$(cat "$DEBIAN_TARGET/built-for" 2>/dev/null)" = "$version" ] &&
        [ -e "${RUSTUP_HOME:-$HOME/.rustup}/toolchains/debweb" ]
}

# Fetches the target with rustup, unless that failed before with this very compiler (a machine without access to
# Rust's servers stays one; QOD_RETRY=1 asks again).
wasm_from_rustup() {
    [ "${QOD_WASM:-}" != debian ] && has rustup || return 1
    local mark
    mark=$CACHE/rustup-cannot-$(rustc --version | tr -c 'a-zA-Z0-9.\n' -)
    [ ! -e "$mark" ] || [ -n "${QOD_RETRY:-}" ] || return 1
    mkdir -p "$LOGS"
    say "${bold}·${plain} Wasm target: asking rustup for it ${dim}(usually 5 s)${plain}"
    if RUST_BACKTRACE=0 timeout 90 rustup target add wasm32-unknown-unknown >"$LOGS/rustup.log" 2>&1 </dev/null &&
        stock_has_wasm "$(rustc --print sysroot)"; then
        rm -f "$mark"
        return 0
    fi
    say "  rustup cannot fetch it here ($LOGS/rustup.log): Debian's compiler for the web will do"
    touch "$mark"
    return 1
}

# Debian's second compiler, with its library's source, can build the target's library itself.
wasm_debian_packages() {
    apt_install "${DEBIAN_PACKAGES[@]}"
}
wasm_debian_library() {
    local build=$CACHE/build/std version
    [ -e "${RUSTUP_HOME:-$HOME/.rustup}/toolchains/debweb" ] || rustup toolchain link debweb /usr
    rm -rf "$build"
    mkdir -p "$build/src"
    cat >"$build/Cargo.toml" <<-'TOML'
		[package]
		name = "empty"
		version = "0.0.0"
		edition = "2024"
		[profile.release]
		opt-level = 3
		codegen-units = 1
		lto = false
		panic = "abort"
		[workspace]
	TOML
    echo '#![no_std]' >"$build/src/lib.rs"
    cd "$build"
    # Embedded bitcode: without it, link-time optimisation of the page fails later.
    RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR=$build/target RUSTUP_TOOLCHAIN=debweb \
        cargo build --release --target wasm32-unknown-unknown \
        -Zbuild-std=core,alloc,std,panic_abort,proc_macro,test
    rm -f target/wasm32-unknown-unknown/release/deps/libempty-*
    as_root rm -rf "$DEBIAN_TARGET/lib"
    as_root mkdir -p "$DEBIAN_TARGET/lib"
    as_root cp target/wasm32-unknown-unknown/release/deps/lib*.rlib "$DEBIAN_TARGET/lib/"
    debian_version | as_root tee "$DEBIAN_TARGET/built-for"
}

# --- PostgreSQL --------------------------------------------------------------------------------------------------
# Its programs, for clusters that tests make and remove themselves. Debian's package would also make a cluster of the
# machine's own and start it: where it is not there yet, none is made.
has_postgres() { [ -n "$(find /usr/lib/postgresql/*/bin -name postgres 2>/dev/null)" ]; }
postgres_from_debian() {
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
        apt_install postgresql-common
        echo 'create_main_cluster = false' | as_root tee -a /etc/postgresql-common/createcluster.conf
    fi
    apt_install postgresql
}

# --- tools of Rust -----------------------------------------------------------------------------------------------
# Built without optimisation (they work on a small app: a few tenths of a second more per build, minutes less here),
# without TLS and self-update (nothing is downloaded through them), and in one target folder.
# The tool's own lock file is used where every version of it can be had.
cargo_tool() {
    local crate=$1 version=$2 root=$3
    rm -rf "$root.new"
    local install=(
        env -u CARGO_BUILD_TARGET_DIR CARGO_TARGET_DIR="$CACHE/build/tools"
        CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_INCREMENTAL=false
        CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false
        CARGO_PROFILE_DEV_STRIP=symbols
        cargo install "$crate" --version "=$version" --no-default-features --debug --root "$root.new"
    )
    cd "$CACHE"
    "${install[@]}" --locked || "${install[@]}"
    rm -rf "$root"
    mv "$root.new" "$root"
}

npm_tools() {
    rm -rf "$NPM_DIR.new"
    mkdir -p "$NPM_DIR.new"
    cp "$ROOT"/scripts/tools/package.json "$ROOT"/scripts/tools/package-lock.json "$ROOT"/scripts/tools/.npmrc "$NPM_DIR.new/"
    npm --prefix "$NPM_DIR.new" ci --ignore-scripts
    rm -rf "$NPM_DIR"
    mv "$NPM_DIR.new" "$NPM_DIR"
}

# --- all of them -------------------------------------------------------------------------------------------------
# install_tools ""|browser: what the page's build needs, and with `browser` what the tests need besides.
# One cargo at a time, downloads beside it.
install_tools() {
    local wasm_bindgen sysroot debian=
    need_basics
    wasm_bindgen=$(wasm_bindgen_version)
    WASM_BINDGEN_DIR=$CACHE/wasm-bindgen-$wasm_bindgen
    sysroot=$(rustc --print sysroot)
    mkdir -p "$CACHE"

    [ -d "$NPM_DIR" ] || begin_step npm "wasm-opt and esbuild: from npm" "5 s" npm_tools

    if stock_has_wasm "$sysroot"; then
        WASM_TOOLCHAIN=
    elif debian_has_wasm; then
        WASM_TOOLCHAIN=debweb
    elif wasm_from_rustup; then
        WASM_TOOLCHAIN=
    else
        { has apt-get && has rustup; } || die "the Wasm target is missing: rustup target add wasm32-unknown-unknown"
        WASM_TOOLCHAIN=debweb
        debian=1
        begin_step debian-rust "Wasm target: Debian's Rust compiler for the web" "30 s" wasm_debian_packages
    fi

    [ -x "$TRUNK_DIR/bin/trunk" ] ||
        step trunk "trunk $TRUNK_VERSION: building it, once" "3 min" cargo_tool trunk "$TRUNK_VERSION" "$TRUNK_DIR"
    [ -x "$WASM_BINDGEN_DIR/bin/wasm-bindgen" ] ||
        step wasm-bindgen "wasm-bindgen $wasm_bindgen: building it, once" "1 min" \
            cargo_tool wasm-bindgen-cli "$wasm_bindgen" "$WASM_BINDGEN_DIR"

    if [ -n "$debian" ]; then
        finish_step debian-rust
        step wasm-library "Wasm target: building Rust's library for it, once" "1 min" wasm_debian_library
    fi
    if [ "$1" = browser ] && ! { [ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && has shellcheck; }; then
        step debian-browser "Chromium, its driver and shellcheck: from Debian" "40 s" apt_install chromium chromium-driver shellcheck
    fi
    if [ "$1" = browser ] && ! has_postgres; then
        step debian-postgres "PostgreSQL: from Debian" "20 s" postgres_from_debian
    fi
    finish_step npm
    rm -rf "$CACHE/build"
    use_tools
}

# Puts what is installed in front of the PATH, for this script and what it starts.
use_tools() {
    WASM_BINDGEN_DIR=$CACHE/wasm-bindgen-$(wasm_bindgen_version)
    PATH=$TRUNK_DIR/bin:$WASM_BINDGEN_DIR/bin:$NPM_DIR/node_modules/.bin:$PATH
    export PATH QOD_NODE_MODULES=$NPM_DIR/node_modules
    # Everything is there: nothing is to be looked for elsewhere.
    export TRUNK_OFFLINE=true TRUNK_SKIP_VERSION_CHECK=true
}

# with_wasm command...: with the toolchain that has the Wasm target. Debian's gets a target folder of its own, so
# that the two compilers never rebuild each other's work.
with_wasm() {
    if [ -n "$WASM_TOOLCHAIN" ]; then
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$DEBIAN_LINKER RUSTUP_TOOLCHAIN=$WASM_TOOLCHAIN CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/$WASM_TOOLCHAIN "$@"
    else
        "$@"
    fi
}
