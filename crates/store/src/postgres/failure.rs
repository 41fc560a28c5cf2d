//! What PostgreSQL's errors mean here, and which of them pass. Only codes are passed on: messages may hold values.

use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::StoreError;

/// Why an attempt came to nothing.
#[derive(Debug)]
pub(super) enum Failure {
    /// It is so, and another attempt would find the same.
    Final(StoreError),
    /// It passes: the transaction was undone, the connection is good.
    Again(StoreError),
    /// The connection, or its server, is gone or may no longer write. What was sent may have been kept.
    Lost(StoreError),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Final(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Some(state) = error.code() else {
            // A row that cannot be read is not what the schema lets in; all else is the connection.
            return if error.is_closed()
                || std::error::Error::source(&error).is_some_and(|cause| cause.is::<std::io::Error>())
            {
                Self::Lost(unavailable("the connection was lost"))
            } else if error.to_string().starts_with("error deserializing") {
                Self::Final(StoreError::Corrupt {
                    detail: "a row does not have the form that its schema gives it".into(),
                })
            } else {
                Self::Lost(unavailable("no connection could be made"))
            };
        };
        let code = state.code();
        let detail = || format!("PostgreSQL {code}");
        match *state {
            SqlState::T_R_SERIALIZATION_FAILURE | SqlState::T_R_DEADLOCK_DETECTED => {
                Self::Again(unavailable(&detail()))
            }
            // It was a primary, and follows another one now.
            SqlState::READ_ONLY_SQL_TRANSACTION => Self::Lost(StoreError::ReadOnly),
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::TOO_MANY_CONNECTIONS
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Self::Lost(unavailable(&detail())),
            SqlState::DISK_FULL => Self::Final(StoreError::Full),
            _ => match code.get(..2) {
                Some("08") => Self::Lost(unavailable(&detail())),
                // A value or constraint that the schema does not let in, or a damaged page.
                Some("22" | "23" | "XX") => Self::Final(StoreError::Corrupt { detail: detail() }),
                _ => Self::Final(unavailable(&detail())),
            },
        }
    }
}

impl Failure {
    pub(super) fn into_error(self) -> StoreError {
        match self {
            Self::Final(error) | Self::Again(error) | Self::Lost(error) => error,
        }
    }

    /// The attempt took too long.
    pub(super) fn timeout() -> Self {
        Self::Lost(unavailable("no answer in time"))
    }
}

pub(super) fn unavailable(detail: &str) -> StoreError {
    StoreError::Unavailable { detail: detail.into() }
}
