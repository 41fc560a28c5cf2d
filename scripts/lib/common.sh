# shellcheck shell=bash
# What every script shares: where things are, how a step is told, timed and logged. Sourced, never run.
# shellcheck disable=SC2034  # used by the scripts that source this

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${QOD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/quitte-ou-double}
LOGS=$CACHE/logs
DIST=$ROOT/dist

# Flags of the environment would silently replace those of .cargo/config.toml.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' dim='' red='' green='' plain=''
fi

say() { printf '%s\n' "$*"; }
die() {
    printf '%serror:%s %s\n' "$red" "$plain" "$*" >&2
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# 75 -> "1 min 15 s"
span() {
    if [ "$1" -ge 60 ]; then
        printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
    else
        printf '%d s' "$1"
    fi
}

# step NAME "what it does" "how long it usually takes" command...
# Runs the command with its output in a log; shows the log's end if it fails.
step() {
    start_step "$1" "$2" "usually $3" "${@:4}"
    finish_step "$1"
}

# The same, beside what follows; finish_step waits for it and tells how it went.
begin_step() { start_step "$1" "$2" "usually $3, beside what follows" "${@:4}"; }

# Always in the background, so that a signal is heard at once, and so that `set -e` holds within the command.
declare -A BACKGROUND=() BACKGROUND_WHAT=() BACKGROUND_START=()
start_step() {
    mkdir -p "$LOGS"
    say "${bold}·${plain} $2 ${dim}($3)${plain}"
    "${@:4}" >"$LOGS/$1.log" 2>&1 </dev/null &
    BACKGROUND[$1]=$!
    BACKGROUND_WHAT[$1]=$2
    BACKGROUND_START[$1]=$SECONDS
}
finish_step() {
    local pid=${BACKGROUND[$1]:-} what=${BACKGROUND_WHAT[$1]:-} status=0
    [ -n "$pid" ] || return 0
    wait "$pid" || status=$?
    unset "BACKGROUND[$1]"
    [ $status = 0 ] || failed "$1" "$what"
    say "  ${green}done${plain} in $(span $((SECONDS - BACKGROUND_START[$1]))): ${what%%:*}"
}

failed() {
    {
        printf '%serror:%s this step failed: %s\n' "$red" "$plain" "$2"
        tail -n 40 "$LOGS/$1.log" | sed 's/^/    /'
        printf 'The whole output is in %s\n' "$LOGS/$1.log"
    } >&2
    exit 1
}

# What still runs in the background ends with the script: such processes do not hear Ctrl-C by themselves.
kill_tree() {
    local child
    for child in $(ps -o pid= --ppid "$1"); do kill_tree "$child"; done
    kill "$1" 2>/dev/null || true
}
end_background() {
    local name
    for name in "${!BACKGROUND[@]}"; do
        # Debian's packages are better installed to the end than by half.
        case $name in debian-*) ;; *) kill_tree "${BACKGROUND[$name]}" ;; esac
    done
}
tidy_up() {
    trap end_background EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
tidy_up

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif has sudo; then
        sudo "$@"
    else
        die "this needs root or sudo: $*"
    fi
}

# Debian packages, without questions and without what is only recommended. The lists are renewed only if need be.
apt_install() {
    has apt-get || die "apt-get is missing: please install by hand: $*"
    local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
    as_root "${apt[@]}" install -y --no-install-recommends "$@" && return 0
    as_root "${apt[@]}" update
    as_root "${apt[@]}" install -y --no-install-recommends "$@"
}

# Only one script at a time installs or builds into the cache.
lock_cache() {
    mkdir -p "$CACHE"
    has flock || return 0
    exec 9>"$CACHE/.lock"
    flock -n 9 && return 0
    say "waiting for another script that is installing or building…"
    flock 9
}
unlock_cache() { exec 9>&-; }
