//! Non-interference: in two portals that agree on what a client may see, and in nothing else, no request of
//! that client or of a stranger is answered differently.

use futures_util::future::join;

use super::{
    Findings,
    generate::{Maker, Pool},
    office::Office,
    seeds,
};
use crate::world::{Engine, World};

/// What both offices have in common.
const SHARED: u64 = 11;

fn offices() -> [Office; 2] {
    [Office::new(SHARED, 22), Office::new(SHARED, 33)]
}

fn prove(engine: Engine, number: u64, share: u64) {
    crate::world::run_on_two([engine, engine], async |worlds: [&World; 2]| {
        let offices = offices();
        let pool = Pool::new(&[&offices[0], &offices[1]]);
        let tokens = worlds.map(|world| Office::token(world, &offices[0].client));
        assert_eq!(tokens[0], tokens[1]);
        let moved = [offices[0].move_in(worlds[0]).await, offices[1].move_in(worlds[1]).await];
        let mut findings = Findings::default();
        for seed in seeds(number, share) {
            let mut maker = Maker::new(seed, &pool, false);
            // One in twelve comes from somebody without a session.
            let token = if maker.rng.percent(92) { Some(tokens[0].as_str()) } else { None };
            let ask = maker.ask();
            let (one, two) = join(ask.send(worlds[0], token), ask.send(worlds[1], token)).await;
            findings.compare(&pool, [&one, &two], || format!("seed {seed}, {}: {ask}", who(token)));
            if !ask.leaves_no_trace() && one.status.is_success() {
                join(moved[0].restore(worlds[0]), moved[1].restore(worlds[1])).await;
            }
        }
        findings.check();
    });
}

fn who(token: Option<&str>) -> &'static str {
    if token.is_some() { "the client" } else { "a stranger" }
}

#[test]
fn nothing_of_others_shows_first() {
    prove(Engine::Sqlite, 1, 12_000);
}

#[test]
fn nothing_of_others_shows_second() {
    prove(Engine::Sqlite, 2, 12_000);
}

#[test]
fn nothing_of_others_shows_third() {
    prove(Engine::Sqlite, 3, 12_000);
}

#[test]
fn nothing_of_others_shows_fourth() {
    prove(Engine::Sqlite, 4, 12_000);
}

#[test]
fn nothing_of_others_shows_on_postgres() {
    prove(Engine::Postgres, 5, 2_000);
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
    for table in
        ["users", "documents", "tickets", "ticket_messages", "document_receipts", "objects"]
    {
        let rows = |office: &Office| office.table(table).cloned().collect::<Vec<_>>();
        let (one, two) = (rows(&one), rows(&two));
        assert!(
            one.iter().any(|row| two.contains(row)) || ["users", "objects"].contains(&table),
            "{table}"
        );
        assert!(one.iter().any(|row| !two.contains(row)), "{table}");
    }
}
