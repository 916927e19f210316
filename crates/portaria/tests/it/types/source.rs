//! Facts that the server's types do not hold, read from its source: closed sets of values from the CHECK constraints of
//! the migrations, the names of the functions, and the error codes at the calls that construct errors.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The values of the columns with a constraint `{table}_{column}_check CHECK ({column} IN (…))`, by `{table}_{column}`.
/// A later migration replaces the values of an earlier one.
pub(super) fn enums() -> BTreeMap<String, Vec<String>> {
    let mut enums = BTreeMap::new();
    for sql in migrations() {
        for line in sql.lines() {
            let Some((name, values)) = check_constraint(line) else { continue };
            enums.insert(name.to_owned(), values);
        }
    }
    assert!(!enums.is_empty(), "no migration has a CHECK constraint with a list of values");
    enums
}

fn check_constraint(line: &str) -> Option<(&str, Vec<String>)> {
    let (constraint, check) = line.trim().strip_prefix("CONSTRAINT ")?.split_once(" CHECK (")?;
    let (column, list) = check.split_once(" IN (")?;
    let name = constraint.strip_suffix("_check")?;
    let values = literals(list.split_once(')')?.0, '\'');
    name.ends_with(&format!("_{column}")).then_some((name, values))
}

/// The names of the functions below `/rest/v1/rpc`, from the routes of the router or of the functions' handler.
pub(super) fn functions() -> BTreeSet<String> {
    let files = ["http/router.rs", "api/rest/rpc/mod.rs"];
    let read = |file| fs::read_to_string(server_source().join(file)).unwrap();
    let texts = files.map(read);
    let routes = texts[0].split("\"/rpc/").skip(1);
    let arms = texts[1].split("(&Method::POST, \"").skip(1);
    let names: BTreeSet<String> = routes
        .chain(arms)
        .filter_map(|rest| rest.split_once('"'))
        .filter(|(name, _)| !name.starts_with('{'))
        .map(|(name, _)| name.to_owned())
        .collect();
    assert!(!names.is_empty(), "no function has a route in the known form");
    names
}

/// The literal codes at calls that construct errors: `AuthError::forbidden("not_admin", …)`,
/// `RestError::new(StatusCode::NOT_FOUND, "PT404", …)`, and calls of `Self::…` in files of the name `error.rs`.
pub(super) fn error_codes() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for (path, text) in rust_files(&server_source()) {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        let constructors: &[&str] = if path.ends_with("error.rs") {
            &["Error::", "InvalidValue::", "Self::"]
        } else {
            &["Error::", "InvalidValue::"]
        };
        for call in constructors.iter().flat_map(|constructor| code.split(constructor).skip(1)) {
            let Some((function, arguments)) = call.split_once('(') else { continue };
            if function.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                codes.extend(first_code(arguments));
            }
        }
    }
    codes
}

/// The first literal of a call, if it is a code and follows only constants: `StatusCode::NOT_FOUND, "PT404", …`.
fn first_code(arguments: &str) -> Option<String> {
    let (before, rest) = arguments.split_once('"')?;
    let (literal, after) = rest.split_once('"')?;
    let is_constant = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_:,".contains(c);
    let is_code = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_first = before.chars().all(is_constant) && after.starts_with(',');
    (is_first && !literal.is_empty() && literal.chars().all(is_code)).then(|| literal.to_owned())
}

/// The texts of the migrations of all crates, in the order of their names.
fn migrations() -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        if let Ok(folder) = fs::read_dir(entry.unwrap().path().join("migrations")) {
            files.extend(folder.map(|file| file.unwrap().path()));
        }
    }
    files.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    files.into_iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

fn server_source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
    files
}

fn literals(text: &str, quote: char) -> Vec<String> {
    text.split(quote).skip(1).step_by(2).map(str::to_owned).collect()
}
