//! SQLite and PostgreSQL answer every request alike, whoever asks. There is no list of exceptions.

use futures_util::future::join;

use super::{
    Findings,
    generate::{Maker, Pool},
    office::Office,
    seeds,
};
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
        let pool = Pool::new(&[&office]);
        let member = if who == Who::Admin { &office.admin } else { &office.client };
        let token = Office::token(worlds[0], member);
        let token = (who != Who::Stranger).then_some(token.as_str());
        let moved = [office.move_in(worlds[0]).await, office.move_in(worlds[1]).await];
        let mut findings = Findings::default();
        for seed in seeds(number, share) {
            let mut maker = Maker::new(seed, &pool, who == Who::Admin);
            let ask = maker.ask();
            let (one, two) = join(ask.send(worlds[0], token), ask.send(worlds[1], token)).await;
            findings.compare(&pool, [&one, &two], || format!("seed {seed}, {who:?}: {ask}"));
            if !ask.leaves_no_trace() && one.status.is_success() {
                join(moved[0].restore(worlds[0]), moved[1].restore(worlds[1])).await;
            }
        }
        findings.check();
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
