//! The real server over a private PostgreSQL: a standby that takes over under load, what a dump holds, and what a restored
//! copy may and may not do.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold here fails a test")]

mod dump;
mod failover;
mod restore;

use cluster::Server;

/// How many games have not as many events as their version says: those that are half done.
fn half_done(server: &Server) -> String {
    server.sql(
        "test_0",
        "SELECT count(*) FROM games g WHERE version <> (SELECT count(*) FROM events e WHERE e.ticket_id = g.ticket_id)",
    )
}
