//! The rules of the house that the compiler does not know, asked of the source itself.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// A longer file is two files (house style: a file is a page).
const MAX_LINES: usize = 450;

/// The rooms from the ground up: each may use those on the floors below, and nobody on its own floor.
const FLOORS: &[&[&str]] = &[
    &["clock", "keys", "catalog", "metrics", "names", "request_id", "settings", "systemd", "units"],
    &["config", "tables"],
    &["db", "files", "passwords", "policy", "switch"],
    &["limits", "logs"],
    &["app", "buckets", "deadlines", "error", "holds", "objects", "session"],
    &["fsck", "turn", "uploads", "users"],
    &["activity", "backup", "mail"],
    &["events"],
    &["erasure"],
    &["auth", "rest", "storage", "own", "jobs"],
    &["demo", "http"],
    &["cli"],
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below a folder of the repository, with its text.
fn sources(folder: &str) -> Vec<(String, String)> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let base = root().join(folder);
    let mut found = Vec::new();
    collect(&base, &mut found);
    assert!(!found.is_empty(), "{folder} holds no source");
    found.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&base).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    found.into_iter().map(read).collect()
}

/// The code of a file without comments, texts in quotes, and the tests at its foot.
fn code(text: &str) -> String {
    let body = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = body.lines().map(|line| line.split("//").next().unwrap_or_default());
    let joined = lines.collect::<Vec<_>>().join("\n");
    joined.split('"').step_by(2).collect()
}

/// The room that a file of the server belongs to: `rest/plan.rs` → `rest`.
fn room(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap_or_default()
}

