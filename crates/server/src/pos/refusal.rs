//! Why a point of sale gets no answer: what it asked for, the ticket as it stands, or a failure of ours. On the wire, each
//! is a problem document (RFC 9457) with a stable `code`.

use std::fmt;

use axum::http::HeaderValue;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use protocol::Problem;
use protocol::time::to_rfc3339;
use rules::{Amount, Timestamp};
use seal::hash::to_hex;
use seal::json::Writer;
use store::{PaymentId, StoreError};

use crate::failure::{Failure, Told};
use crate::reply::json;

/// Why nothing was done.
#[derive(Debug)]
pub enum Refusal {
    /// What was asked cannot be, as the ticket and its payments stand.
    Stands(Stands),
    /// The request itself.
    Slip(Slip),
    /// A failure of ours: whether it was done is not known, and the same request again tells.
    Ours(Ours),
}

/// What stands in the way of a payment or its reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stands {
    /// No ticket has that number and that control code: which of the two is wrong is not told.
    UnknownTicket,
    /// It lost at stage 1.
    LosingTicket,
    /// Its game runs: nothing is payable before its end, or this instant at the latest.
    StillRunning(Timestamp),
    /// Its game was lost.
    Lost,
    /// Its game's 30 days ended without a gain.
    ExpiredWithoutGain,
    /// It was paid, then; the payment is told to its own point of sale.
    PaidAlready(Timestamp, Amount, Option<PaymentId>),
    /// The time to be paid ended then.
    PayTooLate(Timestamp),
    /// The key was used for another request.
    KeyReused,
    /// There is no such payment, or it is another point of sale's.
    UnknownPayment,
    /// It was reversed, then.
    ReversedAlready(Timestamp),
}

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slip {
    /// No point of sale has that key.
    NoPointOfSale,
    /// The operator has disabled it.
    Disabled,
    /// The header `Idempotency-Key` is missing.
    KeyMissing,
    /// It is not what such a key may be.
    Key,
    /// It is not written as ticket numbers are.
    TicketNumber,
    /// It is not written as control codes are.
    ControlCode,
    /// The 18 characters of the player's code were given as the control code.
    PlayersCode,
    /// Who or why is missing or too long; what to do about it.
    Reason(&'static str),
    /// Too many wrong control codes, or requests at once: in how many seconds to come again.
    TooMany(u64),
}

/// A failure of ours.
#[derive(Debug)]
pub struct Ours(pub(crate) Failure);

impl Stands {
    const fn code(self) -> (u16, &'static str) {
        match self {
            Self::UnknownTicket => (404, "unknown_ticket"),
            Self::LosingTicket => (409, "losing_ticket"),
            Self::StillRunning(_) => (409, "still_running"),
            Self::Lost => (409, "lost"),
            Self::ExpiredWithoutGain => (409, "expired_without_gain"),
            Self::PaidAlready(..) => (409, "paid_already"),
            Self::PayTooLate(_) => (409, "pay_too_late"),
            Self::KeyReused => (422, "idempotency_key_reused"),
            Self::UnknownPayment => (404, "unknown_payment"),
            Self::ReversedAlready(_) => (409, "reversed_already"),
        }
    }

    fn members(self, w: &mut Writer) {
        match self {
            Self::StillRunning(at) => w.key("finish_before").string(&to_rfc3339(at)),
            Self::PaidAlready(at, paid, payment) => {
                w.key("paid_at").string(&to_rfc3339(at));
                w.key("paid_eur").int(paid.eur());
                if let Some(PaymentId(id)) = payment {
                    w.key("payment_id").string(&to_hex(&id));
                }
            }
            Self::PayTooLate(at) => w.key("pay_before").string(&to_rfc3339(at)),
            Self::ReversedAlready(at) => w.key("reversed_at").string(&to_rfc3339(at)),
            _ => {}
        }
    }
}

impl fmt::Display for Stands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTicket => {
                f.write_str("no ticket has that number and that control code: compare both with the ticket in hand")
            }
            Self::LosingTicket => f.write_str("the ticket lost at stage 1: there is nothing to pay"),
            Self::StillRunning(at) => write!(
                f,
                "its game is running: nothing is payable before it ends, at the latest on {}",
                to_rfc3339(*at)
            ),
            Self::Lost => f.write_str("its game was lost: there is nothing to pay"),
            Self::ExpiredWithoutGain => {
                f.write_str("the 30 days of its game ended without a gain: there is nothing to pay")
            }
            Self::PaidAlready(at, paid, payment) => {
                write!(f, "it was paid already: {} € on {}", paid.eur(), to_rfc3339(*at))?;
                payment.map_or(Ok(()), |PaymentId(id)| write!(f, ", payment {}", to_hex(&id)))
            }
            Self::PayTooLate(at) => {
                write!(f, "its emission's tickets were paid before {}: that time has ended", to_rfc3339(*at))
            }
            Self::KeyReused => f.write_str(
                "this idempotency key was used for another request: take a new key for each payment and each reversal",
            ),
            Self::UnknownPayment => {
                f.write_str("no payment of yours has that payment_id: take it from the payment's answer")
            }
            Self::ReversedAlready(at) => write!(f, "that payment was reversed already, on {}", to_rfc3339(*at)),
        }
    }
}

