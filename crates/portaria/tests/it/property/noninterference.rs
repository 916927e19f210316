//! Non-interference: in two portals that agree on what a client may see, and in nothing else, no request of
//! that client or of a stranger is answered differently.

use crate::harness::{Engine, TestPortal};
use crate::property::{Pair, fixture::Office, generate::Maker, seeds};

/// What both offices have in common.
const SHARED: u64 = 11;

fn offices() -> [Office; 2] {
    [Office::new(SHARED, 22), Office::new(SHARED, 33)]
}

fn prove(engine: Engine, number: u64, share: u64) {
    crate::harness::run_on_two([engine, engine], async |worlds: [&TestPortal; 2]| {
        let [one, two] = offices();
        let tokens = worlds.map(|world| Office::token(world, &one.client));
        assert_eq!(tokens[0], tokens[1]);
        let mut pair = Pair::new(worlds, [&one, &two]).await;
        for seed in seeds(number, share) {
            let mut maker = Maker::new(seed, &pair.pool, false);
            // One in twelve comes from somebody without a session.
            let token = maker.rng.percent(92).then_some(tokens[0].as_str());
            let ask = maker.ask();
            let who = if token.is_some() { "the client" } else { "a stranger" };
            pair.ask(&ask, token, &format!("seed {seed}, {who}")).await;
        }
        pair.check();
    });
}

/// The proof in parts, which run beside each other.
macro_rules! proofs {
    ($($name:ident: $engine:ident, $number:literal;)+) => {
        $(#[test]
        fn $name() {
            prove(Engine::$engine, $number, 10_000);
        })+
    };
}

proofs! {
    nothing_of_others_shows_first: Sqlite, 1;
    nothing_of_others_shows_second: Sqlite, 2;
    nothing_of_others_shows_third: Sqlite, 3;
    nothing_of_others_shows_fourth: Sqlite, 4;
    nothing_of_others_shows_on_postgres: Postgres, 5;
}

/// The proof is worth something only if the offices do differ where they may.
#[test]
fn the_offices_agree_on_what_the_client_sees_alone() {
    let [one, two] = offices();
    let visible = |office: &Office| {
        let shared = office.rows.iter().zip(&office.shared).filter(|(_, shared)| **shared);
        shared.count()
    };
    assert_eq!(visible(&one), visible(&two));
    // These hold something that the client is not told, so that none of their rows are alike.
    let with_hidden = ["users", "objects", "documents", "sessions", "tickets", "ticket_presence"];
    for table in [
        "users",
        "sessions",
        "muted_topics",
        "documents",
        "tickets",
        "ticket_messages",
        "ticket_attachments",
        "ticket_history",
        "document_receipts",
        "ticket_presence",
        "objects",
    ] {
        let rows = |office: &Office| office.table(table).cloned().collect::<Vec<_>>();
        let (one, two) = (rows(&one), rows(&two));
        assert!(one.iter().any(|row| two.contains(row)) || with_hidden.contains(&table), "{table}");
        assert!(one.iter().any(|row| !two.contains(row)), "{table}");
    }
}