/// The rooms that code names behind `crate::`, one by one or in braces.
fn used_rooms(code: &str) -> BTreeSet<String> {
    let mut rooms = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut word) = (0, String::new());
            for c in group.chars() {
                match c {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => rooms.extend([std::mem::take(&mut word)]),
                    c if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            rooms.insert(word);
        } else {
            rooms.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    let first =
        |name: &String| name.trim().split("::").next().unwrap_or_default().trim().to_owned();
    rooms.iter().map(first).filter(|name| !name.is_empty()).collect()
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn rooms_use_only_the_floors_below() {
    let mut wrong = Vec::new();
    for (file, text) in sources("crates/portaria/src") {
        let here = room(&file);
        if ["lib", "main"].contains(&here) {
            continue;
        }
        let Some(own) = floor(here) else {
            wrong.push(format!("{file}: {here} stands on no floor; give it one in FLOORS"));
            continue;
        };
        for used in used_rooms(&code(&text)).iter().filter(|used| *used != here) {
            match floor(used) {
                None => wrong.push(format!("{file} uses {used}, which stands on no floor")),
                Some(other) if other >= own => {
                    wrong.push(format!("{file} must not use {used}"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Where alone a crate may be named: files, or rooms with a `/` behind.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["db/"]),
    ("tokio_postgres", &["db/"]),
    ("sea_query::backend", &["db/"]),
    ("axum", &["http/", "auth/", "rest/", "storage/", "own/", "error.rs"]),
    ("hyper", &["http/"]),
    ("tower_http", &["http/"]),
    ("tower", &["http/"]),
    ("rust_embed", &["http/"]),
    ("socket2", &["http/"]),
    ("jsonwebtoken", &["keys.rs"]),
    ("getrandom", &["keys.rs"]),
    ("aws_lc_rs", &["db/tls.rs", "http/tls.rs", "keys/"]),
    ("qrcode", &["auth/"]),
    ("argon2", &["passwords.rs"]),
    ("clap", &["cli.rs", "cli/"]),
    ("multer", &["storage/"]),
    ("toml", &["config.rs", "config/", "settings.rs", "units.rs"]),
    ("governor", &["limits.rs"]),
    ("lettre", &["mail/"]),
    ("object_store", &["files/bucket.rs"]),
    ("tokio_rustls", &["http/tls.rs"]),
    ("tracing_subscriber", &["logs.rs"]),
    ("ammonia", &["mail/"]),
    ("age", &["backup/"]),
    ("flate2", &["backup/"]),
];

#[test]
fn each_library_is_named_only_where_it_belongs() {
    let mut wrong = Vec::new();
    for (file, text) in sources("crates/portaria/src") {
        let code = code(&text);
        for (library, places) in ONLY_IN {
            let path = format!("{library}::");
            // A path of our own may end like a library's: `db::postgres::open`.
            let named = code.match_indices(&path).any(|(at, _)| {
                let before = code[..at].trim_end_matches("::").chars().next_back();
                let inner = code[..at].ends_with("::") && before.is_some_and(char::is_alphanumeric);
                let longer = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                !inner && !longer
            });
            if named && !places.iter().any(|place| file.starts_with(place)) {
                wrong.push(format!("{file} must not name {library}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_and_is_a_page() {
    let mut wrong = Vec::new();
    for folder in ["crates", "xtask"] {
        for (file, text) in sources(folder) {
            if !text.starts_with("//! ") {
                wrong.push(format!("{folder}/{file} does not begin with a //! line"));
            }
            let lines = text.lines().count();
            if lines >= MAX_LINES {
                wrong.push(format!("{folder}/{file} has {lines} lines: it is two files"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_to_do_or_kept_for_later() {
    let mut wrong = Vec::new();
    for folder in ["crates/portaria/src", "crates/query/src", "xtask/src"] {
        for (file, text) in sources(folder) {
            for word in ["TODO", "FIXME", "XXX", "todo!(", "unimplemented!(", "dbg!("] {
                if text.contains(word) {
                    wrong.push(format!("{folder}/{file} says {word}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn migrations_only_grow() {
    let folder = root().join("crates/portaria/migrations");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let runner = fs::read_to_string(root().join("crates/portaria/src/db/migrate.rs")).unwrap();
    let run: Vec<&str> =
        runner.split("/migrations/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(names, run, "the folder and the runner's list differ");
    for (number, name) in names.iter().enumerate() {
        let expected = format!("{:04}_", number + 1);
        assert!(
            name.starts_with(&expected) && name.contains(".sql"),
            "{name} is not {expected}*.sql"
        );
    }
}

#[test]
fn the_language_of_the_table_api_depends_on_nothing() {
    let manifest = fs::read_to_string(root().join("crates/query/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let no_table = |name: &str| {
        manifest.get(name).and_then(toml::Value::as_table).is_none_or(toml::Table::is_empty)
    };
    assert!(no_table("dependencies") && no_table("build-dependencies"));
    for (file, text) in sources("crates/query/src") {
        for word in ["std::fs", "std::net", "std::env", "std::thread", ".unwrap()", "panic!("] {
            assert!(!code(&text).contains(word), "{file} names {word}");
        }
    }
}

/// Where the files stand that the table of the clients' area names.
const PROOFS: [&str; 6] =
    ["e2e/browser", "e2e", "web/src", "crates/portaria/tests/it", "crates/portaria/src", "."];

#[test]
fn every_rule_of_the_clients_area_names_a_test_that_there_is() {
    let table = fs::read_to_string(root().join("docs/spec-client.md")).unwrap();
    let cells = table.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit_once("| "));
    let (mut wrong, mut text) = (Vec::new(), String::new());
    for (_, cell) in cells.filter(|(_, cell)| *cell != "Tested in") {
        for named in cell.split(['`', '"']).skip(1).step_by(2) {
            let is_file = named.contains('.');
            if is_file {
                let read = |folder: &&str| fs::read_to_string(root().join(folder).join(named));
                text = PROOFS.iter().find_map(|folder| read(folder).ok()).unwrap_or_default();
            }
            let title = named.trim_end_matches([' ', '…']);
            let is_missing = if is_file { text.is_empty() } else { !text.contains(title) };
            if is_missing {
                wrong.push(named.to_owned());
            }
        }
    }
    assert!(wrong.is_empty(), "docs/spec-client.md names what there is not: {wrong:?}");
}
