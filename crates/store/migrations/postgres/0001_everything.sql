-- The same as the SQLite tables say it, for any number of servers at once. Times are milliseconds since the Unix epoch,
-- UTC; hashes are keyed outside the database.
--
-- Tickets, games and events are cut into 8 parts by the hash of the ticket's id. A ticket's rows lie in the same part
-- of each, so that an append touches one part of each. Eight: each part's indexes of some ten million tickets stay
-- shallow and are vacuumed beside one another, while a statement over all parts still takes few locks.
--
-- No foreign keys between the hot tables: each would cost a query per row. Their rows come from the statements that
-- join or return the row they refer to (a game from its ticket, an event from its game), and neither is ever removed.

CREATE TABLE emissions (
    id             integer NOT NULL PRIMARY KEY CHECK (id BETWEEN 0 AND 65535),
    start_before   bigint,
    unfinished     text    NOT NULL,
    new_games      boolean NOT NULL,
    payment_before bigint
);

CREATE TABLE tickets (
    ticket_id          uuid    NOT NULL PRIMARY KEY,
    emission           integer NOT NULL,
    block              integer NOT NULL CHECK (block BETWEEN 0 AND 65535),
    serial             bigint  NOT NULL CHECK (serial BETWEEN 0 AND 4294967295),
    potential_gain_eur bigint  NOT NULL CHECK (potential_gain_eur BETWEEN 0 AND 4294967295),
    code_hash          bytea   NOT NULL CHECK (length(code_hash) = 32),
    control_hash       bytea   NOT NULL CHECK (length(control_hash) = 32)
) PARTITION BY HASH (ticket_id);

-- What must be unique among all parts has a table of its own: a part can only see to its own rows.
CREATE TABLE ticket_codes (
    code_hash bytea NOT NULL PRIMARY KEY,
    ticket_id uuid  NOT NULL
) PARTITION BY HASH (code_hash);
CREATE TABLE ticket_numbers (
    emission  integer NOT NULL,
    block     integer NOT NULL,
    serial    bigint  NOT NULL,
    ticket_id uuid    NOT NULL,
    PRIMARY KEY (emission, block, serial)
) PARTITION BY HASH (emission, block, serial);

-- One row from a ticket's first event on. `version` is the number of its events, and what appends compare.
CREATE TABLE games (
    ticket_id     uuid   NOT NULL PRIMARY KEY,
    version       bigint NOT NULL CHECK (version BETWEEN 1 AND 4294967295),
    client_seed   bytea  CHECK (length(client_seed) = 32),
    state         text   NOT NULL,
    finish_before bigint
) PARTITION BY HASH (ticket_id);
CREATE INDEX games_by_finish_before ON games (finish_before, ticket_id) WHERE finish_before IS NOT NULL;

CREATE TABLE events (
    ticket_id uuid   NOT NULL,
    position  bigint NOT NULL CHECK (position BETWEEN 0 AND 4294967294),
    at        bigint NOT NULL,
    payload   bytea  NOT NULL,
    receipt   bytea,
    PRIMARY KEY (ticket_id, position)
) PARTITION BY HASH (ticket_id);
CREATE INDEX events_by_time ON events (at, ticket_id, position);

DO $parts$
DECLARE
    whole text;
BEGIN
    FOR part IN 0..7 LOOP
        FOREACH whole IN ARRAY ARRAY['tickets', 'ticket_codes', 'ticket_numbers', 'games', 'events'] LOOP
            EXECUTE format('CREATE TABLE %1$s_%2$s PARTITION OF %1$s FOR VALUES WITH (MODULUS 8, REMAINDER %2$s)',
                whole, part);
        END LOOP;
        -- Room on each page for the next version of its rows: then no index is touched by an append.
        EXECUTE format('ALTER TABLE games_%s SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)', part);
    END LOOP;
END
$parts$;

CREATE TABLE sessions (
    token_hash bytea  NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    ticket_id  uuid   NOT NULL,
    created    bigint NOT NULL,
    expires    bigint NOT NULL
);
CREATE INDEX sessions_by_expires ON sessions (expires);

CREATE TABLE points_of_sale (
    id       bigint  NOT NULL PRIMARY KEY CHECK (id BETWEEN 0 AND 4294967295),
    name     text    NOT NULL,
    key_hash bytea   NOT NULL CHECK (length(key_hash) = 32),
    disabled boolean NOT NULL,
    CONSTRAINT a_key_is_one_point_of_sales UNIQUE (key_hash)
);

