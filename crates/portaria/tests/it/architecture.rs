//! Rules about the source itself that the compiler cannot check: the direction of imports, the crates that each module
//! may name, the length of files.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use portaria::{db::migrations::Change, schema::migrations::MIGRATIONS};

/// Maximum number of lines of a file.
const MAX_LINES: usize = 450;

/// Maximum number of top-level modules of the server.
const MAX_MODULES: usize = 32;

/// The libraries of the workspace that `lib.rs` re-exports. They lie below every module, and the compiler checks that
/// they name none.
const LIBRARIES: [&str; 3] = ["blob", "db", "mail"];

/// The top-level modules from the lowest layer to the highest. A module may import modules of lower layers only.
const LAYERS: &[&[&str]] = &[
    &["clock", "data_dir", "display_name", "telemetry"],
    &["security"],
    &["config"],
    &["schema"],
    &["policy"],
    &["office"],
    &["app", "error"],
    &["audit", "lease"],
    &["table_write"],
    &["notifications", "stored_files"],
    &["accounts", "documents", "fsck"],
    &["folders", "inbox", "requests", "tickets"],
    &["email_templates"],
    &["backup"],
    &["doctor"],
    &["privacy"],
    &["api", "jobs"],
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

/// The top-level module of a file: `api/rest/select.rs` → `api`.
fn module_of(file: &str) -> &str {
    file.split(['/', '.']).next().unwrap_or_default()
}

/// The top-level modules that code imports by `crate::`, one by one or in braces.
fn imported_modules(code: &str) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut word) = (0, String::new());
            for c in group.chars() {
                match c {
                    '}' if depth == 0 => break,
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    ',' if depth == 0 => modules.extend([std::mem::take(&mut word)]),
                    c if depth == 0 => word.push(c),
                    _ => {}
                }
            }
            modules.insert(word);
        } else {
            modules.insert(rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect());
        }
    }
    let first =
        |name: &String| name.trim().split("::").next().unwrap_or_default().trim().to_owned();
    modules.iter().map(first).filter(|name| !name.is_empty()).collect()
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

