//! A block of tickets: lots, codes, numbers, and what the server is given of them.