-- In one piece, so that its keys are unique among all tickets: there is one payment for many picks.
CREATE TABLE ledger (
    ticket_id       uuid   NOT NULL,
    position        bigint NOT NULL,
    at              bigint NOT NULL,
    kind            text   NOT NULL,
    payment_id      uuid   UNIQUE,
    reverses        uuid   UNIQUE,
    point_of_sale   bigint CONSTRAINT a_point_of_sale_is_known REFERENCES points_of_sale (id),
    idempotency_key bytea  CHECK (length(idempotency_key) = 32),
    amount_eur      bigint CHECK (amount_eur BETWEEN 0 AND 4294967295),
    act             text,
    who             text,
    why             text,
    PRIMARY KEY (ticket_id, position),
    UNIQUE (payment_id, ticket_id),
    FOREIGN KEY (ticket_id, position) REFERENCES events (ticket_id, position),
    CONSTRAINT a_payment_is_known FOREIGN KEY (reverses, ticket_id) REFERENCES ledger (payment_id, ticket_id),
    CHECK (
        (kind = 'payment' AND payment_id IS NOT NULL AND reverses IS NULL AND point_of_sale IS NOT NULL
            AND idempotency_key IS NOT NULL AND amount_eur IS NOT NULL AND act IS NULL)
        OR (kind = 'reversal' AND payment_id IS NULL AND reverses IS NOT NULL AND idempotency_key IS NOT NULL
            AND amount_eur IS NULL AND act IS NULL AND who IS NOT NULL AND why IS NOT NULL)
        OR (kind = 'act' AND payment_id IS NULL AND reverses IS NULL AND point_of_sale IS NULL
            AND idempotency_key IS NULL AND amount_eur IS NULL AND act IS NOT NULL AND who IS NOT NULL
            AND why IS NOT NULL)
    )
);
CREATE UNIQUE INDEX ledger_by_key ON ledger (coalesce(point_of_sale, -1), idempotency_key)
WHERE idempotency_key IS NOT NULL;
CREATE INDEX ledger_by_time ON ledger (at, ticket_id, position);

CREATE TABLE blocks (
    emission         integer NOT NULL REFERENCES emissions (id),
    block            integer NOT NULL CHECK (block BETWEEN 0 AND 65535),
    manifest         bytea   NOT NULL CHECK (length(manifest) = 32),
    tickets          bigint  NOT NULL CHECK (tickets BETWEEN 0 AND 4294967295),
    winning          bigint  NOT NULL,
    total_eur        bigint  NOT NULL,
    imported         bigint  NOT NULL DEFAULT 0 CHECK (imported BETWEEN 0 AND tickets),
    imported_winning bigint  NOT NULL DEFAULT 0,
    imported_eur     bigint  NOT NULL DEFAULT 0,
    complete         boolean NOT NULL DEFAULT false,
    PRIMARY KEY (emission, block)
);

CREATE TABLE audit_lines (
    instance uuid   NOT NULL,
    line     bigint NOT NULL CHECK (line >= 0),
    bytes    bytea  NOT NULL,
    hash     bytea  NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (instance, line)
);

-- History is only added to, whoever holds the connection. Each table names what it is for.
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is never %', tg_argv[0],
        CASE tg_op WHEN 'UPDATE' THEN 'changed' ELSE 'removed' END USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER events_are_final BEFORE UPDATE OR DELETE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('an event');
CREATE TRIGGER games_are_kept BEFORE DELETE ON games
FOR EACH ROW EXECUTE FUNCTION refuse('a game');
CREATE TRIGGER client_seed_is_final BEFORE UPDATE OF client_seed ON games
FOR EACH ROW WHEN (OLD.client_seed IS NOT NULL AND NEW.client_seed IS DISTINCT FROM OLD.client_seed)
EXECUTE FUNCTION refuse('a client seed once set');
CREATE TRIGGER tickets_are_final BEFORE UPDATE OR DELETE ON tickets
FOR EACH ROW EXECUTE FUNCTION refuse('a ticket');
CREATE TRIGGER ticket_codes_are_final BEFORE UPDATE OR DELETE ON ticket_codes
FOR EACH ROW EXECUTE FUNCTION refuse('a ticket''s code');
CREATE TRIGGER ticket_numbers_are_final BEFORE UPDATE OR DELETE ON ticket_numbers
FOR EACH ROW EXECUTE FUNCTION refuse('a ticket''s number');
CREATE TRIGGER ledger_is_final BEFORE UPDATE OR DELETE ON ledger
FOR EACH ROW EXECUTE FUNCTION refuse('an entry of the ledger');
CREATE TRIGGER audit_lines_are_final BEFORE UPDATE OR DELETE ON audit_lines
FOR EACH ROW EXECUTE FUNCTION refuse('a line of the audit log');
CREATE TRIGGER manifests_are_final BEFORE UPDATE OF emission, block, manifest, tickets, winning, total_eur ON blocks
FOR EACH ROW EXECUTE FUNCTION refuse('what a manifest says');
CREATE TRIGGER emissions_are_kept BEFORE DELETE ON emissions
FOR EACH ROW EXECUTE FUNCTION refuse('an emission');
