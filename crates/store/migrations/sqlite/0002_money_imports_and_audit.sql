-- The signed receipt that the player was given for the event, opaque here.
ALTER TABLE events ADD COLUMN receipt BLOB;

-- For exports of a period. A table without rowid: the index ends with the key, so it holds the whole order.
CREATE INDEX events_by_time ON events (at);

CREATE TABLE points_of_sale (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id BETWEEN 0 AND 4294967295),
    name     TEXT    NOT NULL,
    key_hash BLOB    NOT NULL UNIQUE CHECK (length(key_hash) = 32),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1))
) STRICT;

-- Beside the event that it came with. A payment is identified by `payment_id`, its one reversal points at it by
-- `reverses`; both were asked for under a key, which is used once by each point of sale (or by the operator: null).
CREATE TABLE ledger (
    ticket_id       BLOB    NOT NULL,
    position        INTEGER NOT NULL,
    at              INTEGER NOT NULL,
    kind            TEXT    NOT NULL,
    payment_id      BLOB    UNIQUE CHECK (length(payment_id) = 16),
    reverses        BLOB    UNIQUE,
    point_of_sale   INTEGER REFERENCES points_of_sale (id),
    idempotency_key BLOB    CHECK (length(idempotency_key) = 32),
    amount_eur      INTEGER CHECK (amount_eur BETWEEN 0 AND 4294967295),
    act             TEXT,
    who             TEXT,
    why             TEXT,
    PRIMARY KEY (ticket_id, position),
    UNIQUE (payment_id, ticket_id),
    FOREIGN KEY (ticket_id, position) REFERENCES events (ticket_id, position),
    FOREIGN KEY (reverses, ticket_id) REFERENCES ledger (payment_id, ticket_id),
    CHECK (
        (kind = 'payment' AND payment_id IS NOT NULL AND reverses IS NULL AND point_of_sale IS NOT NULL
            AND idempotency_key IS NOT NULL AND amount_eur IS NOT NULL AND act IS NULL)
        OR (kind = 'reversal' AND payment_id IS NULL AND reverses IS NOT NULL AND idempotency_key IS NOT NULL
            AND amount_eur IS NULL AND act IS NULL AND who IS NOT NULL AND why IS NOT NULL)
        OR (kind = 'act' AND payment_id IS NULL AND reverses IS NULL AND point_of_sale IS NULL
            AND idempotency_key IS NULL AND amount_eur IS NULL AND act IS NOT NULL AND who IS NOT NULL
            AND why IS NOT NULL)
    )
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX ledger_by_key ON ledger (ifnull(point_of_sale, -1), idempotency_key)
WHERE idempotency_key IS NOT NULL;
CREATE INDEX ledger_by_time ON ledger (at);

-- The import of a block: what its manifest says, and how far it has come.
CREATE TABLE blocks (
    emission          INTEGER NOT NULL REFERENCES emissions (id),
    block             INTEGER NOT NULL CHECK (block BETWEEN 0 AND 65535),
    manifest          BLOB    NOT NULL CHECK (length(manifest) = 32),
    tickets           INTEGER NOT NULL CHECK (tickets BETWEEN 0 AND 4294967295),
    winning           INTEGER NOT NULL,
    total_eur         INTEGER NOT NULL,
    imported          INTEGER NOT NULL DEFAULT 0 CHECK (imported BETWEEN 0 AND tickets),
    imported_winning  INTEGER NOT NULL DEFAULT 0,
    imported_eur      INTEGER NOT NULL DEFAULT 0,
    complete          INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
    PRIMARY KEY (emission, block)
) STRICT, WITHOUT ROWID;

-- One chain of lines per server instance, numbered from 0 without a gap.
CREATE TABLE audit_lines (
    instance BLOB    NOT NULL CHECK (length(instance) = 16),
    line     INTEGER NOT NULL CHECK (line >= 0),
    bytes    BLOB    NOT NULL,
    hash     BLOB    NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (instance, line)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER ledger_is_final BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never changed'); END;
CREATE TRIGGER ledger_is_kept BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'an entry of the ledger is never removed'); END;
CREATE TRIGGER audit_lines_are_final BEFORE UPDATE ON audit_lines
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never changed'); END;
CREATE TRIGGER audit_lines_are_kept BEFORE DELETE ON audit_lines
BEGIN SELECT RAISE(ABORT, 'a line of the audit log is never removed'); END;
CREATE TRIGGER manifests_are_final BEFORE UPDATE OF emission, block, manifest, tickets, winning, total_eur ON blocks
BEGIN SELECT RAISE(ABORT, 'what a manifest says is never changed'); END;
CREATE TRIGGER tickets_are_kept BEFORE DELETE ON tickets
BEGIN SELECT RAISE(ABORT, 'a ticket is never removed'); END;
