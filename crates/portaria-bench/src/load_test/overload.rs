//! Overload: the server must serve a part of the requests, refuse the others quickly, and recover at once.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::{sync::Barrier, task::JoinSet, time::sleep};

use crate::load_test::{
    MAX_HEALTH_MS, Stage,
    connection::{Answer, Connection},
    monitor::watch,
    thresholds::{Bound, percentile},
    users::{ActionResult, Users, describe, sign_in},
};
use crate::{
    Outcome,
    benchmarks::LIST,
    load::{Request, request, run_load},
};

/// Number of simultaneous sign-ins, and the number of them that the queue of password hashes accepts.
const SIGN_INS: usize = 200;
const MIN_SIGNED_IN: f64 = 64.0;
/// Limits during the sign-ins: growth of the memory in MiB, and response time of `/health` in milliseconds.
const SIGN_INS_MEMORY: f64 = 64.0;
/// Maximum memory with thousands of simultaneous requests, in MiB.
const CROWD_MEMORY: f64 = 256.0;
const SIGN_INS_HEALTH: f64 = 100.0;
/// Number of connections that send requests without a pause: cheap ones, and expensive ones.
const LIST_CONNECTIONS: usize = 2000;
const SEARCH_CONNECTIONS: usize = 300;
/// Duration of the overload.
const OVERLOAD_TIME: Duration = Duration::from_secs(15);
/// Time from the start that is not measured, because the queues are empty at first.
const WARM_UP: Duration = Duration::from_secs(3);
/// Maximum response times of served and of refused requests, in milliseconds.
const MAX_SERVED_MS: f64 = 2000.0;
const MAX_REFUSED_MS: f64 = 1000.0;
/// Maximum response time of the first request after the overload, in milliseconds.
const MAX_RECOVERY_MS: f64 = 500.0;
/// Pause of a connection after a refused request.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// A search that reads all documents and finds one in a thousand.
const SEARCH: &str =
    "/rest/v1/documents?select=id,name,clients(email)&name=ilike.*77*&order=name.asc&limit=20";

/// The results of an overload.
#[derive(Default)]
struct Flood {
    served: Vec<Duration>,
    refused: Vec<Duration>,
    failed: Vec<String>,
}

impl Flood {
    fn add(&mut self, answer: Outcome<Answer>) {
        match answer {
            Ok(answer) if answer.is_success() => self.served.push(answer.took),
            Ok(answer) if answer.is_orderly_refusal() => self.refused.push(answer.took),
            Ok(answer) => self.failed.push(describe(&answer)),
            Err(error) => self.failed.push(error.to_string()),
        }
    }
}

