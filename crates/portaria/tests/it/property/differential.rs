//! Differential test: SQLite and PostgreSQL give equal responses to every request, which an independent evaluator
//! confirms. There are no exceptions.

use crate::harness::{Engine, TestPortal};
use crate::property::{
    Pair,
    evaluator::{Evaluator, Opinion},
    fixture::Office,
    generate::Maker,
    seeds,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Who {
    Admin,
    Client,
    Stranger,
}

fn compare(caller: Who, number: u64, share: u64) {
    crate::harness::run_on_two(
        [Engine::Sqlite, Engine::Postgres],
        async |worlds: [&TestPortal; 2]| {
            let office = Office::new(44, 55);
            let member = if caller == Who::Admin { &office.admin } else { &office.client };
            let token = Office::token(worlds[0], member);
            let token = (caller != Who::Stranger).then_some(token.as_str());
            let mut pair = Pair::new(worlds, [&office, &office]).await;
            let evaluator =
                Evaluator::new(&office, (caller == Who::Client).then_some(&office.client));
            let (mut read, mut judged) = (0, 0);
            for seed in seeds(number, share) {
                let ask = Maker::new(seed, &pair.pool, caller == Who::Admin).ask();
                let answer = pair.ask(&ask, token, &format!("seed {seed}, {caller:?}")).await;
                if ask.method != "GET"
                    || !ask.path.starts_with("/rest/")
                    || !answer.status.is_success()
                {
                    continue;
                }
                read += 1;
                let Some(opinion) = evaluator.opinion(&ask) else { continue };
                judged += 1;
                let content_range = answer.header("content-range").to_owned();
                let found = Opinion { content_range, body: answer.text() };
                if found != opinion {
                    pair.found(format!(
                        "seed {seed}, {caller:?}: {ask}\n  {found:?}\n  {opinion:?}"
                    ));
                }
            }
            pair.check();
            assert!(
                judged * 2 >= read || read < 50,
                "only {judged} of {read} responses were evaluated"
            );
        },
    );
}

#[test]
fn databases_answer_an_admin_alike() {
    compare(Who::Admin, 6, 3_000);
}

#[test]
fn databases_answer_a_client_alike() {
    compare(Who::Client, 7, 1_500);
}

#[test]
fn databases_answer_an_anonymous_caller_alike() {
    compare(Who::Stranger, 8, 500);
}
