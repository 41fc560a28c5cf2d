//! Which store a command works on: the SQLite database of the data directory, or a PostgreSQL database.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use store::{PostgresConfig, PostgresStore, Store};

use crate::data::{make_store, open_store};

/// The environment's name for the database's password.
pub(crate) const PASSWORD: &str = "QOD_STORE_PASSWORD";

/// Where the store is.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct StoreArgs {
    /// The data directory: the keys of the emissions, and the SQLite database
    #[arg(long, value_name = "DIR", env = "QOD_DATA", default_value = ".data")]
    pub(crate) data: PathBuf,
    /// Where tickets and games are kept: "sqlite", in the data directory, or postgres://USER@HOST/DATABASE, without its
    /// password
    #[arg(long, value_name = "STORE", env = "QOD_STORE", default_value = "sqlite")]
    pub(crate) store: String,
    /// A file with the database's password, which no one else can read; else it is taken from QOD_STORE_PASSWORD
    #[arg(long, value_name = "FILE", env = "QOD_STORE_PASSWORD_FILE")]
    pub(crate) store_password_file: Option<PathBuf>,
}

impl StoreArgs {
    /// Opens it; it must be there.
    pub(crate) async fn open(&self) -> anyhow::Result<Arc<dyn Store>> {
        match self.store.as_str() {
            "sqlite" => Ok(Arc::new(open_store(&self.data)?)),
            url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                let mut config = PostgresConfig::new(url)?;
                if let Some(password) = self.password()? {
                    config = config.password(&password);
                }
                Ok(Arc::new(PostgresStore::connect(config).await?))
            }
            _ => anyhow::bail!("--store is \"sqlite\", or a URL: postgres://USER@HOST/DATABASE"),
        }
    }

    /// Opens it; a SQLite database is made where it is missing, with its data directory.
    pub(crate) async fn make(&self) -> anyhow::Result<Arc<dyn Store>> {
        if self.store == "sqlite" { Ok(Arc::new(make_store(&self.data)?)) } else { self.open().await }
    }

    /// The password, from its file or the environment.
    fn password(&self) -> anyhow::Result<Option<Vec<u8>>> {
        match &self.store_password_file {
            Some(path) => secret(path).map(Some),
            None => Ok(std::env::var_os(PASSWORD).map(std::ffi::OsString::into_encoded_bytes)),
        }
    }
}

/// What a file holds that only its owner, and perhaps its group, can read; without the newline at its end.
fn secret(path: &Path) -> anyhow::Result<Vec<u8>> {
    use std::os::unix::fs::PermissionsExt as _;
    let failed = || format!("cannot read {}", path.display());
    let mode = std::fs::metadata(path).with_context(failed)?.permissions().mode();
    anyhow::ensure!(
        mode & 0o007 == 0,
        "{0} can be read by others: run `chmod o= {0}`, and change the password",
        path.display()
    );
    let mut text = std::fs::read(path).with_context(failed)?;
    while text.last().is_some_and(|last| matches!(last, b'\n' | b'\r')) {
        text.pop();
    }
    Ok(text)
}
