//! Reads the files of the inbox, each in a process of its own (`portaria read-document`): a hostile file costs one
//! process. Any node may read any file; a claim expires with its node.

use std::{
    io,
    pin::pin,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::{future::join_all, stream};
use portaria_recognize::{
    Findings, Problem,
    child::{Limits, Reader},
};
use tokio::time::sleep;
use tokio_util::io::StreamReader;

use crate::{
    app::App,
    db::{self, Tx},
    error::file_error,
    inbox::{
        proposal::Office,
        reading::{self, ClaimedFile, MAX_ATTEMPTS},
        recognition,
    },
};

/// Number of files that one node reads at the same time.
const READERS: usize = 2;
/// Interval between looks at the inbox without a wake-up: another node may have received files.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Time for which a reader keeps clients and rules in memory.
const OFFICE_TTL: Duration = Duration::from_secs(10);

/// Reads files until the process stops.
pub(crate) async fn run(app: Arc<App>) {
    let reader = app.reader(Limits::default());
    loop {
        let runs = join_all((0..READERS).map(|_| read_all(&app, &reader))).await;
        for error in runs.into_iter().filter_map(Result::err) {
            tracing::warn!(%error, "reading of the inbox failed, will retry");
        }
        tokio::select! {
            () = app.inbox_notify.notified() => {}
            () = sleep(POLL_INTERVAL) => {}
        }
    }
}

/// Reads files one after the other until none waits.
///
/// # Errors
/// Database errors and errors of the file store.
pub async fn read_all(app: &Arc<App>, reader: &Reader) -> Result<(), db::Error> {
    let mut office: Option<(Instant, Office)> = None;
    loop {
        let now = app.clock.now();
        let Some(file) = app.db.write(move |tx| reading::claim(tx, now)).await? else {
            return Ok(());
        };
        let kinds = app.db.read(recognition::kinds).await?;
        let findings = read(app, &Reader { kinds, ..reader.clone() }, &file).await?;
        let recent = office.take().filter(|(loaded, _)| loaded.elapsed() <= OFFICE_TTL);
        let known = if let Some(known) = recent {
            known
        } else {
            let tax_id = app.config.office_tax_id.clone();
            let load = move |tx: &mut Tx<'_>| Office::load(tx, tax_id);
            (Instant::now(), app.db.read(load).await?)
        };
        let proposal = known.1.propose(&file.name, &findings, &app.config.time_zone);
        office = Some(known);
        let now = app.clock.now();
        app.db.write(move |tx| reading::finish(tx, &file, &findings, &proposal, now)).await?;
    }
}

async fn read(app: &App, reader: &Reader, file: &ClaimedFile) -> Result<Findings, db::Error> {
    let today = app.clock.now().to_zoned(app.config.time_zone.clone()).date();
    if file.attempt > MAX_ATTEMPTS {
        return Ok(reader.unreadable(&file.name, Problem::Damaged, today));
    }
    let blob = match app.files.open_blob(&file.blob, 0, file.size).await {
        Ok(blob) => blob,
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                uncount_attempt(app, file).await?;
            }
            return Err(file_error("a file of the inbox", &error));
        }
    };
    let chunks = stream::try_unfold(blob, |mut blob| async {
        let chunk = blob.next().await?;
        Ok::<_, io::Error>((!chunk.is_empty()).then_some((chunk, blob)))
    });
    let chunks = pin!(chunks);
    let bytes = StreamReader::new(chunks);
    let error = match reader.read(&file.name, file.size, bytes, today).await {
        Ok(report) => {
            if !report.confinement.is_complete() {
                tracing::warn!(confinement = ?report.confinement, "a reader of the inbox is not confined");
            }
            return Ok(report.findings);
        }
        Err(error) => error,
    };
    tracing::info!(%error, file = file.id, "a file of the inbox could not be read");
    if let Some(problem) = error.problem() {
        return Ok(reader.unreadable(&file.name, problem, today));
    }
    uncount_attempt(app, file).await?;
    Err(db::Error::Internal(error.to_string()))
}

/// Takes back the attempt of a claim, because something else than the file was the reason.
async fn uncount_attempt(app: &App, file: &ClaimedFile) -> Result<(), db::Error> {
    let (id, attempt) = (file.id.clone(), file.attempt);
    app.db.write(move |tx| reading::uncount_attempt(tx, &id, attempt)).await
}