#[test]
fn modules_import_lower_layers_only() {
    let mut wrong = Vec::new();
    for (file, text) in sources("crates/portaria/src") {
        let module = module_of(&file);
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let Some(own) = layer(module) else {
            wrong.push(format!("{file}: {module} is in no layer; add it to LAYERS"));
            continue;
        };
        let imported = imported_modules(&code(&text));
        let is_module = |name: &&String| *name != module && !LIBRARIES.contains(&name.as_str());
        for imported in imported.iter().filter(is_module) {
            let Some(other) = layer(imported) else {
                wrong.push(format!("{file} imports {imported}, which is in no layer"));
                continue;
            };
            if other >= own {
                wrong.push(format!("{file} must not import {imported}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn table_api_names_no_table() {
    let mut wrong = Vec::new();
    for (file, text) in sources("crates/portaria/src") {
        let is_generic = ["api/rest/", "table_write/"].iter().any(|path| file.starts_with(path));
        if is_generic && code(&text).contains("TableId::") {
            wrong.push(format!("{file} names a table; implement TableHooks in its feature"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn top_level_modules_are_few() {
    let modules: usize = LAYERS.iter().map(|layer| layer.len()).sum();
    assert!(modules <= MAX_MODULES, "{modules} top-level modules");
}

/// The only places that may name a crate: files, or folders with a trailing `/`.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("axum", &["http/", "api/", "error.rs"]),
    ("hyper", &["http/"]),
    ("tower_http", &["http/"]),
    ("tower", &["http/"]),
    ("rust_embed", &["demo/", "http/"]),
    ("socket2", &["http/"]),
    ("jsonwebtoken", &["security/"]),
    ("getrandom", &["security/"]),
    ("aws_lc_rs", &["doctor/certificate_end.rs", "http/tls.rs", "security/"]),
    ("krilla", &["documents/proof/pdf.rs", "documents/proof/pdf_text.rs"]),
    ("qrcode", &["api/auth/mfa/", "documents/proof/pdf.rs"]),
    ("skrifa", &["documents/proof/pdf_text.rs"]),
    ("webauthn_rs", &["accounts/passkeys/ceremony.rs"]),
    ("argon2", &["security/password.rs"]),
    ("reqwest", &["jobs/deliver_push.rs"]),
    ("clap", &["cli/"]),
    ("multer", &["api/storage/"]),
    ("toml", &["config/"]),
    ("governor", &["security/rate_limit.rs"]),
    ("tokio_rustls", &["doctor/certificate_end.rs", "http/tls.rs"]),
    ("tracing_subscriber", &["telemetry/logging.rs"]),
    ("image", &["api/storage/images/", "office/logo.rs"]),
    ("fast_image_resize", &["api/storage/images/"]),
    ("age", &["backup/"]),
    ("secrecy", &["backup/", "config/"]),
    ("flate2", &["api/storage/images/render.rs", "backup/"]),
];

#[test]
fn libraries_are_named_only_in_their_module() {
    let mut wrong = Vec::new();
    for (file, text) in sources("crates/portaria/src") {
        let code = code(&text);
        for (library, places) in ONLY_IN {
            let path = format!("{library}::");
            // One of our own paths may end with the name of a library: `db::postgres::open`.
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
fn files_begin_with_a_description_and_are_short() {
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
fn source_contains_no_leftovers() {
    let mut wrong = Vec::new();
    for folder in [
        "crates/portaria/src",
        "crates/portaria-blob/src",
        "crates/portaria-codes/src",
        "crates/portaria-db/src",
        "crates/portaria-mail/src",
        "crates/portaria-query/src",
        "xtask/src",
    ] {
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
fn migrations_are_numbered_and_all_run() {
    let folder = root().join("crates/portaria/migrations");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let files = MIGRATIONS.0.iter().flat_map(|(name, change)| match change {
        Change::Sql(_) => vec![format!("{name}.sql")],
        Change::SqlOf { .. } => vec![format!("{name}.postgres.sql"), format!("{name}.sqlite.sql")],
        Change::Rows(_) => Vec::new(),
    });
    let files: Vec<String> = files.collect();
    assert_eq!(names, files, "the folder and the list differ");
    for (number, (name, _)) in MIGRATIONS.0.iter().enumerate() {
        let expected = format!("{:04}_", number + 1);
        assert!(name.starts_with(&expected), "{name} is not {expected}*");
    }
}

/// The names in a table of a crate's manifest.
fn dependencies(package: &str, table: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(format!("crates/{package}/Cargo.toml"))).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let table = manifest.get(table).and_then(toml::Value::as_table);
    table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
}

/// The only crates of the workspace that may depend on a library.
const ONLY_OF: &[(&str, &str)] = &[
    ("rusqlite", "portaria-db"),
    ("tokio-postgres", "portaria-db"),
    ("tokio-postgres-rustls", "portaria-db"),
    ("object_store", "portaria-blob"),
    ("ammonia", "portaria-mail"),
    ("html2text", "portaria-mail"),
    ("html5ever", "portaria-mail"),
    ("lettre", "portaria-mail"),
];

#[test]
fn libraries_are_dependencies_of_one_crate() {
    for package in ["portaria", "portaria-blob", "portaria-db", "portaria-mail"] {
        let dependencies = dependencies(package, "dependencies");
        for (library, owner) in ONLY_OF {
            assert_eq!(dependencies.contains(*library), package == *owner, "{package}: {library}");
        }
    }
}

#[test]
fn libraries_of_the_workspace_do_not_depend_on_the_server() {
    for (package, allowed) in [
        ("portaria-blob", &[] as &[&str]),
        ("portaria-codes", &[]),
        ("portaria-db", &["portaria-query"]),
        ("portaria-mail", &[]),
    ] {
        let mut dependencies = dependencies(package, "dependencies");
        dependencies.retain(|name| name.starts_with("portaria"));
        assert!(dependencies.iter().eq(allowed), "{package} depends on {dependencies:?}");
    }
}

#[test]
fn pure_crates_have_no_io_and_few_dependencies() {
    for (package, allowed) in
        [("portaria-query", &[] as &[&str]), ("portaria-codes", &["jiff", "serde"])]
    {
        let listed = dependencies(package, "dependencies");
        assert!(listed.iter().eq(allowed), "{package} depends on {listed:?}");
        assert_eq!(dependencies(package, "build-dependencies"), BTreeSet::new());
        for (file, text) in sources(&format!("crates/{package}/src")) {
            for word in ["std::fs", "std::net", "std::env", "std::thread", ".unwrap()", "panic!("] {
                assert!(!code(&text).contains(word), "{package}/{file} names {word}");
            }
        }
    }
}

/// Where the files stand that the table of the clients' area names.
const PROOFS: [&str; 5] =
    ["e2e", "web/src", "crates/portaria/tests/it", "crates/portaria/src", "."];

#[test]
fn specification_table_names_existing_tests() {
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
