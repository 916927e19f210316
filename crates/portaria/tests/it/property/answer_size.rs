//! Answers of any shape stay within their budget of bytes (`max_answer`), and return its memory.

use portaria::schema::{
    Table,
    tables::{RELATIONS, TABLES},
};

use crate::harness::portal_test;
use crate::property::{
    fixture::Office,
    generate::{Ask, Maker, Pool},
    rng::Rng,
    seeds,
};

const MAX_ANSWER: usize = 16 * 1024;

portal_test!(answers_stay_within_the_byte_budget, async |portal| {
    portal.set("max_answer", &MAX_ANSWER.to_string());
    let office = Office::new(44, 55);
    office.move_in(portal).await;
    let pool = Pool::new(&[&office, &office]);
    let free = portal.app.answer_memory.available();
    let (mut large, mut refused) = (0, 0);
    for seed in seeds(50, 1500) {
        for member in [&office.admin, &office.client] {
            let is_staff = member.id == office.admin.id;
            let mut maker = Maker::new(seed, &pool, is_staff);
            let mut ask = maker.read();
            if maker.rng.percent(70) {
                let table = maker.rng.pick(TABLES);
                let select = wide_select(&mut maker.rng, table, is_staff, 0);
                ask = Ask::new("GET", format!("/rest/v1/{}", table.name));
                ask.query("select", &select);
                if maker.rng.percent(20) {
                    ask.header("accept", "text/csv");
                }
            }
            let token = Office::token(portal, member);
            let answer = ask.send(portal, Some(&token)).await;
            let length = answer.body.len();
            assert!(length <= MAX_ANSWER, "seed {seed}: {length} bytes for {ask}");
            assert!(!answer.status.is_server_error(), "seed {seed}: {ask} {}", answer.text());
            large += usize::from(answer.status == 200 && length > MAX_ANSWER / 4);
            refused += usize::from(answer.text().contains("answer_too_large"));
            drop(answer);
            assert_eq!(portal.app.answer_memory.available(), free, "seed {seed}: {ask}");
        }
    }
    assert!(large > 10 && refused > 10, "{large} large answers, {refused} refused");
});

/// A `select` that repeats columns, aggregates and embeds, as far as the limits of queries allow.
fn wide_select(rng: &mut Rng, table: &'static Table, is_staff: bool, depth: usize) -> String {
    let columns: Vec<_> =
        table.columns.iter().filter(|column| is_staff || !column.staff_only).collect();
    let mut items: Vec<String> =
        (0..=rng.below(9)).map(|n| format!("c{n}:{}", rng.pick(&columns).name)).collect();
    if rng.percent(10) {
        let column = rng.pick(&columns).name;
        items.extend([
            "count()".to_owned(),
            format!("m:{column}.max()"),
            format!("l:{column}.min()"),
        ]);
    }
    let relations: Vec<_> = RELATIONS
        .iter()
        .filter(|relation| relation.child == table.id || relation.parent == table.id)
        .filter(|relation| relation.child.table().column(relation.column, is_staff).is_some())
        .collect();
    for n in 0..rng.below(3) {
        if depth == 3 || relations.is_empty() {
            break;
        }
        let relation = *rng.pick(&relations);
        let target = if relation.child == table.id { relation.parent } else { relation.child };
        let inside = wide_select(rng, target.table(), is_staff, depth + 1);
        let name = if rng.percent(35) { "...".to_owned() } else { format!("e{n}:") };
        items.push(format!("{name}{}!{}({inside})", target.table().name, relation.name));
    }
    items.join(",")
}