impl Slip {
    const fn code(self) -> (u16, &'static str) {
        match self {
            Self::NoPointOfSale => (401, "no_point_of_sale"),
            Self::Disabled => (403, "point_of_sale_disabled"),
            Self::KeyMissing => (400, "idempotency_key_missing"),
            Self::Key => (400, "malformed_idempotency_key"),
            Self::TicketNumber => (422, "malformed_ticket_number"),
            Self::ControlCode => (422, "malformed_control_code"),
            Self::PlayersCode => (422, "players_code_refused"),
            Self::Reason(_) => (422, "malformed_reason"),
            Self::TooMany(_) => (429, "too_many_attempts"),
        }
    }
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPointOfSale => "send the key of a point of sale as \"Authorization: Bearer <key>\"",
            Self::Disabled => "the operator has disabled this point of sale: ask them",
            Self::KeyMissing => {
                "send the header Idempotency-Key with a new random text (a UUID, say), and the same one when you repeat \
                 this request"
            }
            Self::Key => "an idempotency key is 1 to 128 visible ASCII characters, without spaces, in one header",
            Self::TicketNumber => "a ticket number is written as 001-0001-0000123",
            Self::ControlCode => {
                "a control code has 8 letters and digits, without 0, 1, I, L and O: it stands under the layer of stage 1"
            }
            Self::PlayersCode => {
                "that is as long as the player's own 18-character code, which is never given at a point of sale: take the \
                 8-character control code under the layer of stage 1"
            }
            Self::Reason(what) => what,
            Self::TooMany(_) => {
                "too many wrong control codes, or too many requests at once: nothing was done; come again after the \
                 seconds of Retry-After"
            }
        })
    }
}

impl fmt::Display for Ours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Failure::Store(error) => error.fmt(f),
            Failure::NoKeys(emission) => write!(f, "the keys of emission {emission} are not loaded"),
            Failure::Corrupt(number, cause) => write!(f, "what is stored of ticket {number:?} is no game: {cause}"),
            other => f.write_str(&other.problem().detail.unwrap_or_else(|| "the server failed".to_owned())),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stands(stands) => stands.fmt(f),
            Self::Slip(slip) => slip.fmt(f),
            Self::Ours(ours) => ours.fmt(f),
        }
    }
}

impl std::error::Error for Refusal {}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match self {
            Self::Ours(Ours(failure)) => failure.into_response(),
            Self::Stands(stands) => problem(stands.code(), &stands.to_string(), |w| stands.members(w)),
            Self::Slip(slip) => {
                let mut response = problem(slip.code(), &slip.to_string(), |_| {});
                let headers = response.headers_mut();
                match slip {
                    Slip::NoPointOfSale => _ = headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
                    Slip::TooMany(seconds) => _ = headers.insert(RETRY_AFTER, HeaderValue::from(seconds)),
                    _ => {}
                }
                response
            }
        }
    }
}

fn problem((status, code): (u16, &'static str), detail: &str, members: impl FnOnce(&mut Writer)) -> Response {
    let mut w = Writer::new();
    w.object(|w| {
        w.key("type").string("about:blank");
        w.key("title").string(&code.replace('_', " "));
        w.key("status").int(status.into());
        w.key("code").string(code);
        w.key("detail").string(detail);
        members(w);
    });
    let mut response = json(status, Problem::MEDIA_TYPE, w.finish());
    response.extensions_mut().insert(Told { code, fault: None });
    response
}

impl From<Stands> for Refusal {
    fn from(stands: Stands) -> Self {
        Self::Stands(stands)
    }
}

impl From<Slip> for Refusal {
    fn from(slip: Slip) -> Self {
        Self::Slip(slip)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Ours(Ours(failure))
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Failure::from(error).into()
    }
}
