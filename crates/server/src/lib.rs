//! HTTP: the player's API, the page and its files.
