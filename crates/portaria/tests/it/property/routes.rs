//! Access to every route: `routes.txt` has a line per route with the expected responses. A route without a line fails
//! the test.

use std::{collections::BTreeSet, fs, net::Ipv4Addr, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use portaria::api::rest::error::CODES;
use serde_json::json;

use crate::harness::{PDF, portal_test};
use crate::property::{
    Seen,
    fixture::{Member, Office, Row, Value},
    generate::{Ask, Pool, encoded},
};

const TABLE: &str = include_str!("routes.txt");
const ENDPOINTS: &str = include_str!("../../../../../docs/protocol/endpoints.md");
const NOBODY: &str = "00000000-0000-4000-8000-000000000000";

/// A line of the table.
struct Line {
    method: &'static str,
    path: &'static str,
    /// The owner of the object in the path or body.
    whose: &'static str,
    /// Statuses for an anonymous caller, the owner, another client, an administrator, the service key.
    statuses: Vec<u16>,
    body: &'static str,
}

/// The values of placeholders: once for objects of client A, once for objects that do not exist.
struct Things {
    user: String,
    email: String,
    document: String,
    ticket: String,
    file: String,
}

fn lines() -> Vec<Line> {
    let reported = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    reported
        .map(|line| {
            let (line, body) = line.split_once(" | ").unwrap_or((line, ""));
            let mut words = line.split_whitespace();
            let mut word = || words.next().unwrap_or_else(|| panic!("too few columns: {line}"));
            let (method, path, whose) = (word(), word(), word());
            let statuses: Vec<u16> = words.map(|status| status.parse().unwrap()).collect();
            assert_eq!(statuses.len(), 5, "{line}");
            Line { method, path, whose, statuses, body: body.trim() }
        })
        .collect()
}

impl Line {
    fn ask(&self, things: &Things, from: u32) -> Ask {
        let fill = |text: &str| {
            text.replace("{user}", &things.user)
                .replace("{email}", &things.email)
                .replace("{document}", &things.document)
                .replace("{ticket}", &things.ticket)
        };
        let path = fill(self.path).replace("{file}", &encoded(&things.file));
        let mut ask = Ask::new(self.method, path);
        ask.from = Some(Ipv4Addr::from(from));
        if self.path.contains("=eq.") {
            // The status depends on the existence of the row.
            ask.header("accept", "application/vnd.pgrst.object+json");
            ask.header("prefer", "return=representation");
        }
        if self.path.contains("/upload/resumable") {
            let metadata = [("bucketName", "client-documents"), ("objectName", &things.file)];
            let metadata = metadata.map(|(name, text)| format!("{name} {}", BASE64.encode(text)));
            ask.header("tus-resumable", "1.0.0");
            ask.header("upload-metadata", metadata.join(","));
            ask.header("upload-length", PDF.len().to_string());
            ask.header("upload-offset", "0");
            ask.header("content-type", "application/offset+octet-stream");
        }
        ask.body = match self.body {
            "" => None,
            "PDF" => {
                ask.header("content-type", "application/pdf");
                Some(PDF.to_vec())
            }
            "BYTES" => Some(PDF.to_vec()),
            body => Some(fill(body).replace("{file}", &things.file).into_bytes()),
        };
        ask
    }
}

/// Creates objects of a client with files that the client may see, and ids that do not exist.
fn things(office: &Office, client: &Member) -> [Things; 2] {
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        _ => String::new(),
    };
    let own = Value::from(&client.id);
    let shown = |row: &&Row| {
        row["client_id"] == own
            && row["status"] == "active".into()
            && row["file_url"] != Value::Null
    };
    let document = office.table("documents").find(shown).unwrap();
    // A ticket that accepts replies.
    let open = |row: &&Row| row["user_id"] == own && row["status"] != "closed".into();
    let ticket = office.table("tickets").find(open).unwrap();
    let user = office.table("users").find(|row| row["id"] == own).unwrap();
    let mine = Things {
        user: client.id.clone(),
        email: text(&user["email"]),
        document: text(&document["id"]),
        ticket: text(&ticket["id"]),
        file: text(&document["file_url"]),
    };
    // The names have equal lengths, so that the lengths of responses agree.
    let (folder, name) = mine.file.rsplit_once('/').unwrap();
    let missing = Things {
        user: NOBODY.to_owned(),
        email: "ninguem@cliente.com.br".to_owned(),
        document: NOBODY.to_owned(),
        ticket: NOBODY.to_owned(),
        file: format!("{folder}/x{}", &name[1..]),
    };
    [mine, missing]
}

