//! The portal under more than it is used to: a thousand people at once, files in crowds, lines that say nothing, and more
//! questions than it has time for. Each figure stands beside its ceiling; one that is missed fails the run.

mod account_timing;
mod backup;
mod connection;
mod files;
mod monitor;
mod overload;
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
use crate::load_test::connection::Line;
use crate::load_test::thresholds::{Bound, Verdict, within};
use crate::load_test::users::{Action, Crowd, Deed, SMALL_FILE, Went, file};
use crate::{Outcome, dataset::Office, load::request, server::Server};
pub(crate) use soak::soak;

/// Documents of each client beside their own file.
const DOCUMENTS: usize = 100;
/// How long the people are watched while nothing else happens.
const A_WHILE: Duration = Duration::from_mins(1);
/// A server that has done nothing yet settles within this time.
const SETTLING: Duration = Duration::from_secs(2);

/// The most memory that an idle server has, in MiB.
const IDLE: f64 = 40.0;
/// And one in a crowd.
const MEMORY: f64 = 150.0;
/// In milliseconds: how long one in a hundred of the people waits at least, and nobody who asks `/health`.
const SOON: f64 = 250.0;
const HEALTH: f64 = 1000.0;

/// What the scenes share.
struct Stage<'a> {
    office: &'a Office,
    server: &'a Server,
    verdict: &'a mut Verdict,
}

/// Everything, with so many people.
pub(crate) async fn load(binary: &Path, output: &Path, people: usize) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let office = prepared(binary, parent, people).await?;
    let server = Server::quiet_portal(binary, &office, &parent.join("bench-load.log"))?;
    let mut verdict = Verdict::default();
    let mut stage = Stage { office: &office, server: &server, verdict: &mut verdict };
    stage.idle().await?;
    stage.sign_ins().await?;
    stage.uploads().await?;
    let large = stage.large_file().await?;
    let crowd = Crowd::arrive(&server, &office, people).await?;
    stage.people(&crowd).await?;
    stage.backup(&crowd, binary).await?;
    stage.slow_downloads(&crowd, &large).await?;
    stage.silence(&crowd, &large).await?;
    stage.flood(&crowd).await?;
    crowd.leave().await?;
    verdict.write(output)
}

/// An office of so many clients, each with a hundred documents and a stored file.
async fn prepared(binary: &Path, parent: &Path, clients: usize) -> Outcome<Office> {
    let mut office = Office::new(parent, None)?;
    office.grow_to(clients * DOCUMENTS).await?;
    let server = Server::portal(binary, &office)?;
    let token = office.token(office.admin);
    let mut line = Line::new(server.address);
    let content: Bytes =
        b"%PDF-1.7\n".iter().copied().chain((9..SMALL_FILE).map(|_| fastrand::u8(..))).collect();
    let mut rows = Vec::new();
    for client in &office.clients {
        let file = file(*client);
        let path = format!("/storage/v1/object/client-documents/{file}");
        let answer = line.ask(request(Method::POST, &path, Some(&token), content.clone())).await?;
        if !answer.is_success() {
            return Err(users::told(&answer).into());
        }
        rows.push(json!({
            "name": "contrato.pdf", "type": "application/pdf", "folder_id_supabase": "contratos",
            "status": "active", "file_url": file,
        }));
    }
    for some in rows.chunks(100) {
        let body = json!(some).to_string();
        let mut insert = request(Method::POST, "/rest/v1/documents", Some(&token), body.into());
        insert.headers_mut().insert("content-type", "application/json".parse()?);
        let answer = line.ask(insert).await?;
        if !answer.is_success() {
            return Err(users::told(&answer).into());
        }
    }
    Ok(office)
}

impl Stage<'_> {
    /// A server that has been asked nothing.
    async fn idle(&mut self) -> Outcome<()> {
        sleep(SETTLING).await;
        self.verdict.scene("Idle");
        self.verdict.memory("memory", self.server.memory()?, Bound::AtMost(IDLE));
        Ok(())
    }

    /// The people alone.
    async fn people(&mut self, crowd: &Crowd) -> Outcome<()> {
        let begin = Instant::now();
        let watched = async {
            sleep(A_WHILE).await;
            Ok(())
        };
        let ((), seen) = monitor::watch(self.server, watched).await?;
        let deeds = crowd.deeds(begin, Instant::now());
        self.verdict.scene("People, each thinking for five seconds");
        for (action, _) in Action::ALL {
            let mut times: Vec<Duration> =
                deeds.iter().filter(|deed| deed.action == action).map(|deed| deed.took).collect();
            for hundredths in [50, 95] {
                let what = format!("{action}: {hundredths} in 100 within");
                self.verdict.time(&what, within(&mut times, hundredths), Bound::Nothing);
            }
            let what = format!("{action}: 99 in 100 within");
            self.verdict.time(&what, within(&mut times, 99), Bound::AtMost(SOON));
        }
        self.tell_deeds(&deeds, begin.elapsed());
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(MEMORY));
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));
        Ok(())
    }

    /// How the people fared meanwhile.
    fn tell_crowd(&mut self, crowd: &Crowd, begin: Instant) {
        let deeds = crowd.deeds(begin, Instant::now());
        let mut times: Vec<Duration> = deeds.iter().map(|deed| deed.took).collect();
        let what = "the people meanwhile: 99 in 100 within";
        self.verdict.time(what, within(&mut times, 99), Bound::AtMost(SOON));
        self.tell_deeds(&deeds, begin.elapsed());
    }

    fn tell_deeds(&mut self, deeds: &[Deed], time: Duration) {
        let rate = f64::from(u32::try_from(deeds.len()).unwrap_or(u32::MAX)) / time.as_secs_f64();
        self.verdict.add("what people did, a second", rate, "", Bound::Nothing);
        let wrong = deeds.iter().filter_map(|deed| match &deed.went {
            Went::Wrong(why) => Some(format!("{}: {why}", deed.action)),
            Went::Refused => Some(format!("{}: refused", deed.action)),
            Went::Well => None,
        });
        let wrong: Vec<String> = wrong.collect();
        self.verdict.count("of it went wrong", wrong.len(), Bound::AtMost(0.0));
        for why in wrong.iter().take(5) {
            println!("    {why}");
        }
    }
}
