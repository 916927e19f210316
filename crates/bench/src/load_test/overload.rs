//! More than there is time for: some are served, the others are told at once to come back, and then all is well again.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::{sync::Barrier, task::JoinSet, time::sleep};

use crate::load_test::{
    HEALTH, Stage,
    connection::{Answer, Line},
    monitor::watch,
    thresholds::{Bound, within},
    users::{Crowd, Went, sign_in, told},
};
use crate::{
    Outcome,
    benchmarks::LIST,
    load::{Request, press, request},
};

/// So many passwords at once (security A-05), of which a queue's worth is checked.
const SIGN_INS: usize = 200;
const QUEUE: f64 = 64.0;
/// What they may take of memory, in MiB, and of the time of whoever asks `/health`, in milliseconds.
const SIGN_INS_MEMORY: f64 = 64.0;
/// The most memory of the server, in MiB, with thousands of requests under way at once.
const CROWD_MEMORY: f64 = 256.0;
const SIGN_INS_HEALTH: f64 = 100.0;
/// Connections that ask without a pause: for little, and for much.
const LITTLE: usize = 2000;
const MUCH: usize = 300;
/// How long they go on.
const GOING_ON: Duration = Duration::from_secs(15);
/// What is counted as steady: the first moments of a flood are met by empty queues.
const STEADY: Duration = Duration::from_secs(3);
/// In milliseconds: how long anybody waits for an answer, and a refused one for the refusal.
const SERVED: f64 = 2000.0;
const REFUSED: f64 = 1000.0;
/// And for the first answer after the flood.
const RECOVERED: f64 = 500.0;
/// Beside it others are let ask for so long before a refused one comes back.
const COMES_BACK: Duration = Duration::from_millis(100);
/// A thousandth of what is there, found by looking at all of it.
const SEARCH: &str =
    "/rest/v1/documents?select=id,name,clients(email)&name=ilike.*77*&order=name.asc&limit=20";

/// What a flood came to.
#[derive(Default)]
struct Flood {
    served: Vec<Duration>,
    refused: Vec<Duration>,
    wrong: Vec<String>,
}

impl Flood {
    fn add(&mut self, answer: Outcome<Answer>) {
        match answer {
            Ok(answer) if answer.is_success() => self.served.push(answer.took),
            Ok(answer) if answer.is_orderly_refusal() => self.refused.push(answer.took),
            Ok(answer) => self.wrong.push(told(&answer)),
            Err(error) => self.wrong.push(error.to_string()),
        }
    }
}

