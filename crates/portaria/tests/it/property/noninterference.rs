//! Non-interference: two portals that agree exactly on what a client may see give equal responses to every request of
//! that client or of an anonymous caller.

use crate::harness::{Engine, TestPortal};
use crate::property::{Pair, fixture::Office, generate::Maker, seeds};

/// The shared content of both offices.
const SHARED: u64 = 11;

fn offices() -> [Office; 2] {
    [Office::new(SHARED, 22), Office::new(SHARED, 33)]
}

/// Offices that agree on what a limited member of the client may see.
fn limited_offices() -> [Office; 2] {
    [Office::limited(SHARED, 22), Office::limited(SHARED, 33)]
}

fn check_noninterference(engine: Engine, offices: &[Office; 2], number: u64, share: u64) {
    crate::harness::run_on_two([engine, engine], async |worlds: [&TestPortal; 2]| {
        let [one, two] = offices;
        let member = one.limited.as_ref().unwrap_or(&one.client);
        let tokens = worlds.map(|portal| Office::token(portal, member));
        assert_eq!(tokens[0], tokens[1]);
        let mut pair = Pair::new(worlds, [one, two]).await;
        for seed in seeds(number, share) {
            let mut maker = Maker::new(seed, &pair.pool, false);
            // One request in twelve is anonymous.
            let token = maker.rng.percent(92).then_some(tokens[0].as_str());
            let ask = maker.ask();
            let caller = if token.is_some() { "the client" } else { "a stranger" };
            pair.ask(&ask, token, &format!("seed {seed}, {caller}")).await;
        }
        pair.check();
    });
}

/// The property in parts, which run in parallel.
macro_rules! proofs {
    ($($name:ident: $engine:ident, $offices:ident, $number:literal, $share:literal;)+) => {
        $(#[test]
        fn $name() {
            check_noninterference(Engine::$engine, &$offices(), $number, $share);
        })+
    };
}

proofs! {
    nothing_of_others_shows_first: Sqlite, offices, 1, 10_000;
    nothing_of_others_shows_second: Sqlite, offices, 2, 10_000;
    nothing_of_others_shows_third: Sqlite, offices, 3, 10_000;
    nothing_of_others_shows_fourth: Sqlite, offices, 4, 10_000;
    nothing_of_others_shows_on_postgres: Postgres, offices, 5, 10_000;
    nothing_of_other_folders_shows: Sqlite, limited_offices, 9, 5_000;
    nothing_of_other_folders_shows_on_postgres: Postgres, limited_offices, 10, 3_000;
}

/// The property is meaningful only if the offices differ in everything else.
#[test]
fn offices_agree_exactly_on_what_the_client_sees() {
    for [one, two] in [offices(), limited_offices()] {
        check_offices(&one, &two);
    }
}

fn check_offices(one: &Office, two: &Office) {
    let visible = |office: &Office| {
        let shared = office.rows.iter().zip(&office.shared).filter(|(_, shared)| **shared);
        shared.count()
    };
    assert_eq!(visible(one), visible(two));
    // Rows of these tables contain a column that the client cannot see, so no two are equal.
    let with_hidden = [
        "users",
        "objects",
        "documents",
        "document_contacts",
        "document_payments",
        "document_approvals",
        "document_receipts",
        "sessions",
        "tickets",
        "ticket_presence",
    ];
    for table in [
        "users",
        "sessions",
        "muted_topics",
        "notifications",
        "documents",
        "tickets",
        "ticket_messages",
        "ticket_attachments",
        "ticket_history",
        "document_receipts",
        "document_payments",
        "document_approvals",
        "document_contacts",
        "request_items",
        "received_files",
        "ticket_presence",
        "objects",
    ] {
        let rows = |office: &Office| office.table(table).cloned().collect::<Vec<_>>();
        let (one, two) = (rows(one), rows(two));
        assert!(one.iter().any(|row| two.contains(row)) || with_hidden.contains(&table), "{table}");
        assert!(one.iter().any(|row| !two.contains(row)), "{table}");
    }
}
