//! What the tests of the whole system share: the real server on a private data directory, players over plain HTTP, a
//! middleman who tampers, and real browsers driven over WebDriver.
//!
//! The tests know the draw keys of the blocks that they issue, and so where the losing numbers lie. The page and the
//! players' API do not: whatever they show, they were told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what does not hold here fails a test")]

pub mod browser;
pub mod chance;
pub mod engine;
pub mod http;
pub mod layout;
pub mod page;
pub mod player;
pub mod process;
pub mod proxy;
pub mod service;
pub mod tickets;

pub use browser::{Browser, Element, Key};
pub use engine::Size;
pub use layout::Layout;
pub use page::Page;
pub use player::{Deed, Player};
pub use process::eventually;
pub use proxy::Proxy;
pub use service::Service;
pub use tickets::Ticket;