impl Stage<'_> {
    /// Two hundred passwords at once.
    pub(crate) async fn sign_ins(&mut self) -> Outcome<()> {
        let at_once = Arc::new(Barrier::new(SIGN_INS));
        let mut crowd = JoinSet::new();
        for number in 0..SIGN_INS {
            let client = self.office.clients[number % self.office.clients.len()];
            let asked = sign_in(client, self.office.anon_key());
            let (mut line, at_once) = (Line::new(self.server.address), Arc::clone(&at_once));
            crowd.spawn(async move {
                line.open().await?;
                at_once.wait().await;
                line.ask(asked).await
            });
        }
        let (answers, seen) = watch(self.server, async { Ok(crowd.join_all().await) }).await?;
        let mut flood = Flood::default();
        for answer in answers {
            flood.add(answer);
        }
        self.verdict.scene("200 sign-ins at once");
        self.verdict.count("signed in", flood.served.len(), Bound::AtLeast(QUEUE));
        self.verdict.count("told to come back", flood.refused.len(), Bound::Nothing);
        self.tell_wrong(&flood);
        self.verdict.time(
            "the last signed in within",
            within(&mut flood.served, 100),
            Bound::AtMost(SERVED),
        );
        self.verdict.time(
            "the last told within",
            within(&mut flood.refused, 100),
            Bound::AtMost(REFUSED),
        );
        let growth = seen.peak - seen.before;
        self.verdict.memory("growth of memory", growth, Bound::AtMost(SIGN_INS_MEMORY));
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(SIGN_INS_HEALTH));
        self.verdict.count("/health not answered", seen.unwell, Bound::AtMost(0.0));
        Ok(())
    }

    /// Lists without end, and searches through everything without end.
    pub(crate) async fn flood(&mut self, people: &Crowd) -> Outcome<()> {
        let token = self.office.token(self.office.clients[0]);
        let list = request(Method::GET, LIST, Some(&token), Bytes::new());
        let scene = "2,000 connections that ask for lists without a pause";
        self.overload(scene, LITTLE, &list, people).await?;
        let token = self.office.token(self.office.admin);
        let mut search = request(Method::GET, SEARCH, Some(&token), Bytes::new());
        search.headers_mut().insert("prefer", "count=exact".parse()?);
        let scene = "300 connections that search all documents without a pause";
        self.overload(scene, MUCH, &search, people).await
    }

    async fn overload(
        &mut self,
        scene: &'static str,
        connections: usize,
        asked: &Request,
        people: &Crowd,
    ) -> Outcome<()> {
        let alone = press(self.server, 8, STEADY, |_| {
            let asked = asked.clone();
            move |_: &[u8]| asked.clone()
        });
        let capacity = alone.await?.rate;
        let begin = Instant::now();
        let (from, to) = (begin + STEADY, begin + GOING_ON);
        let mut crowd = JoinSet::new();
        for _ in 0..connections {
            crowd.spawn(ask_without_pause(self.server.address, asked.clone(), from, to));
        }
        let floods = async {
            let mut all = Flood::default();
            while let Some(flood) = crowd.join_next().await {
                let mut flood = flood?;
                all.served.append(&mut flood.served);
                all.refused.append(&mut flood.refused);
                all.wrong.append(&mut flood.wrong);
            }
            Ok(all)
        };
        let (mut flood, seen) = watch(self.server, floods).await?;
        let over = Instant::now();
        let after = Line::new(self.server.address).ask(asked.clone()).await?;
        let recovered = over.elapsed();
        if !after.is_success() {
            flood.wrong.push(format!("after the flood: {}", told(&after)));
        }
        let count = |times: &[Duration]| f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX));
        let rate = count(&flood.served) / (to - from).as_secs_f64();
        self.verdict.scene(scene);
        self.verdict.add(
            "served, of what 8 connections are",
            rate / capacity,
            "",
            Bound::AtLeast(0.5),
        );
        self.verdict.add("served, a second", rate, "", Bound::Nothing);
        self.verdict.count("told to come back", flood.refused.len(), Bound::Nothing);
        self.tell_wrong(&flood);
        let served = within(&mut flood.served, 99);
        self.verdict.time("99 in 100 served within", served, Bound::AtMost(SERVED));
        let refused = within(&mut flood.refused, 50);
        self.verdict.time("half of the others told within", refused, Bound::Nothing);
        let refused = within(&mut flood.refused, 99);
        self.verdict.time("99 in 100 of the others told within", refused, Bound::AtMost(REFUSED));
        self.tell_people(people, from, to);
        self.verdict.time(
            "the first answer afterwards within",
            recovered,
            Bound::AtMost(RECOVERED),
        );
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(CROWD_MEMORY));
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));
        self.verdict.count("/health not answered", seen.unwell, Bound::AtMost(0.0));
        Ok(())
    }

    fn tell_wrong(&mut self, flood: &Flood) {
        self.verdict.count("anything else", flood.wrong.len(), Bound::AtMost(0.0));
        for why in flood.wrong.iter().take(5) {
            println!("    {why}");
        }
    }

    /// How those fare who come in a flood: whoever is refused is one of many.
    fn tell_people(&mut self, people: &Crowd, from: Instant, to: Instant) {
        let deeds = people.deeds(from, to);
        let refused = deeds.iter().filter(|deed| matches!(deed.went, Went::Refused)).count();
        let wrong: Vec<&String> = deeds
            .iter()
            .filter_map(|deed| if let Went::Wrong(why) = &deed.went { Some(why) } else { None })
            .collect();
        let mut times: Vec<Duration> = deeds.iter().map(|deed| deed.took).collect();
        self.verdict.count("what the people did meanwhile", deeds.len(), Bound::Nothing);
        self.verdict.count("of it refused", refused, Bound::Nothing);
        self.verdict.count("of it went wrong", wrong.len(), Bound::AtMost(0.0));
        for why in wrong.iter().take(5) {
            println!("    {why}");
        }
        let what = "99 in 100 of it answered within";
        self.verdict.time(what, within(&mut times, 99), Bound::AtMost(SERVED));
    }
}

/// Asks again and again; who is refused takes a breath first.
async fn ask_without_pause(
    address: SocketAddr,
    asked: Request,
    from: Instant,
    to: Instant,
) -> Flood {
    let (mut line, mut flood) = (Line::new(address), Flood::default());
    loop {
        let begin = Instant::now();
        if begin > to {
            return flood;
        }
        let answer = line.ask(asked.clone()).await;
        let was_served = answer.as_ref().is_ok_and(Answer::is_success);
        if begin > from {
            flood.add(answer);
        }
        if !was_served {
            sleep(COMES_BACK).await;
        }
    }
}
