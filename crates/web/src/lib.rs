//! The page: a Yew app.
