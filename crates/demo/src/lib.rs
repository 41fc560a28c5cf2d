//! The engine in the page, for preview builds only.
