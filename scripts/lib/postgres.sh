# shellcheck shell=bash
# A private PostgreSQL cluster for measurements: Debian's programs, a folder and a socket of its own, no port, and nothing left
# running. Sourced after tools.sh and load.sh, whose end_load stops it.
# shellcheck disable=SC2154  # set by common.sh and load.sh

CLUSTER=
CLUSTER_PID=
postgres_bin() { printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }
# PostgreSQL refuses to run as root.
exec_as_postgres() {
    cd /
    if [ "$(id -u)" = 0 ]; then exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else exec "$@"; fi
}
as_postgres() { (exec_as_postgres "$@"); }

start_cluster() {
    [ -x "$(postgres_bin)/pgbench" ] || step debian-postgres "PostgreSQL: from Debian" "20 s" postgres_from_debian
    CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/qod-postgres.XXXXXX")
    [ "$(id -u)" != 0 ] || chown postgres "$CLUSTER"
    as_postgres "$(postgres_bin)/initdb" -D "$CLUSTER/data" -U qod -A trust --no-instructions >"$CLUSTER.log"
    # Full durability, as an operator runs it: fsync, full_page_writes and synchronous_commit are on by default.
    cat >>"$CLUSTER/data/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$CLUSTER'
		shared_buffers = 512MB
		max_wal_size = 4GB
		max_connections = 300
	CONF
    run_cluster
    sql postgres -c 'CREATE DATABASE qod' -c 'CREATE DATABASE bench'
}
# Starts it, as a child of this script (so that its end is seen) that does not hear the script's signals: end_load stops it.
run_cluster() {
    exec_as_postgres setsid "$(postgres_bin)/postgres" -D "$CLUSTER/data" >>"$CLUSTER.log" 2>&1 </dev/null &
    CLUSTER_PID=$!
    until "$(postgres_bin)/pg_isready" -q -h "$CLUSTER"; do
        kill -0 "$CLUSTER_PID" 2>/dev/null || { tail -n 20 "$CLUSTER.log" >&2 && die "PostgreSQL does not start"; }
        sleep 0.05
    done
}
# kill -9 of PostgreSQL, all of its processes at once.
kill_cluster() {
    # shellcheck disable=SC2046  # numbers, each an argument
    kill -KILL "$CLUSTER_PID" $(ps -o pid= --ppid "$CLUSTER_PID") 2>/dev/null || true
    wait "$CLUSTER_PID" 2>/dev/null || true
}
stop_cluster() {
    [ -n "$CLUSTER" ] || return 0
    # At once, without a checkpoint: nothing of it is kept.
    kill -QUIT "$CLUSTER_PID" 2>/dev/null || true
    wait "$CLUSTER_PID" 2>/dev/null || true
    rm -rf "$CLUSTER" "$CLUSTER.log"
    CLUSTER=
}
# sql DATABASE arguments of psql...
sql() { "$(postgres_bin)/psql" -q -v ON_ERROR_STOP=1 -h "$CLUSTER" -U qod -d "$1" "${@:2}"; }

# issue_load_postgres WINNERS: a block, issued into a SQLite store of its own and imported from there as an operator does; its keys
# are in that data directory. Sets STORE to what a server is given.
issue_load_postgres() {
    issue_load "$WORK/issued" "$1"
    STORE=(--data "$WORK/issued" --store "postgres:///qod?host=$CLUSTER&user=qod")
    step import "the block into PostgreSQL: importing it" "10 s" \
        "$QOD" import "${STORE[@]}" --by "${0##*/}" "$WORK/issued/blocks/001-0001.json"
    sql qod -c 'VACUUM ANALYZE'
}

# bench_cluster CLIENTS SECONDS: how often a second one pick's transaction goes through, by pgbench: the compare-and-set of its
# game's row, and the insert of its event. Each client plays games of its own, 20 picks each.
bench_cluster() {
    sql bench >/dev/null 2>&1 <<-'SQL'
		DROP TABLE IF EXISTS events, games;
		CREATE TABLE games (id bigint PRIMARY KEY, version int NOT NULL, state text NOT NULL);
		CREATE TABLE events (id bigint NOT NULL, position int NOT NULL, at bigint NOT NULL, payload bytea NOT NULL, receipt bytea,
		                     PRIMARY KEY (id, position));
		INSERT INTO games SELECT client * 1000000 + game, 0, 'picking'
		  FROM generate_series(0, 63) AS client, generate_series(0, 3000) AS game;
		VACUUM ANALYZE games;
	SQL
    cat >"$WORK/pick.sql" <<-'SQL'
		\set game :client_id * 1000000 + :n / 20
		\set at :n % 20
		BEGIN;
		UPDATE games SET version = :at + 1, state = 'picking' WHERE id = :game AND version = :at;
		INSERT INTO events VALUES (:game, :at, :n, '\x0102', decode(repeat('ab', 72), 'hex'));
		COMMIT;
		\set n :n + 1
	SQL
    "$(postgres_bin)/pgbench" -h "$CLUSTER" -U qod -n -M prepared -D n=0 -f "$WORK/pick.sql" -c "$1" -j 1 -T "$2" bench 2>&1 |
        awk '/^tps/ { printf "%.0f\n", $3 }'
}