portal_test!(every_route_answers_every_caller_as_listed, async |portal| {
    // Passkeys need a domain name.
    portal.set("site_url", "https://portal.example.com");
    let office = Office::new(66, 77);
    let pool = Pool::new(&[&office]);
    let furnished = office.move_in(portal).await;
    let [mine, missing] = things(&office, &office.client);
    let token = |member| Some(Office::token(portal, member));
    let service = Some(portal.app.keys.service_role.clone());
    let actors = [None, token(&office.client), token(&office.other), token(&office.admin), service];
    let (mut wrong, mut asked) = (Vec::new(), 0);
    let mut before: Option<(&Line, Vec<Seen>)> = None;
    let lines = lines();
    for line in &lines {
        let things = if line.whose == "nobody" { &missing } else { &mine };
        let mut answers = Vec::new();
        for actor in &actors {
            asked += 1;
            let ask = line.ask(things, asked);
            let answer = ask.send(portal, actor.as_deref()).await;
            if ask.changes_state(&answer) {
                furnished.restore(portal).await;
            }
            answers.push(Seen::new(&answer, &pool));
        }
        let found: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
        if found != line.statuses {
            wrong.push(format!("{} {} {}: {found:?}", line.method, line.path, line.whose));
        }
        // For other callers the object must look as if it did not exist.
        if let Some((other, seen)) = &before
            && (other.method, other.path, other.body) == (line.method, line.path, line.body)
        {
            for actor in [0, 2] {
                let [one, two] = [(&seen[actor], &mine), (&answers[actor], &missing)]
                    .map(|(seen, things)| without(seen, things));
                if one != two {
                    wrong.push(format!("{} {}:\n  {one}\n  {two}", line.method, line.path));
                }
            }
        }
        before = Some((line, answers));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
});

portal_test!(token_of_the_inbox_is_refused_by_every_route, async |portal| {
    portal.set("site_url", "https://portal.example.com");
    let office = Office::new(66, 77);
    office.move_in(portal).await;
    let [mine, _] = things(&office, &office.client);
    let admin = Office::token(portal, &office.admin);
    let create = portal.post("/account/v1/inbox-tokens").bearer(&admin);
    let created = create.json(&json!({"name": "Scanner"})).send().await.is(200).json();
    let token = created["token"].as_str().unwrap();
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for (number, line) in (0..).zip(lines()) {
        let answer = line.ask(&mine, number).send(portal, Some(token)).await;
        let status = answer.status.as_u16();
        // The Storage API states the real status in the body.
        let is_refused = [401, 403].contains(&status)
            || status == 400 && answer.text().contains("\"statusCode\":\"403\"");
        refused += usize::from(is_refused);
        // Routes without a caller answer it as they answer a stranger.
        if !is_refused && status != line.statuses[0] {
            wrong.push(format!("{} {}: {status}", line.method, line.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(refused > 150, "{refused}");
    let send = portal.post("/storage/v1/object/inbox/guia.pdf").bearer(token);
    send.bytes("application/pdf", PDF).send().await.is(200);
});

/// A response without the names that it repeats.
fn without(seen: &Seen, things: &Things) -> String {
    let mut text = seen.to_string();
    for name in [&things.file, &things.user, &things.email, &things.document, &things.ticket] {
        text = text.replace(name.as_str(), "{name}");
    }
    text
}

/// Method and path of every route, parsed from the source of the router.
fn routes() -> BTreeSet<(String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http/router.rs");
    let source = fs::read_to_string(file).unwrap();
    let mut routes = BTreeSet::new();
    for function in source.split("\nfn ").flat_map(|text| text.split("\npub fn ")) {
        let name = function.split('(').next().unwrap();
        let nested = source.split(".nest(").find(|nest| nest.contains(&format!(", {name}(&app)")));
        let prefix = nested.map_or("", |nest| nest.split('"').nth(1).unwrap());
        for route in function.split(".route(").skip(1) {
            let path = format!("{prefix}{}", route.split('"').nth(1).unwrap());
            let mut depth = 1;
            let end = route.find(|c| {
                depth += i32::from(c == '(') - i32::from(c == ')');
                depth == 0
            });
            let route = &route[..end.unwrap()];
            for method in ["get", "head", "post", "put", "patch", "delete", "any"] {
                let is_named = route.match_indices(&format!("{method}(")).any(|(at, _)| {
                    !route[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                });
                if is_named {
                    routes.insert((method.to_uppercase(), path.clone()));
                }
            }
        }
    }
    routes
}

/// The number of literal segments of a route that match a path; `None` if the route does not match.
fn fit(route: &str, path: &str) -> Option<usize> {
    let mut path = path.split('?').next().unwrap().split('/');
    let mut exact = 0;
    for segment in route.split('/') {
        if segment.starts_with("{*") {
            return path.next().map(|_| exact);
        }
        let found = path.next()?;
        if !segment.starts_with('{') {
            exact += usize::from(segment == found);
            if segment != found {
                return None;
            }
        }
    }
    path.next().is_none().then_some(exact)
}

#[test]
fn every_route_is_listed() {
    let routes = routes();
    assert!(routes.len() > 40, "{routes:?}");
    let mut missing = routes.clone();
    for line in lines() {
        let takes = |route: &&(String, String)| route.0 == line.method || route.0 == "ANY";
        let fitting = routes.iter().filter(takes);
        let best =
            fitting.max_by_key(|(_, route)| fit(route, line.path).map_or(0, |exact| exact + 1));
        let best = best.filter(|(_, route)| fit(route, line.path).is_some());
        let best = best.unwrap_or_else(|| panic!("no route matches {} {}", line.method, line.path));
        missing.remove(best);
    }
    assert!(missing.is_empty(), "routes.txt has no line for {missing:?}");
}

#[test]
fn every_route_is_documented() {
    let mut documented = BTreeSet::new();
    for cell in ENDPOINTS.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()) {
        let (methods, path) = cell.rsplit_once(' ').unwrap();
        documented.extend(methods.split(", ").map(|method| (method.to_owned(), path.to_owned())));
    }
    let mut routes: BTreeSet<(String, String)> =
        routes().into_iter().map(|(method, path)| (method, path.replace("{*", "{"))).collect();
    // `any` answers unknown functions, and calls with another method.
    routes.retain(|(method, _)| method != "ANY");
    routes.insert(("POST".to_owned(), "/rest/v1/rpc/{function}".to_owned()));
    let missing: Vec<_> = routes.difference(&documented).collect();
    let unknown: Vec<_> = documented.difference(&routes).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

#[test]
fn codes_of_the_tables_are_documented() {
    let words = || ENDPOINTS.split('`').skip(1).step_by(2);
    let missing: Vec<_> = CODES.iter().filter(|code| !words().any(|word| word == **code)).collect();
    // Other codes are in lower case or CamelCase.
    let is_code = |word: &str| {
        let is_state = word.len() == 5 && word.starts_with(|c: char| c.is_ascii_digit());
        is_state || word.starts_with("PGRST") || word.starts_with("PT4")
    };
    let unknown: Vec<_> = words().filter(|word| is_code(word) && !CODES.contains(word)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}
