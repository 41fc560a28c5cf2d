//! What crosses the wire: commands, views, problems, and a typed client generic over transport.
