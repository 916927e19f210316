//! Load tests: a thousand active users, simultaneous files, stalled connections, and overload. Each figure has a
//! threshold, and a missed threshold fails the run.

mod account_timing;
mod attack;
mod backup;
mod connection;
mod files;
mod monitor;
mod overload;
mod realtime;
mod soak;
mod stalled_connections;
mod thresholds;
mod users;

use std::{
    path::Path,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use tokio::time::sleep;

pub(crate) use crate::load_test::account_timing::accounts;
use crate::load_test::connection::Connection;
use crate::load_test::thresholds::{Bound, LoadReport, percentile};
use crate::load_test::users::{Action, ActionRecord, ActionResult, SMALL_FILE, Users, file};
use crate::{Outcome, dataset::Dataset, load::request, server::Server};
pub(crate) use attack::attack;
pub(crate) use realtime::realtime;
pub(crate) use soak::soak;

/// Documents per client, in addition to a stored file.
const DOCUMENTS: usize = 100;
/// Duration of the measurement of active users alone.
const USERS_ONLY_TIME: Duration = Duration::from_mins(1);
/// Time after the start after which the memory of an idle server is measured.
const IDLE_DELAY: Duration = Duration::from_secs(2);

/// Maximum memory of an idle server, in MiB.
const IDLE_MEMORY: f64 = 40.0;
/// Maximum memory of a server under load, in MiB.
const MAX_MEMORY_MIB: f64 = 150.0;
/// Maximum 99th percentile of response times, in milliseconds.
const MAX_P99_MS: f64 = 250.0;
/// Maximum response time of `/health`, in milliseconds.
const MAX_HEALTH_MS: f64 = 1000.0;

/// The context that all load tests share.
struct Stage<'a> {
    office: &'a Dataset,
    server: &'a Server,
    verdict: &'a mut LoadReport,
}

/// Runs all load tests with a number of active users.
pub(crate) async fn load(binary: &Path, output: &Path, people: usize) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let office = prepared(binary, parent, people).await?;
    let server = Server::portal_with_log_file(binary, &office, &parent.join("bench-load.log"))?;
    let mut verdict = LoadReport::default();
    let mut stage = Stage { office: &office, server: &server, verdict: &mut verdict };
    stage.idle().await?;
    stage.sign_ins().await?;
    stage.uploads().await?;
    let large = stage.large_file().await?;
    let crowd = Users::start(&server, &office, people).await?;
    stage.people(&crowd).await?;
    stage.backup(&crowd, binary).await?;
    stage.slow_downloads(&crowd, &large).await?;
    stage.silence(&crowd, &large).await?;
    stage.flood(&crowd).await?;
    crowd.stop().await?;
    verdict.write(output)
}

/// Creates an office in which each client has a hundred documents and a stored file.
async fn prepared(binary: &Path, parent: &Path, clients: usize) -> Outcome<Dataset> {
    let mut office = Dataset::new(parent, None)?;
    office.grow_to(clients * DOCUMENTS).await?;
    let server = Server::portal(binary, &office)?;
    let token = office.token(office.admin);
    let mut line = Connection::new(server.address);
    let content: Bytes =
        b"%PDF-1.7\n".iter().copied().chain((9..SMALL_FILE).map(|_| fastrand::u8(..))).collect();
    let mut rows = Vec::new();
    for client in &office.clients {
        let file = file(*client);
        let path = format!("/storage/v1/object/client-documents/{file}");
        let answer = line.ask(request(Method::POST, &path, Some(&token), content.clone())).await?;
        if !answer.is_success() {
            return Err(users::describe(&answer).into());
        }
        rows.push(json!({
            "name": "contrato.pdf", "type": "application/pdf", "folder_id_supabase": "contratos",
            "status": "active", "file_url": file,
        }));
    }
    for chunk in rows.chunks(100) {
        let body = json!(chunk).to_string();
        let mut insert = request(Method::POST, "/rest/v1/documents", Some(&token), body.into());
        insert.headers_mut().insert("content-type", "application/json".parse()?);
        let answer = line.ask(insert).await?;
        if !answer.is_success() {
            return Err(users::describe(&answer).into());
        }
    }
    Ok(office)
}

impl Stage<'_> {
    /// Measures a server before its first request.
    async fn idle(&mut self) -> Outcome<()> {
        sleep(IDLE_DELAY).await;
        self.verdict.scene("Idle");
        self.verdict.memory("memory", self.server.memory()?, Bound::AtMost(IDLE_MEMORY));
        Ok(())
    }

    /// Measures active users alone.
    async fn people(&mut self, crowd: &Users) -> Outcome<()> {
        let begin = Instant::now();
        let watched = async {
            sleep(USERS_ONLY_TIME).await;
            Ok(())
        };
        let ((), observed) = monitor::watch(self.server, watched).await?;
        let deeds = crowd.deeds(begin, Instant::now());
        self.verdict.scene("Active users with a pause of five seconds");
        for (action, _) in Action::ALL {
            let mut times: Vec<Duration> =
                deeds.iter().filter(|deed| deed.action == action).map(|deed| deed.took).collect();
            for rank in [50, 95] {
                let name = format!("{action}: p{rank}");
                self.verdict.time(&name, percentile(&mut times, rank), Bound::Nothing);
            }
            let name = format!("{action}: p99");
            self.verdict.time(&name, percentile(&mut times, 99), Bound::AtMost(MAX_P99_MS));
        }
        self.record_actions(&deeds, begin.elapsed());
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_MEMORY_MIB));
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
        Ok(())
    }

    /// Reports the active users since `begin`.
    fn record_users(&mut self, crowd: &Users, begin: Instant) {
        let deeds = crowd.deeds(begin, Instant::now());
        let mut times: Vec<Duration> = deeds.iter().map(|deed| deed.took).collect();
        let name = "active users: p99";
        self.verdict.time(name, percentile(&mut times, 99), Bound::AtMost(MAX_P99_MS));
        self.record_actions(&deeds, begin.elapsed());
    }

    fn record_actions(&mut self, deeds: &[ActionRecord], time: Duration) {
        let rate = f64::from(u32::try_from(deeds.len()).unwrap_or(u32::MAX)) / time.as_secs_f64();
        self.verdict.add("actions per second", rate, "", Bound::Nothing);
        let failed = deeds.iter().filter_map(|deed| match &deed.went {
            ActionResult::Wrong(why) => Some(format!("{}: {why}", deed.action)),
            ActionResult::Refused => Some(format!("{}: refused", deed.action)),
            ActionResult::Well => None,
        });
        let failed: Vec<String> = failed.collect();
        self.verdict.count("failed actions", failed.len(), Bound::AtMost(0.0));
        for why in failed.iter().take(5) {
            println!("    {why}");
        }
    }
}
