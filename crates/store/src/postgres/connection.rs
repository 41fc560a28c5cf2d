//! One connection: made to a server that takes writes, set up, and with its statements prepared once.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::config::PostgresConfig;
use super::failure::Failure;
use crate::StoreError;

/// Values of a statement, in order.
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// What every connection begins with. A commit is answered once it is on disk here and, where a standby is waited for,
/// there. No transaction is left open by a server that hung, and none goes on for one that is gone.
const SETTINGS: &str = "
    SET default_transaction_isolation = 'read committed';
    SET idle_in_transaction_session_timeout = '20s';
    SET client_connection_check_interval = '2s';
    SET jit = off;
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply');";

/// For statements over what waits: a plan made while the tables are empty must be right when they have grown, so it is
/// always the one that goes by the indexes, in the order of the rows given.
pub(super) const BY_INDEX: &str = "
    SET plan_cache_mode = force_generic_plan;
    SET enable_seqscan = off;
    SET enable_mergejoin = off;
    SET enable_hashjoin = off;";

pub(super) struct Connection {
    client: Client,
    statements: HashMap<&'static str, Statement>,
    in_transaction: bool,
}

impl Connection {
    /// Connects to the first host that takes writes; `settings` come after those of every connection.
    pub(super) async fn open(config: &PostgresConfig, settings: &str) -> Result<Self, Failure> {
        let (client, driver) = config.server.connect(NoTls).await?;
        // It ends with the client. Its error is the one that the client's calls get.
        tokio::spawn(async move { drop(driver.await) });
        client.batch_execute(&format!("{SETTINGS}{settings}")).await?;
        Ok(Self { client, statements: HashMap::new(), in_transaction: false })
    }

    /// Refuses a server that may lose what it acknowledged.
    pub(super) async fn check_durability(&mut self) -> Result<(), Failure> {
        let sql = "SELECT current_setting('fsync') = 'on'
            AND current_setting('synchronous_commit') IN ('on', 'remote_apply')";
        let row = self.one(sql, &[]).await?;
        if row.try_get(0)? {
            Ok(())
        } else {
            Err(Failure::Final(StoreError::Misuse("the database may lose what it acknowledged: set fsync = on")))
        }
    }

    /// Refuses a server that takes no writes: a standby, say.
    pub(super) async fn check_writable(&mut self) -> Result<(), Failure> {
        let row =
            self.one("SELECT current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery()", &[]).await?;
        if row.try_get(0)? { Err(Failure::Lost(StoreError::ReadOnly)) } else { Ok(()) }
    }

    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && !self.in_transaction
    }

    async fn prepared(&mut self, sql: &'static str) -> Result<Statement, Failure> {
        match self.statements.entry(sql) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(place) => Ok(place.insert(self.client.prepare(sql).await?).clone()),
        }
    }

    pub(super) async fn all(&mut self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, Failure> {
        let statement = self.prepared(sql).await?;
        Ok(self.client.query(&statement, values).await?)
    }

    pub(super) async fn maybe(&mut self, sql: &'static str, values: Values<'_>) -> Result<Option<Row>, Failure> {
        Ok(self.all(sql, values).await?.pop())
    }

    pub(super) async fn one(&mut self, sql: &'static str, values: Values<'_>) -> Result<Row, Failure> {
        self.maybe(sql, values).await?.ok_or_else(|| Failure::Final(vanished()))
    }

    pub(super) async fn change(&mut self, sql: &'static str, values: Values<'_>) -> Result<u64, Failure> {
        let statement = self.prepared(sql).await?;
        Ok(self.client.execute(&statement, values).await?)
    }

    /// Statements without values and without an answer.
    pub(super) async fn script(&mut self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(sql).await?)
    }

    pub(super) async fn begin(&mut self) -> Result<(), Failure> {
        self.in_transaction = true;
        self.script("BEGIN").await
    }

    pub(super) async fn commit(&mut self) -> Result<(), Failure> {
        self.script("COMMIT").await?;
        self.in_transaction = false;
        Ok(())
    }

    /// Undoes a transaction that is open; where that fails the connection is no longer usable.
    pub(super) async fn rollback(&mut self) {
        if self.in_transaction && self.script("ROLLBACK").await.is_ok() {
            self.in_transaction = false;
        }
    }
}

pub(super) fn vanished() -> StoreError {
    StoreError::Corrupt { detail: "a row that was in the way is not there".into() }
}
