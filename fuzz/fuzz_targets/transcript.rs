//! Any text as a transcript: checking it never fails in another way than by saying what is wrong, and what is read is written back and read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use seal::Transcript;

fuzz_target!(|text: &str| {
    if let Ok(transcript) = Transcript::from_json(text) {
        let again = Transcript::from_json(&transcript.to_json());
        assert_eq!(again.as_ref(), Ok(&transcript));
        if let Ok(checked) = transcript.check() {
            assert!(checked.game.acquired() <= rules::Amount::LARGEST_GAIN);
            assert_eq!(checked.losing.is_some(), transcript.server_seed.is_some());
        }
    }
});
