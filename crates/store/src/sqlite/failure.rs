//! What SQLite's errors mean here. Only its fixed texts are passed on: they hold no value of any row.

use rusqlite::{Error, ErrorCode, ffi};

use crate::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        let Error::SqliteFailure(failure, _) = error else {
            // All statements are fixed, so anything else is a row that is not what the schema lets in.
            return StoreError::Corrupt { detail: "a row does not have the form that its schema gives it".into() };
        };
        let detail = || format!("SQLite {}: {}", failure.extended_code, ffi::code_to_str(failure.extended_code));
        match failure.code {
            ErrorCode::DiskFull => StoreError::Full,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation => {
                StoreError::Corrupt { detail: detail() }
            }
            _ => StoreError::Unavailable { detail: detail() },
        }
    }
}

/// Whether the row named another one that does not exist.
pub(super) fn names_what_is_not_there(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(failure, _) if failure.extended_code == ffi::SQLITE_CONSTRAINT_FOREIGNKEY)
}

/// Whether the row had a value that is another row's, where there is no `ON CONFLICT`.
pub(super) fn repeats_what_is_unique(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(failure, _) if failure.extended_code == ffi::SQLITE_CONSTRAINT_UNIQUE)
}

/// A thread that could not be started.
pub(super) fn no_thread(error: std::io::Error) -> StoreError {
    StoreError::Unavailable { detail: format!("no thread: {}", error.kind()) }
}
