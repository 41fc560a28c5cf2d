//! Between what is kept and PostgreSQL's types: identities are `uuid`, hashes and seeds `bytea`, numbers `bigint`.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use super::failure::Failure;
use crate::StoreError;
use crate::types::*;

type Refused = Box<dyn Error + Sync + Send>;

/// Newtypes over bytes.
macro_rules! kept_as_bytes {
    ($($name:ident: $kind:ident)*) => { $(
        impl ToSql for $name {
            fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Refused> {
                out.extend_from_slice(&self.0);
                Ok(IsNull::No)
            }

            fn accepts(kind: &Type) -> bool {
                *kind == Type::$kind
            }

            to_sql_checked!();
        }

        impl<'a> FromSql<'a> for $name {
            fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Refused> {
                Ok(Self(raw.try_into()?))
            }

            fn accepts(kind: &Type) -> bool {
                *kind == Type::$kind
            }
        }
    )* };
}

kept_as_bytes! {
    TicketId: UUID PaymentId: UUID InstanceId: UUID
    KeyedHash: BYTEA TokenHash: BYTEA ClientSeed: BYTEA PointOfSaleKey: BYTEA IdempotencyKey: BYTEA Digest: BYTEA
}

impl ToSql for Label {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Refused> {
        self.as_str().to_sql(kind, out)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as ToSql>::accepts(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Label {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Refused> {
        Ok(Self::new(<&str>::from_sql(kind, raw)?)?)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as FromSql>::accepts(kind)
    }
}

/// Newtypes over numbers, and numbers that PostgreSQL has no type for: all are `bigint`.
macro_rules! kept_as_bigint {
    ($($name:ty: $to:expr, $from:expr;)*) => { $(
        impl ToSql for $name {
            fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Refused> {
                let number: fn(&Self) -> i64 = $to;
                number(self).to_sql(kind, out)
            }

            fn accepts(kind: &Type) -> bool {
                *kind == Type::INT8
            }

            to_sql_checked!();
        }

        impl<'a> FromSql<'a> for $name {
            fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Refused> {
                let read: fn(i64) -> Result<Self, std::num::TryFromIntError> = $from;
                Ok(read(i64::from_sql(kind, raw)?)?)
            }

            fn accepts(kind: &Type) -> bool {
                *kind == Type::INT8
            }
        }
    )* };
}

kept_as_bigint! {
    Millis: |at| at.0, |number| Ok(Millis(number));
    Version: |version| version.0.into(), |number| number.try_into().map(Version);
    PointOfSaleId: |id| id.0.into(), |number| number.try_into().map(PointOfSaleId);
}

/// A number that fits where the schema's checks hold.
pub(super) fn number<T: TryFrom<i64>>(row: &Row, column: &str) -> Result<T, Failure> {
    let found: i64 = row.try_get(column)?;
    narrow(found)
}

/// The same, of an `integer`.
pub(super) fn short<T: TryFrom<i64>>(row: &Row, column: &str) -> Result<T, Failure> {
    let found: i32 = row.try_get(column)?;
    narrow(found.into())
}

fn narrow<T: TryFrom<i64>>(found: i64) -> Result<T, Failure> {
    let beyond =
        |_| Failure::Final(StoreError::Corrupt { detail: "a number is beyond what its schema lets in".into() });
    T::try_from(found).map_err(beyond)
}

pub(super) fn ticket_number(row: &Row) -> Result<TicketNumber, Failure> {
    Ok(TicketNumber { emission: short(row, "emission")?, block: short(row, "block")?, serial: number(row, "serial")? })
}

pub(super) fn ticket(row: &Row) -> Result<Ticket, Failure> {
    Ok(Ticket {
        id: row.try_get("ticket_id")?,
        number: ticket_number(row)?,
        code_hash: row.try_get("code_hash")?,
        control_hash: row.try_get("control_hash")?,
        potential_gain_eur: number(row, "potential_gain_eur")?,
    })
}

pub(super) fn emission(row: &Row) -> Result<Emission, Failure> {
    Ok(Emission {
        id: short(row, "id")?,
        start_before: row.try_get("start_before")?,
        unfinished: row.try_get("unfinished")?,
        new_games: row.try_get("new_games")?,
        payment_before: row.try_get("payment_before")?,
    })
}

pub(super) fn game(row: &Row) -> Result<Game, Failure> {
    Ok(Game {
        version: row.try_get::<_, Option<Version>>("version")?.unwrap_or_default(),
        client_seed: row.try_get("client_seed")?,
        state: row.try_get("state")?,
        finish_before: row.try_get("finish_before")?,
    })
}
