//! Who may know whom (docs/architecture.md): a crate that reaches one that it must not know fails here.
#![allow(clippy::unwrap_used, reason = "what does not hold here fails a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Every crate of the house, with the crates of the house that it may name.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("seal", &["rules"]),
    ("protocol", &["rules", "seal"]),
    ("engine", &["protocol", "rules", "seal"]),
    ("store", &["rules"]),
    ("server", &["engine", "protocol", "rules", "seal", "store"]),
    ("issue", &["rules", "seal"]),
    ("demo", &["engine", "protocol", "rules", "seal"]),
    // `demo` with the feature `preview` only, which the release does not have: see below.
    ("web", &["demo", "protocol", "rules", "seal"]),
    ("qod", &["engine", "issue", "protocol", "rules", "seal", "server", "store"]),
];

/// What the crates at the bottom may take from outside: they must stay readable to the last line and build everywhere.
const MAY_TAKE: &[(&str, &[&str])] =
    &[("rules", &[]), ("seal", &["ed25519-dalek", "sha2"]), ("protocol", &[]), ("engine", &[]), ("demo", &[])];

fn cargo(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "cargo {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Each crate of the workspace with what it depends on when it is built (not in its tests).
fn declared() -> BTreeMap<String, BTreeSet<String>> {
    let metadata: serde_json::Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"])).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let name = |value: &serde_json::Value| value["name"].as_str().unwrap().to_owned();
    let built = |package: &serde_json::Value| {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies.filter(|d| d["kind"].is_null() || d["kind"] == "build").map(name).collect()
    };
    packages
        .map(|package| (name(package), built(package)))
        .filter(|(name, _)| !["cluster", "load", "system-tests"].contains(&name.as_str()))
        .collect()
}

#[test]
fn no_crate_names_one_that_it_must_not_know() {
    let declared = declared();
    let house: BTreeSet<&str> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    assert_eq!(declared.keys().map(String::as_str).collect::<BTreeSet<_>>(), house, "a crate without its rule");
    for (name, may_know) in MAY_KNOW {
        for known in declared[*name].iter().filter(|known| house.contains(known.as_str())) {
            assert!(may_know.contains(&known.as_str()), "{name} must not know {known}");
        }
    }
}

#[test]
fn the_crates_at_the_bottom_take_nothing_else_from_outside() {
    let declared = declared();
    let house: BTreeSet<&str> = MAY_KNOW.iter().map(|(name, _)| *name).collect();
    for (name, may_take) in MAY_TAKE {
        for taken in declared[*name].iter().filter(|taken| !house.contains(taken.as_str())) {
            assert!(may_take.contains(&taken.as_str()), "{name} must not depend on {taken}");
        }
    }
}

#[test]
fn the_release_page_holds_neither_the_demo_nor_anything_of_the_server() {
    let reached = |features: &[&str]| -> BTreeSet<String> {
        let target = ["tree", "-p", "web", "--target", "wasm32-unknown-unknown", "-e", "normal", "--prefix", "none"];
        let tree = cargo(&[&target[..], &["--format", "{p}", "--offline"], features].concat());
        tree.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    let release = reached(&[]);
    assert!(release.contains("seal") && release.contains("protocol"));
    for hidden in ["demo", "engine", "store", "server", "issue", "qod", "ed25519-dalek"] {
        assert!(!release.contains(hidden), "the release page reaches {hidden}");
    }
    // The same question finds it where it is: the test would see it.
    assert!(reached(&["--features", "preview"]).contains("demo"));
}
