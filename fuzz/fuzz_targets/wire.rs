//! Any text as every body that crosses the wire, and any bytes as a stored event.
#![no_main]

use engine::codec;
use libfuzzer_sys::fuzz_target;
use protocol::{
    ContinueRequest, GameView, PickAnswer, PickRequest, Problem, QuitRequest, SessionAnswer, SessionRequest,
};
use seal::Json;
use seal::json::Writer;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(event) = codec::decode(bytes) {
        assert_eq!(codec::encode(&event), bytes);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(json) = Json::parse(text) else { return };
    if let Ok(request) = SessionRequest::read(&json) {
        let again = SessionRequest::read(&Json::parse(&request.to_json()).unwrap());
        assert!(again.is_ok_and(|again| again.code == request.code));
    }
    if let Ok(request) = ContinueRequest::read(&json) {
        assert_eq!(ContinueRequest::read(&Json::parse(&request.to_json()).unwrap()), Ok(request));
    }
    if let Ok(request) = PickRequest::read(&json) {
        assert_eq!(PickRequest::read(&Json::parse(&request.to_json()).unwrap()), Ok(request));
    }
    if let Ok(request) = QuitRequest::read(&json) {
        assert_eq!(QuitRequest::read(&Json::parse(&request.to_json()).unwrap()), Ok(request));
    }
    if let Ok(view) = GameView::read(&json) {
        let mut w = Writer::new();
        view.write(&mut w);
        assert_eq!(GameView::read(&Json::parse(&w.finish()).unwrap()), Ok(view));
    }
    if let Ok(answer) = PickAnswer::read(&json) {
        assert_eq!(PickAnswer::read(&Json::parse(&answer.to_json()).unwrap()), Ok(answer));
    }
    if let Ok(answer) = SessionAnswer::read(&json) {
        assert!(SessionAnswer::read(&Json::parse(&answer.to_json()).unwrap()).is_ok_and(|again| again == answer));
    }
    if let Some(problem) = Problem::read(&json) {
        assert_eq!(Problem::read(&Json::parse(&problem.to_json()).unwrap()), Some(problem));
    }
});
