//! Where the database is, and how it is used.

use std::fmt;
use std::time::Duration;

use tokio_postgres::config::{SslMode, TargetSessionAttrs};

use crate::StoreError;

/// Where a PostgreSQL database is, and how [`crate::PostgresStore`] uses it. Shows no password in `Debug`.
#[derive(Clone)]
pub struct PostgresConfig {
    pub(super) server: tokio_postgres::Config,
    pub(super) connections: usize,
    pub(super) writers: usize,
    pub(super) readers: usize,
    pub(super) patience: Duration,
    pub(super) unsafe_durability: bool,
}

impl PostgresConfig {
    /// Takes a URL, `postgres://user@host1,host2/database`, or the same as `key=value` words. Of several hosts, the
    /// first one that takes writes is used. A socket's folder is a host, too:
    /// `postgres:///database?host=/run/postgresql`, and another `&host=` for each further one.
    ///
    /// Refused ([`StoreError::Misuse`]): what is no such URL; a password in it, which would show wherever a URL does
    /// (give it by [`PostgresConfig::password`]); `sslmode=require`: connections are not encrypted here. Between
    /// machines let a proxy do it (PgBouncer, stunnel, WireGuard), reached by a socket.
    pub fn new(url: &str) -> Result<Self, StoreError> {
        let Ok(mut server) = url.parse::<tokio_postgres::Config>() else {
            return Err(StoreError::Misuse("the store's URL is not one: postgres://user@host/database"));
        };
        if server.get_password().is_some() {
            return Err(StoreError::Misuse("the store's URL holds a password: give it by its file or environment"));
        }
        if server.get_ssl_mode() == SslMode::Require {
            return Err(StoreError::Misuse(
                "the store does not encrypt its connections: use a socket, or a proxy that does",
            ));
        }
        server
            .ssl_mode(SslMode::Disable)
            .target_session_attrs(TargetSessionAttrs::ReadWrite)
            .connect_timeout(Duration::from_secs(3))
            // A server that vanished with its machine is noticed.
            .tcp_user_timeout(Duration::from_secs(10))
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(3))
            .keepalives_retries(3);
        if server.get_application_name().is_none() {
            server.application_name("qod");
        }
        let patience = Duration::from_secs(8);
        Ok(Self { server, connections: 4, writers: 2, readers: 2, patience, unsafe_durability: false })
    }

    /// The password, from a file or the environment.
    #[must_use]
    pub fn password(mut self, password: &[u8]) -> Self {
        self.server.password(password);
        self
    }

    /// How many connections serve what is asked one by one (4 by default, at least 1): sessions, payments, the
    /// operator's work.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// How many connections send appends, and how many answer reads of records (2 and 2 by default, at least 1 each);
    /// each sends what waits as one statement.
    #[must_use]
    pub fn batching(mut self, writers: usize, readers: usize) -> Self {
        (self.writers, self.readers) = (writers.max(1), readers.max(1));
        self
    }

    /// For how long what fails in passing (a failover, say) is tried again before it is an error: 8 s by default.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Works with a server that may lose what it acknowledged (`fsync = off`). Only for trials.
    #[must_use]
    pub fn allow_unsafe_durability(mut self) -> Self {
        self.unsafe_durability = true;
        self
    }
}

impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.server.get_hosts();
        f.debug_struct("PostgresConfig")
            .field("hosts", &hosts)
            .field("database", &self.server.get_dbname())
            .finish_non_exhaustive()
    }
}
