//! A backup while users are active, and its restore.

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
    MAX_HEALTH_MS, MAX_MEMORY_MIB, Stage,
    connection::Connection,
    monitor::watch,
    thresholds::{Bound, percentile},
    users::{Users, describe},
};
use crate::{Outcome, load::request, server};

/// Interval between two writes.
const WRITE_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum duration of a write, in milliseconds.
const MAX_WRITE_MS: f64 = 100.0;
/// Maximum time to restore and verify one GiB, in milliseconds.
const MAX_RESTORE_MS_PER_GIB: f64 = 60_000.0;
/// Duration of the measurement without a backup, for comparison.
const BASELINE_TIME: Duration = Duration::from_secs(10);

impl Stage<'_> {
    /// Measures writes during a backup, and a restore of the backup.
    pub(crate) async fn backup(&mut self, people: &Users, binary: &Path) -> Outcome<()> {
        let parent = self.office.folder().parent().ok_or("the office's folder has no parent")?;
        let (target, restored) = (TempDir::new_in(parent)?, TempDir::new_in(parent)?);
        let baseline = async {
            sleep(BASELINE_TIME).await;
            Ok(())
        };
        let (mut without_backup, _) = self.writes_during(baseline).await?;

        let begin = Instant::now();
        let mut backup = server::command(binary, self.office, self.office.folder());
        backup.args(["backup", "--config", "/dev/null"]).arg(target.path());
        let ((mut with_backup, took), observed) =
            watch(self.server, self.writes_during(finish(backup))).await?;
        self.verdict.scene("A backup while users are active");
        self.verdict.time("took", took, Bound::Nothing);
        self.verdict.time(
            "slowest write without it",
            percentile(&mut without_backup, 100),
            Bound::Nothing,
        );
        self.verdict.time(
            "slowest write",
            percentile(&mut with_backup, 100),
            Bound::AtMost(MAX_WRITE_MS),
        );
        self.verdict.count("writes", with_backup.len(), Bound::Nothing);
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_MEMORY_MIB));
        self.record_users(people, begin);
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));

        let size = size_of(target.path())?;
        let mut restore = server::command(binary, self.office, &restored.path().join("data"));
        restore.arg("restore").arg(target.path());
        let begin = Instant::now();
        finish(restore).await?;
        self.verdict.scene("A restore of the backup");
        self.verdict.add("the backup's size", size * 1024.0, "MiB", Bound::Nothing);
        let took = begin.elapsed();
        self.verdict.time(
            "a GiB restored within",
            took.div_f64(size),
            Bound::AtMost(MAX_RESTORE_MS_PER_GIB),
        );
        Ok(())
    }

    /// Returns the durations of writes while `work` runs, and the duration of `work`.
    async fn writes_during(
        &self,
        work: impl Future<Output = Outcome<()>>,
    ) -> Outcome<(Vec<Duration>, Duration)> {
        let token = self.office.token(self.office.admin);
        let mut line = Connection::new(self.server.address);
        let row =
            json!({"name": "Balancete.pdf", "folder_id_supabase": "faturas", "status": "active"});
        let row = Bytes::from(row.to_string());
        let (mut times, begin, mut ticks) = (Vec::new(), Instant::now(), interval(WRITE_INTERVAL));
        let writing = async {
            loop {
                ticks.tick().await;
                let insert = request(Method::POST, "/rest/v1/documents", Some(&token), row.clone());
                let answer = line.ask(insert).await?;
                if !answer.is_success() {
                    return Err(describe(&answer).into());
                }
                times.push(answer.took);
            }
        };
        tokio::select! {
            finished = work => finished?,
            failed = writing => return failed,
        }
        Ok((times, begin.elapsed()))
    }
}

/// Runs a command and waits for its end.
async fn finish(mut command: Command) -> Outcome<()> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let status = spawn_blocking(move || command.status()).await??;
    if status.success() { Ok(()) } else { Err(format!("the command ended with {status}").into()) }
}

/// Returns the size of a folder, in GiB.
fn size_of(folder: &Path) -> Outcome<f64> {
    let mut size = 0.0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "the size of a backup is far below 2^53 bytes"
        )]
        let file_size = metadata.len() as f64 / f64::from(1 << 30);
        size += if metadata.is_dir() { size_of(&entry.path())? } else { file_size };
    }
    Ok(size)
}