impl Stage<'_> {
    /// Sends two hundred sign-ins at once.
    pub(crate) async fn sign_ins(&mut self) -> Outcome<()> {
        let barrier = Arc::new(Barrier::new(SIGN_INS));
        let mut tasks = JoinSet::new();
        for number in 0..SIGN_INS {
            let client = self.office.clients[number % self.office.clients.len()];
            let request_template = sign_in(client, self.office.anon_key());
            let (mut line, barrier) = (Connection::new(self.server.address), Arc::clone(&barrier));
            tasks.spawn(async move {
                line.open().await?;
                barrier.wait().await;
                line.ask(request_template).await
            });
        }
        let (answers, observed) = watch(self.server, async { Ok(tasks.join_all().await) }).await?;
        let mut flood = Flood::default();
        for answer in answers {
            flood.add(answer);
        }
        self.verdict.scene("200 sign-ins at once");
        self.verdict.count("signed in", flood.served.len(), Bound::AtLeast(MIN_SIGNED_IN));
        self.verdict.count("refused with Retry-After", flood.refused.len(), Bound::Nothing);
        self.record_failures(&flood);
        self.verdict.time(
            "slowest sign-in",
            percentile(&mut flood.served, 100),
            Bound::AtMost(MAX_SERVED_MS),
        );
        self.verdict.time(
            "slowest refusal",
            percentile(&mut flood.refused, 100),
            Bound::AtMost(MAX_REFUSED_MS),
        );
        let growth = observed.peak - observed.before;
        self.verdict.memory("growth of memory", growth, Bound::AtMost(SIGN_INS_MEMORY));
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(SIGN_INS_HEALTH));
        self.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
        Ok(())
    }

    /// Sends lists, then searches through all documents.
    pub(crate) async fn flood(&mut self, people: &Users) -> Outcome<()> {
        let token = self.office.token(self.office.clients[0]);
        let list = request(Method::GET, LIST, Some(&token), Bytes::new());
        let scene = "2,000 connections that request lists without a pause";
        self.overload(scene, LIST_CONNECTIONS, &list, people).await?;
        let token = self.office.token(self.office.admin);
        let mut search = request(Method::GET, SEARCH, Some(&token), Bytes::new());
        search.headers_mut().insert("prefer", "count=exact".parse()?);
        let scene = "300 connections that search all documents without a pause";
        self.overload(scene, SEARCH_CONNECTIONS, &search, people).await
    }

    async fn overload(
        &mut self,
        scene: &'static str,
        connections: usize,
        request_template: &Request,
        people: &Users,
    ) -> Outcome<()> {
        let alone = run_load(self.server, 8, WARM_UP, |_| {
            let request_template = request_template.clone();
            move |_: &[u8]| request_template.clone()
        });
        let capacity = alone.await?.rate;
        let begin = Instant::now();
        let (from, to) = (begin + WARM_UP, begin + OVERLOAD_TIME);
        let mut tasks = JoinSet::new();
        for _ in 0..connections {
            tasks.spawn(send_without_pause(
                self.server.address,
                request_template.clone(),
                from,
                to,
            ));
        }
        let floods = async {
            let mut all = Flood::default();
            while let Some(flood) = tasks.join_next().await {
                let mut flood = flood?;
                all.served.append(&mut flood.served);
                all.refused.append(&mut flood.refused);
                all.failed.append(&mut flood.failed);
            }
            Ok(all)
        };
        let (mut flood, observed) = watch(self.server, floods).await?;
        let ended = Instant::now();
        let after = Connection::new(self.server.address).ask(request_template.clone()).await?;
        let recovered = ended.elapsed();
        if !after.is_success() {
            flood.failed.push(format!("after the overload: {}", describe(&after)));
        }
        let count = |times: &[Duration]| f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX));
        let rate = count(&flood.served) / (to - from).as_secs_f64();
        self.verdict.scene(scene);
        self.verdict.add(
            "served, relative to 8 connections",
            rate / capacity,
            "",
            Bound::AtLeast(0.5),
        );
        self.verdict.add("served per second", rate, "", Bound::Nothing);
        self.verdict.count("refused with Retry-After", flood.refused.len(), Bound::Nothing);
        self.record_failures(&flood);
        let served = percentile(&mut flood.served, 99);
        self.verdict.time("served: p99", served, Bound::AtMost(MAX_SERVED_MS));
        let refused = percentile(&mut flood.refused, 50);
        self.verdict.time("refused: median", refused, Bound::Nothing);
        let refused = percentile(&mut flood.refused, 99);
        self.verdict.time("refused: p99", refused, Bound::AtMost(MAX_REFUSED_MS));
        self.record_user_actions(people, from, to);
        self.verdict.time("first response afterwards", recovered, Bound::AtMost(MAX_RECOVERY_MS));
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(CROWD_MEMORY));
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
        self.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
        Ok(())
    }

    fn record_failures(&mut self, flood: &Flood) {
        self.verdict.count("other responses", flood.failed.len(), Bound::AtMost(0.0));
        for why in flood.failed.iter().take(5) {
            println!("    {why}");
        }
    }

    /// Reports the active users during the overload. Some of them are refused too.
    fn record_user_actions(&mut self, people: &Users, from: Instant, to: Instant) {
        let deeds = people.deeds(from, to);
        let refused =
            deeds.iter().filter(|deed| matches!(deed.went, ActionResult::Refused)).count();
        let failed: Vec<&String> = deeds
            .iter()
            .filter_map(
                |deed| if let ActionResult::Wrong(why) = &deed.went { Some(why) } else { None },
            )
            .collect();
        let mut times: Vec<Duration> = deeds.iter().map(|deed| deed.took).collect();
        self.verdict.count("actions of users", deeds.len(), Bound::Nothing);
        self.verdict.count("refused actions", refused, Bound::Nothing);
        self.verdict.count("failed actions", failed.len(), Bound::AtMost(0.0));
        for why in failed.iter().take(5) {
            println!("    {why}");
        }
        let name = "actions: p99";
        self.verdict.time(name, percentile(&mut times, 99), Bound::AtMost(MAX_SERVED_MS));
    }
}

/// Sends requests without a pause, except after a refusal.
async fn send_without_pause(
    address: SocketAddr,
    request_template: Request,
    from: Instant,
    to: Instant,
) -> Flood {
    let (mut line, mut flood) = (Connection::new(address), Flood::default());
    loop {
        let begin = Instant::now();
        if begin > to {
            return flood;
        }
        let answer = line.ask(request_template.clone()).await;
        let was_served = answer.as_ref().is_ok_and(Answer::is_success);
        if begin > from {
            flood.add(answer);
        }
        if !was_served {
            sleep(RETRY_PAUSE).await;
        }
    }
}
