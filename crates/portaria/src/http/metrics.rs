//! The `/metrics` endpoint for Prometheus, on its own listener on a loopback address (`metrics_listen`).

use std::{fs, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use rustix::fs::statvfs;
use sea_query::{Expr, Query};
use tokio::net::TcpListener;

use crate::{
    app::App,
    db::{Error, Tx},
    telemetry::metrics::Exposition,
};

/// Serves `/metrics` until the process ends.
pub async fn serve(app: Arc<App>, listener: TcpListener) {
    let routes = Router::new().route("/metrics", get(handler)).with_state(app);
    if let Err(error) = axum::serve(listener, routes).await {
        tracing::error!(%error, "metrics listener stopped");
    }
}

async fn handler(State(app): State<Arc<App>>) -> Response {
    let mut page = Exposition::default();
    page.family("portaria_build_info", "gauge", "The program's version.");
    page.sample("portaria_build_info", concat!("version=\"", env!("CARGO_PKG_VERSION"), "\""), 1);
    app.metrics.render(&mut page);
    write_queue_metrics(&app, &mut page);
    write_process_metrics(&app, &mut page);
    // Without the database its counts are left out: all other metrics matter most during an outage.
    let counts = app.db.read(query_counts).await;
    page.gauge("portaria_database_up", "Whether the database answers.", i32::from(counts.is_ok()));
    if let Ok(counts) = counts {
        write_db_counts(&counts, &mut page);
    }
    let content_type = [(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")];
    (StatusCode::OK, content_type, page.into_text()).into_response()
}

fn write_queue_metrics(app: &App, page: &mut Exposition) {
    let load = app.db.load();
    let name = "portaria_database_waiting";
    page.family(name, "gauge", "Transactions that wait for a thread.");
    for (work, load) in [("read", &load.reads), ("write", &load.writes)] {
        page.sample(name, &format!("work=\"{work}\""), load.waiting);
    }
    let name = "portaria_database_wait_seconds";
    page.family(name, "summary", "Time that transactions waited for a thread.");
    for (work, load) in [("read", &load.reads), ("write", &load.writes)] {
        page.sample(&format!("{name}_sum"), &format!("work=\"{work}\""), load.waited.as_secs_f64());
        page.sample(&format!("{name}_count"), &format!("work=\"{work}\""), load.begun);
    }
    if !app.db.is_shared() {
        let name = "portaria_database_instructions_total";
        page.family(name, "counter", "Instructions of the embedded database's virtual machine.");
        for (work, load) in [("read", &load.reads), ("write", &load.writes)] {
            page.sample(name, &format!("work=\"{work}\""), load.instructions);
        }
    }
    let busy = app.config.uploads_at_once - app.upload_permits.available_permits();
    page.gauge("portaria_uploads", "Files on their way in.", busy);
}

fn write_process_metrics(app: &App, page: &mut Exposition) {
    if let Ok(disk) = statvfs(&app.config.data_dir) {
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        page.gauge("portaria_disk_free_bytes", "Room on the disk of the data folder.", free);
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kib = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = kib.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    if let Some(kib) = kib {
        let name = "process_resident_memory_bytes";
        page.gauge(name, "Memory, the mapped part of the database file included.", kib * 1024);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        page.gauge("process_open_fds", "Open descriptors.", open.count());
    }
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let max_fds = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    if let Some(max_fds) =
        max_fds.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok())
    {
        page.gauge("process_max_fds", "Descriptors that may be open.", max_fds);
    }
    let up = app.started.elapsed().as_secs();
    page.gauge("portaria_uptime_seconds", "Time since the start.", up);
}

/// Counts that are read from the database.
struct DbCounts {
    mails: Vec<(String, i64)>,
    sessions: i64,
    files: (i64, i64),
}

fn query_counts(tx: &mut Tx<'_>) -> Result<DbCounts, Error> {
    let count = || Expr::cust("count(*)");
    let mut mails = Query::select();
    mails.column("state").expr(count()).from("outbox").group_by_col("state");
    let mails = tx.rows(&mails)?;
    let mails = mails.iter().map(|row| Ok((row.text(0)?.to_owned(), row.int(1)?)));
    let mails = mails.collect::<Result<_, Error>>()?;
    let sessions = tx.rows(Query::select().expr(count()).from("sessions"))?;
    let mut files = Query::select();
    // The sum of BIGINT is NUMERIC in PostgreSQL.
    files.expr(count()).expr(Expr::cust("CAST(coalesce(sum(size), 0) AS BIGINT)")).from("objects");
    let files = tx.rows(&files)?;
    let files = match files.first() {
        Some(row) => (row.int(0)?, row.int(1)?),
        None => (0, 0),
    };
    Ok(DbCounts {
        mails,
        sessions: sessions.first().map(|row| row.int(0)).transpose()?.unwrap_or(0),
        files,
    })
}

fn write_db_counts(counts: &DbCounts, page: &mut Exposition) {
    let name = "portaria_mails";
    page.family(name, "gauge", "Mails in the outbox.");
    for state in ["queued", "sending", "failed", "sent", "cancelled"] {
        let row = counts.mails.iter().find(|(name, _)| name == state);
        page.sample(name, &format!("state=\"{state}\""), row.map_or(0, |(_, count)| *count));
    }
    page.gauge("portaria_sessions", "Sessions that were not ended.", counts.sessions);
    page.gauge("portaria_files", "Stored files.", counts.files.0);
    page.gauge("portaria_files_bytes", "Their bytes together.", counts.files.1);
}
