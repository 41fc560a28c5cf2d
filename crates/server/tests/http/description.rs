//! The APIs' descriptions: every answer that any test here gets is held against them, so that they cannot rot.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::harness::Heard;

/// The players' API, as the server gives its description.
pub(crate) static PLAYERS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../src/description/openapi.json")).unwrap());
/// The points of sale's API.
pub(crate) static POINTS_OF_SALE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../src/description/points-of-sale.json")).unwrap());

/// What a `$ref` stands for.
fn resolved(api: &'static Value, json: &'static Value) -> &'static Value {
    match json["$ref"].as_str() {
        Some(reference) => api.pointer(reference.trim_start_matches('#')).unwrap(),
        None => json,
    }
}

/// Whether a path is one of those that a template stands for.
fn fits(template: &str, path: &str) -> bool {
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template.zip(path).all(|(step, given)| step == given || step.starts_with('{') && !given.is_empty())
}

/// Requires that an answer is one that the description has at that address.
#[track_caller]
pub(crate) fn holds(api: &'static Value, method: &str, path: &str, heard: &Heard) {
    let methods = api["paths"].as_object().unwrap().iter().find(|(template, _)| fits(template, path));
    // Elsewhere, and for methods that it does not take, the description says nothing.
    let Some(operation) = methods.and_then(|(_, methods)| methods.get(method)) else { return };
    let response = &operation["responses"][heard.status.to_string()];
    assert!(!response.is_null(), "{method} {path} answers {}: {}", heard.status, heard.text());
    let response = resolved(api, response);
    for (name, header) in response["headers"].as_object().into_iter().flatten() {
        assert!(header["required"] == true && heard.header(name).is_some(), "{name} is missing: {heard:?}");
    }
    let media_type = heard.header("content-type").unwrap();
    let schema = &response["content"][media_type]["schema"];
    assert!(!schema.is_null(), "{method} {path} answers {media_type}");
    let body: Value = serde_json::from_slice(&heard.body).unwrap();
    let reference = schema["$ref"].as_str().unwrap();
    let told = with_validator(api, reference, |validator| {
        validator.iter_errors(&body).map(|error| format!("{}: {error}", error.instance_path())).collect::<Vec<_>>()
    });
    assert!(told.is_empty(), "{method} {path}: {told:?}");
    assert_eq!(unknown(api, &body, reference), Vec::<String>::new(), "members that the description does not have");
    // The points of sale's says, at each status, which problems it may be.
    if *api == *POINTS_OF_SALE && heard.status >= 400 {
        let code = format!("`{}`", body["code"].as_str().unwrap());
        assert!(response["description"].as_str().unwrap().contains(&code), "{method} {path}: {code} is not told");
    }
}

fn with_validator<T>(api: &'static Value, reference: &str, with: impl FnOnce(&Validator) -> T) -> T {
    static VALIDATORS: LazyLock<Mutex<HashMap<String, Validator>>> = LazyLock::new(Mutex::default);
    let mut validators = VALIDATORS.lock().unwrap_or_else(PoisonError::into_inner);
    let title = api["info"]["title"].as_str().unwrap();
    let validator = validators.entry(format!("{title} {reference}")).or_insert_with(|| {
        let schema = json!({ "$ref": reference, "components": api["components"] });
        jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap()
    });
    with(validator)
}

/// The members of an object that its schema does not name.
fn unknown(api: &'static Value, body: &Value, reference: &str) -> Vec<String> {
    let schema = api.pointer(reference.trim_start_matches('#')).unwrap();
    let names = body.as_object().into_iter().flatten().map(|(name, _)| name);
    names.filter(|name| schema["properties"][name.as_str()].is_null()).cloned().collect()
}

/// Requires that this is a page for people, with every operation of the description on it, and nothing that runs.
#[track_caller]
pub(crate) fn shows(page: &Heard, api: &Value) {
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    for (path, methods) in api["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(page.text().contains(&format!("<code>{} {path}</code>", method.to_uppercase())), "{path}");
            assert!(page.text().contains(operation["summary"].as_str().unwrap()));
        }
    }
    assert!(!page.text().contains("<script") && !page.text().contains("style="));
}

/// Requires that the description has these addresses and problems, and no others.
#[track_caller]
pub(crate) fn has_exactly<'a>(api: &Value, routes: &[&str], codes: impl IntoIterator<Item = &'a str>) {
    let sorted = |mut all: Vec<String>| {
        all.sort_unstable();
        all
    };
    let paths = api["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(sorted(paths), sorted(routes.iter().map(|&route| route.to_owned()).collect()));
    let told = api.pointer("/components/schemas/Problem/properties/code/enum").unwrap().as_array().unwrap();
    let told = told.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    assert_eq!(sorted(told), sorted(codes.into_iter().map(str::to_owned).collect()));
    assert!(jsonschema::meta::is_valid(&json!({ "$defs": api["components"]["schemas"] })));
}
