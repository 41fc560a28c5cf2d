//! The sealed grid: commit, open, blend, verify; transcripts; keyed hashes of codes.
