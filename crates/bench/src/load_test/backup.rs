//! A backup beside the people, and the way back from it (security §6).

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    task::spawn_blocking,
    time::{interval, sleep},
};

use crate::load_test::{
    HEALTH, MEMORY, Stage,
    connection::Line,
    monitor::watch,
    thresholds::{Bound, within},
    users::{Crowd, told},
};
use crate::{Outcome, load::request, server};

/// How often somebody writes.
const WRITES: Duration = Duration::from_millis(20);
/// Nobody who writes is held up for longer. Milliseconds.
const HELD_UP: f64 = 100.0;
/// A GiB is back, and verified, in this time. Milliseconds.
const BACK: f64 = 60_000.0;
/// Writers are watched for so long without a backup, for comparison.
const A_WHILE: Duration = Duration::from_secs(10);

impl Stage<'_> {
    /// Whoever writes meanwhile hardly notices; what comes back is whole.
    pub(crate) async fn backup(&mut self, people: &Crowd, binary: &Path) -> Outcome<()> {
        let parent = self.office.folder().parent().ok_or("the office lies nowhere")?;
        let (kept, restored) = (TempDir::new_in(parent)?, TempDir::new_in(parent)?);
        let a_while = async {
            sleep(A_WHILE).await;
            Ok(())
        };
        let (mut alone, _) = self.writes_during(a_while).await?;

        let begin = Instant::now();
        let mut backup = server::command(binary, self.office, self.office.folder());
        backup.arg("backup").arg(kept.path());
        let ((mut beside, took), seen) =
            watch(self.server, self.writes_during(finish(backup))).await?;
        self.verdict.scene("A backup beside the people");
        self.verdict.time("took", took, Bound::Nothing);
        self.verdict.time("slowest write without it", within(&mut alone, 100), Bound::Nothing);
        self.verdict.time("slowest write", within(&mut beside, 100), Bound::AtMost(HELD_UP));
        self.verdict.count("writes", beside.len(), Bound::Nothing);
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(MEMORY));
        self.tell_crowd(people, begin);
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));

        let size = size_of(kept.path())?;
        let mut restore = server::command(binary, self.office, &restored.path().join("data"));
        restore.arg("restore").arg(kept.path());
        let begin = Instant::now();
        finish(restore).await?;
        self.verdict.scene("And back again");
        self.verdict.add("the backup's size", size * 1024.0, "MiB", Bound::Nothing);
        let took = begin.elapsed();
        self.verdict.time("a GiB restored within", took.div_f64(size), Bound::AtMost(BACK));
        Ok(())
    }

    /// How long each of the office's writes took while something went on, and how long that took.
    async fn writes_during(
        &self,
        something: impl Future<Output = Outcome<()>>,
    ) -> Outcome<(Vec<Duration>, Duration)> {
        let token = self.office.token(self.office.admin);
        let mut line = Line::new(self.server.address);
        let row =
            json!({"name": "Balancete.pdf", "folder_id_supabase": "faturas", "status": "active"});
        let row = Bytes::from(row.to_string());
        let (mut times, begin, mut pace) = (Vec::new(), Instant::now(), interval(WRITES));
        let writing = async {
            loop {
                pace.tick().await;
                let insert = request(Method::POST, "/rest/v1/documents", Some(&token), row.clone());
                let answer = line.ask(insert).await?;
                if !answer.is_success() {
                    return Err(told(&answer).into());
                }
                times.push(answer.took);
            }
        };
        tokio::select! {
            done = something => done?,
            failed = writing => return failed,
        }
        Ok((times, begin.elapsed()))
    }
}

/// Runs a command to its end.
async fn finish(mut command: Command) -> Outcome<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = spawn_blocking(move || command.status()).await??;
    if status.success() { Ok(()) } else { Err(format!("it ended with {status}").into()) }
}

/// What lies in a folder. GiB.
fn size_of(folder: &Path) -> Outcome<f64> {
    let mut size = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let known = entry.metadata()?;
        #[expect(clippy::cast_precision_loss, reason = "no backup has so many bytes")]
        let own = known.len() as f64 / f64::from(1 << 30);
        size += if known.is_dir() { size_of(&entry.path())? } else { own };
    }
    Ok(size)
}
