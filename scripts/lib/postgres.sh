# shellcheck shell=bash
# A private PostgreSQL cluster for measurements: Debian's programs, a folder and a socket of its own, no port, and nothing left
# running. Sourced after load.sh, whose end_load stops it.
# shellcheck disable=SC2154  # set by common.sh and load.sh

CLUSTER=
postgres_bin() { printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1; }
# PostgreSQL refuses to run as root.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

start_cluster() {
    [ -x "$(postgres_bin)/pgbench" ] || step debian-postgres "PostgreSQL: from Debian" "20 s" apt_install postgresql postgresql-contrib
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
    as_postgres "$(postgres_bin)/pg_ctl" -D "$CLUSTER/data" -l "$CLUSTER/log" -w start >>"$CLUSTER.log"
    sql postgres -c 'CREATE DATABASE qod' -c 'CREATE DATABASE bench'
}
stop_cluster() {
    [ -n "$CLUSTER" ] || return 0
    as_postgres "$(postgres_bin)/pg_ctl" -D "$CLUSTER/data" -m immediate -w stop >>"$CLUSTER.log" 2>&1 || true
    rm -rf "$CLUSTER" "$CLUSTER.log"
    CLUSTER=
}
cluster_pid() { head -n 1 "$CLUSTER/data/postmaster.pid"; }
# sql DATABASE arguments of psql...
sql() { "$(postgres_bin)/psql" -q -v ON_ERROR_STOP=1 -h "$CLUSTER" -U qod -d "$1" "${@:2}"; }

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
