//! SQLite and PostgreSQL answer every request alike, whoever asks. There is no list of exceptions.

use super::{Pair, generate::Maker, office::Office, seeds};
use crate::world::{Engine, World};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Admin,
    Client,
    Stranger,
}

fn compare(who: Who, number: u64, share: u64) {
    crate::world::run_on_two([Engine::Sqlite, Engine::Postgres], async |worlds: [&World; 2]| {
        let office = Office::new(44, 55);
        let member = if who == Who::Admin { &office.admin } else { &office.client };
        let token = Office::token(worlds[0], member);
        let token = (who != Who::Stranger).then_some(token.as_str());
        let mut pair = Pair::new(worlds, [&office, &office]).await;
        for seed in seeds(number, share) {
            let ask = Maker::new(seed, &pair.pool, who == Who::Admin).ask();
            pair.ask(&ask, token, &format!("seed {seed}, {who:?}")).await;
        }
        pair.check();
    });
}

#[test]
fn both_databases_answer_an_administrator_alike() {
    compare(Who::Admin, 6, 3_000);
}

#[test]
fn both_databases_answer_a_client_alike() {
    compare(Who::Client, 7, 1_500);
}

#[test]
fn both_databases_answer_a_stranger_alike() {
    compare(Who::Stranger, 8, 500);
}
