//! What the tests of the whole system share: the real server on a private data directory, players over plain HTTP, a
//! middleman who tampers, and real browsers driven over WebDriver.
//!
//! The tests know the draw keys of the blocks that they issue, and so where the losing numbers lie. The page and the
//! players' API do not: whatever they show, they were told.
//!
//! What the environment may name, and what is taken where it does not:
//!
//! | | |
//! | --- | --- |
//! | `QOD_BIN` | the server; else `cargo build -p qod` makes it |
//! | `QOD_DIST` | the built page; else `dist/`, which `scripts/build-web` makes |
//! | `CHROMEDRIVER`, `CHROMIUM` | the driver and its browser; else those that are found on the PATH |
//! | `QOD_ENGINE` | the browser engine; else `chromium` |
//! | `QOD_CHANCE` | the number from which a failing test's chance can be had again; else a new one, which is printed |
//!
//! A browser test that fails prints what the page showed, its console, and where a picture of it lies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what does not hold here fails a test")]

pub mod browser;
pub mod chance;
pub mod engine;
pub mod http;
pub mod layout;
pub mod page;
pub mod player;
pub mod postgres;
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
