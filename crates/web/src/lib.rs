//! The page: a Yew app.

pub mod model;
