//! The use cases without I/O: a game, a command and an instant give events and an answer.
