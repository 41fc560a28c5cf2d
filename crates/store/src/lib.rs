//! Where tickets and games are kept: one trait; memory and SQLite.
