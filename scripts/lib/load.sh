# shellcheck shell=bash
# What the measuring and the fault scripts share: a folder of their own, a block of tickets, servers, and an end that leaves
# nothing running. Sourced after common.sh and server.sh.
# shellcheck disable=SC2154  # set by common.sh

load_cargo() {
    cd "$ROOT"
    cargo build --release --locked -p qod -p load
}
build_load() {
    step load "the server and the load driver: compiling them" "3 min at first" load_cargo
    QOD=$(server_binary)
    LOAD=$(dirname "$QOD")/load
}

# A folder for this run, removed at its end with all that it started.
declare -a SERVERS=()
begin_load() {
    WORK=$(mktemp -d "${TMPDIR:-/tmp}/qod-load.XXXXXX")
    trap end_load EXIT
}
end_load() {
    local pid
    for pid in "${SERVERS[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${SERVERS[@]}"; do wait "$pid" 2>/dev/null || true; done
    SERVERS=()
    ! declare -F stop_cluster >/dev/null || stop_cluster
    rm -rf "$WORK"
    end_background
}

# issue_load DATA WINNERS: a block in which every other ticket wins.
issue_load() {
    local half=$(($2 / 2))
    printf '{"source": "for load tests", "tickets": %d, "lots": [{"lots": %d, "potential_gain_eur": 20}, {"lots": %d, "potential_gain_eur": 5}]}\n' \
        $((4 * half)) "$half" "$half" >"$WORK/lots.json"
    step issue "a block of $((4 * half)) tickets: issuing it" "10 s" "$QOD" issue --data "$1" --emission 1 --lots "$WORK/lots.json"
    TICKETS=$1/tickets/001-0001.csv
    SKIP=0
}

# page: the built page, or the least that a server takes for one.
load_page() {
    if [ -f "$DIST/.build.json" ]; then
        printf '%s\n' "$DIST"
    else
        mkdir -p "$WORK/dist"
        printf '<!doctype html><title>load</title>\n' >"$WORK/dist/index.html"
        printf '%s\n' "$WORK/dist"
    fi
}

# start_server NAME PORT arguments...: starts a server and waits until it listens; sets SERVER to its process.
start_server() {
    local log=$WORK/$1.log
    : >"$log"
    "$QOD" serve --web "$(load_page)" --listen "127.0.0.1:$2" --log warn "${@:3}" >"$log" 2>&1 </dev/null &
    SERVER=$!
    SERVERS+=("$SERVER")
    until grep -q 'listening on' "$log"; do
        kill -0 "$SERVER" 2>/dev/null || { cat "$log" >&2 && die "the server does not start"; }
        sleep 0.02
    done
}
stop_server() {
    kill -TERM "$SERVER" && wait "$SERVER"
}

# figure JSON PATH: one number of a report, for example: figure "$report" .pick.p99_us
figure() { node -e 'let at = JSON.parse(process.argv[1]); for (const k of process.argv[2].split(".")) at = at[k]; console.log(at)' "$1" "$2"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# drive arguments...: plays with tickets that no run before it has taken; prints the report, and sets REPORT to it.
drive() {
    REPORT=$("$LOAD" play --json --tickets "$TICKETS" --skip "$SKIP" "$@")
    SKIP=$((SKIP + $(figure "$REPORT" games)))
}

# row NAME: the last report as a line.
row_head() { printf '  %-34s %10s %10s %10s %10s   %s\n' "" "actions/s" "p50 ms" "p99 ms" "p99.9 ms" "µs of CPU per action"; }
row() {
    node -e '
        const [, name, text] = process.argv, r = JSON.parse(text), ms = (us) => (us / 1000).toFixed(2);
        const cpu = Object.entries(r).filter(([, v]) => v?.cpu_us_per_action !== undefined)
            .map(([k, v]) => `${k} ${v.cpu_us_per_action.toFixed(0)}`).join(", ");
        const columns = [r.all.per_second.toFixed(0), ms(r.all.p50_us), ms(r.all.p99_us), ms(r.all.p999_us)];
        console.log(`  ${name.padEnd(34)} ${columns.map((c) => c.padStart(10)).join(" ")}   ${cpu}`);
    ' "$1" "$REPORT"
}
