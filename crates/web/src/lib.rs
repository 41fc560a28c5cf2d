//! The page: a Yew app.
//!
//! [`state`] is the one reducer: it takes what happened and gives what is to be done. [`table`] is an open ticket and [`played`] a started game as it was
//! checked; [`screens`] says what is shown of them, in the words of [`model`], and `components` shows it. All of these are pure and run
//! anywhere; [`flow`] makes the calls over any transport. [`shell`] carries out what is wanted, by [`browser`], [`net`] and [`storage`]; [`app`] is
//! the root component.

pub mod app;
pub mod browser;
pub mod components;
pub mod evidence;
pub mod flow;
pub mod held;
pub mod model;
pub mod net;
pub mod played;
pub mod receipts;
pub mod screens;
pub mod shell;
pub mod signatures;
pub mod state;
pub mod storage;
pub mod story;
pub(crate) mod table;
pub mod texts;
pub mod verifier;

pub use app::run;
