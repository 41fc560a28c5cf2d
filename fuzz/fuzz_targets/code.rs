//! Any text as a code, a control code and a ticket number: what is read is written back and read again as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rules::{Code, ControlCode, TicketNumber};

fuzz_target!(|text: &str| {
    if let Ok(code) = text.parse::<Code>() {
        assert_eq!(code.grouped().parse(), Ok(code));
        assert_eq!(code.grouped().to_lowercase().parse(), Ok(code));
    }
    if let Ok(control) = text.parse::<ControlCode>() {
        let written = std::str::from_utf8(control.as_bytes()).unwrap();
        assert_eq!(written.parse(), Ok(control));
    }
    if let Ok(number) = text.parse::<TicketNumber>() {
        assert_eq!(number.to_string(), text);
    }
});
