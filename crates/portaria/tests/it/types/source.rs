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

/// The names of the functions below `/rest/v1/rpc`, from the routes of their handler.
pub(super) fn functions() -> BTreeSet<String> {
    let handler = server_source().join("api/rest/rpc/mod.rs");
    let text = fs::read_to_string(handler).unwrap();
    let names: BTreeSet<String> = text
        .split("(&Method::POST, \"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name.to_owned()))
        .collect();
    assert!(!names.is_empty(), "the handler of /rest/v1/rpc has no routes in the known form");
    names
}

/// The literal codes at calls that construct errors: `AuthError::forbidden("not_admin", …)`,
/// `RestError::new(StatusCode::NOT_FOUND, "PT404", …)`.
pub(super) fn error_codes() -> BTreeSet<String> {
    const CALLS: [&str; 4] =
        ["::bad_request(", "::unprocessable(", "::forbidden(", "Error::new(StatusCode::"];
    let mut codes = BTreeSet::new();
    for text in rust_files(&server_source()) {
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for call in CALLS {
            for arguments in code.split(call).skip(1) {
                codes.extend(first_code(arguments));
            }
        }
        // `Self::new` and calls that break after the bracket.
        for arguments in code.split("::new(").skip(1) {
            let arguments = arguments.trim_start();
            if arguments.starts_with("StatusCode::") || starts_with_number(arguments) {
                codes.extend(first_code(arguments));
            }
        }
    }
    codes
}

fn starts_with_number(text: &str) -> bool {
    text.split(',').next().is_some_and(|first| first.parse::<u16>().is_ok())
}

/// The first literal of a call, if it is a code and follows only constants: `StatusCode::NOT_FOUND, "PT404"`.
fn first_code(arguments: &str) -> Option<String> {
    let (before, rest) = arguments.split_once('"')?;
    let literal = rest.split_once('"')?.0;
    let is_constant = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_:,".contains(c);
    let is_code = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = before.chars().all(is_constant) && !literal.is_empty();
    (found && literal.chars().all(is_code)).then(|| literal.to_owned())
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

fn rust_files(folder: &Path) -> Vec<String> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            texts.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            texts.push(fs::read_to_string(path).unwrap());
        }
    }
    texts
}

fn literals(text: &str, quote: char) -> Vec<String> {
    text.split(quote).skip(1).step_by(2).map(str::to_owned).collect()
}
