//! The settings' file: TOML, each setting under the name of its flag. What it says takes the place of the flags' usual
//! values, so that flags and the environment count before it, and are checked alike.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Arg, Command};
use toml::{Table, Value};

/// What cannot be set in a file.
const NOT_IN_A_FILE: [&str; 3] = ["config", "check-config", "help"];

/// The command with what the file says as its subcommand's usual values.
///
/// # Errors
/// The file cannot be read, is no TOML, or has a name or a value that the subcommand does not take.
pub(crate) fn with_file(command: Command, subcommand: &str, path: &Path) -> anyhow::Result<Command> {
    let named = || format!("in the settings' file {}", path.display());
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let table: Table = text.parse().map_err(|error: toml::de::Error| anyhow::anyhow!("{error}")).with_context(named)?;
    let mut command = command;
    for (name, value) in &table {
        command = with_setting(command, subcommand, name, value).with_context(named)?;
    }
    Ok(command)
}

fn with_setting(command: Command, subcommand: &str, name: &str, value: &Value) -> anyhow::Result<Command> {
    let flags = command.find_subcommand(subcommand).into_iter().flat_map(Command::get_arguments);
    let flags: Vec<&Arg> =
        flags.filter(|flag| flag.get_long().is_some_and(|long| !NOT_IN_A_FILE.contains(&long))).collect();
    let Some(flag) = flags.iter().find(|flag| flag.get_long() == Some(name)) else {
        let mut known: Vec<_> = flags.iter().filter_map(|flag| flag.get_long()).collect();
        known.sort_unstable();
        anyhow::bail!("there is no setting \"{name}\"; there are: {}", known.join(", "));
    };
    // A list of nothing says nothing.
    if value.as_array().is_some_and(Vec::is_empty) {
        return Ok(command);
    }
    let text = text(value)
        .with_context(|| format!("the setting \"{name}\" is a text, a number, true or false, or a list of texts"))?;
    // Alone, for an error that names the place; without the environment, which would be checked in its stead.
    let id = flag.get_id().clone();
    let alone = Command::new("qod").no_binary_name(true).arg((*flag).clone().env(None::<&str>).required(false));
    if let Err(error) = alone.try_get_matches_from([format!("--{name}={text}")]) {
        let said = error.to_string();
        let said = said.trim_start_matches("error: ").lines().next().unwrap_or_default().to_owned();
        anyhow::bail!("{said}: `qod {subcommand} --help` tells what \"{name}\" takes");
    }
    Ok(command.mut_subcommand(subcommand, |command| command.mut_arg(id, |flag| flag.default_value(text))))
}

/// As it would be written behind a flag.
fn text(value: &Value) -> Option<String> {
    Some(match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(set) => set.to_string(),
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?.join(","),
        _ => return None,
    })
}

/// The names in the environment that look like settings and are none: a slip, most likely.
pub(crate) fn unknown_in_environment(command: &Command, subcommand: &str) -> Vec<String> {
    let flags = command.find_subcommand(subcommand).into_iter().flat_map(Command::get_arguments);
    let known: Vec<_> = flags.filter_map(Arg::get_env).collect();
    let names = std::env::vars_os().map(|(name, _)| name);
    let unknown = names.filter(|name| !known.contains(&name.as_os_str()));
    let ours = unknown.filter_map(|name| name.into_string().ok()).filter(|name| name.starts_with("QOD_"));
    let others: [&str; 4] = [crate::store_args::PASSWORD, "QOD_RECEIPT_KEYS", "QOD_BIN", "QOD_DIST"];
    ours.filter(|name| !others.contains(&name.as_str())).collect()
}

/// The file that the arguments or the environment name.
pub(crate) fn named(matches: &clap::ArgMatches, subcommand: &str) -> Option<PathBuf> {
    let (name, matches) = matches.subcommand()?;
    if name == subcommand { matches.get_one::<PathBuf>("config").cloned() } else { None }
}
