-- Tickets never change after their import; what is played lies apart, in tables that stay small and hot.
-- Times are milliseconds since the Unix epoch, UTC. Hashes are keyed outside the database.

CREATE TABLE emissions (
    id             INTEGER NOT NULL PRIMARY KEY CHECK (id BETWEEN 0 AND 65535),
    start_before   INTEGER,           -- until then a game may be started; null until the emission is closed
    unfinished     TEXT    NOT NULL,  -- the caller's rule for a game whose time ends between two paliers
    new_games      INTEGER NOT NULL CHECK (new_games IN (0, 1)),
    payment_before INTEGER
) STRICT;

-- Clustered by number: a block comes in by number, so that an import writes this table in order.
CREATE TABLE tickets (
    emission           INTEGER NOT NULL REFERENCES emissions (id),
    block              INTEGER NOT NULL CHECK (block BETWEEN 0 AND 65535),
    serial             INTEGER NOT NULL CHECK (serial BETWEEN 0 AND 4294967295),
    ticket_id          BLOB    NOT NULL UNIQUE CHECK (length(ticket_id) = 16),
    code_hash          BLOB    NOT NULL UNIQUE CHECK (length(code_hash) = 32),
    control_hash       BLOB    NOT NULL CHECK (length(control_hash) = 32),
    potential_gain_eur INTEGER NOT NULL CHECK (potential_gain_eur BETWEEN 0 AND 4294967295),
    PRIMARY KEY (emission, block, serial)
) STRICT, WITHOUT ROWID;

-- One row from a ticket's first event on. `version` is the number of its events, and what appends compare.
CREATE TABLE games (
    ticket_id     BLOB    NOT NULL PRIMARY KEY REFERENCES tickets (ticket_id),
    version       INTEGER NOT NULL CHECK (version BETWEEN 1 AND 4294967295),
    client_seed   BLOB    CHECK (client_seed IS NULL OR length(client_seed) = 32),
    state         TEXT    NOT NULL,
    finish_before INTEGER
) STRICT, WITHOUT ROWID;

-- For the sweep of games whose time has ended. It stays small where a game that is over gets no deadline.
CREATE INDEX games_by_finish_before ON games (finish_before) WHERE finish_before IS NOT NULL;

CREATE TABLE events (
    ticket_id BLOB    NOT NULL REFERENCES games (ticket_id),
    position  INTEGER NOT NULL CHECK (position BETWEEN 0 AND 4294967294),
    at        INTEGER NOT NULL,
    payload   BLOB    NOT NULL,       -- the caller's own encoding
    PRIMARY KEY (ticket_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    token_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    ticket_id  BLOB    NOT NULL REFERENCES tickets (ticket_id),
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_expires ON sessions (expires);

-- History is only added to, whoever holds the connection.
CREATE TRIGGER events_are_final BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_are_kept BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'an event is never removed'); END;
CREATE TRIGGER client_seed_is_final BEFORE UPDATE OF client_seed ON games
WHEN OLD.client_seed IS NOT NULL AND NEW.client_seed IS NOT OLD.client_seed
BEGIN SELECT RAISE(ABORT, 'a client seed once set is never changed'); END;
CREATE TRIGGER tickets_are_final BEFORE UPDATE ON tickets
BEGIN SELECT RAISE(ABORT, 'a ticket is never changed'); END;
