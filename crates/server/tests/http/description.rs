//! The API's description: every answer that any test here gets is held against it, so that it cannot rot.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use protocol::{ProblemCode, routes};
use serde_json::{Value, json};

use crate::harness::{Heard, Trial};

/// The description, as the server gives it.
static API: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../src/description/openapi.json")).unwrap());

/// What a `$ref` of a response stands for.
fn resolved(json: &'static Value) -> &'static Value {
    match json["$ref"].as_str() {
        Some(reference) => API.pointer(reference.trim_start_matches('#')).unwrap(),
        None => json,
    }
}

/// Requires that an answer is one that the description has at that address.
#[track_caller]
pub(crate) fn holds(method: &str, path: &str, heard: &Heard) {
    let operation = &API["paths"][path][method];
    // Elsewhere, and for methods that it does not take, the description says nothing.
    if operation.is_null() {
        return;
    }
    let response = &operation["responses"][heard.status.to_string()];
    assert!(!response.is_null(), "{method} {path} answers {}: {}", heard.status, heard.text());
    let response = resolved(response);
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        assert!(header["required"] == true && heard.header(name).is_some(), "{name} is missing: {heard:?}");
    }
    let media_type = heard.header("content-type").unwrap();
    let schema = &response["content"][media_type]["schema"];
    assert!(!schema.is_null(), "{method} {path} answers {media_type}");
    let body: Value = serde_json::from_slice(&heard.body).unwrap();
    let reference = schema["$ref"].as_str().unwrap();
    let told = with_validator(reference, |validator| {
        validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect::<Vec<_>>()
    });
    assert!(told.is_empty(), "{method} {path}: {told:?}");
    assert_eq!(unknown(&body, reference), Vec::<String>::new(), "members that the description does not have");
}

fn with_validator<T>(reference: &str, with: impl FnOnce(&Validator) -> T) -> T {
    static VALIDATORS: LazyLock<Mutex<HashMap<String, Validator>>> = LazyLock::new(Mutex::default);
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let validator = validators.entry(reference.to_owned()).or_insert_with(|| {
        let schema = json!({ "$ref": reference, "components": API["components"] });
        jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
    });
    with(validator)
}

/// The members of an object that its schema does not name.
fn unknown(body: &Value, reference: &str) -> Vec<String> {
    let schema = API.pointer(reference.trim_start_matches('#')).unwrap();
    let names = body.as_object().into_iter().flatten().map(|(name, _)| name);
    names.filter(|name| schema["properties"][name.as_str()].is_null()).cloned().collect()
}

#[tokio::test]
async fn the_description_is_served_to_programs_and_to_people() {
    let trial = Trial::new().await;
    let heard = trial.get("/api/v1/openapi.json", &[]).await;
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(serde_json::from_slice::<Value>(&heard.body).unwrap(), *API);
    let page = trial.get("/api/", &[]).await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for (path, methods) in API["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(page.text().contains(&format!("<code>{} {path}</code>", method.to_uppercase())), "{path}");
            assert!(page.text().contains(operation["summary"].as_str().unwrap()));
        }
    }
    assert!(!page.text().contains("<script") && !page.text().contains("style="));
    let style = trial.get("/api/style.css", &[]).await;
    assert_eq!(style.header("content-type"), Some("text/css; charset=utf-8"));
}

#[test]
fn the_description_has_every_address_and_every_problem_of_the_api_and_no_other() {
    let paths: Vec<_> = API["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    let mut routes = vec![
        routes::KEYS,
        routes::GAME,
        routes::CONTINUE,
        routes::PICKS,
        routes::QUIT,
        routes::TRANSCRIPT,
        routes::SESSIONS,
    ];
    routes.sort_unstable();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, routes);
    let codes = API.pointer("/components/schemas/Problem/properties/code/enum").unwrap();
    assert_eq!(*codes, json!(ProblemCode::ALL.map(ProblemCode::as_str)));
    assert!(jsonschema::meta::is_valid(&json!({ "$defs": API["components"]["schemas"] })));
}
