//! The real server over plain HTTP: whole games checked by a walk of their own, SIGKILL in the middle of them, a point of
//! sale that pays one, and how the page's files are served.
#![allow(clippy::unwrap_used, clippy::panic, reason = "what does not hold here fails a test")]

mod counter;
mod faults;
mod files;
mod games;
