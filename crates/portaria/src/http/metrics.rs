//! The `/metrics` endpoint for Prometheus, on its own listener on a loopback address (`metrics_listen`).

use std::{fs, sync::Arc};

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use jiff::Timestamp;
use rustix::fs::statvfs;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::{
    app::App,
    backup,
    db::{Error, Tx},
    doctor::certificate_end,
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
    write_storage_metrics(&app, &mut page);
    // Without the database its counts are left out: all other metrics matter most during an outage.
    let counts = app.db.read(query_counts).await;
    page.gauge("portaria_database_up", "Whether the database answers.", i32::from(counts.is_ok()));
    if let Ok(counts) = counts {
        write_db_counts(&counts, app.clock.now(), &mut page);
    }
    if let Ok(report) = app.read(|tx, app| backup::status::report(tx, app)).await {
        write_backup_metrics(&app, &report, &mut page);
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
    let name = "portaria_slow_statements_total";
    page.family(name, "counter", "Transactions that took longer than a second.");
    for (work, load) in [("read", &load.reads), ("write", &load.writes)] {
        page.sample(name, &format!("work=\"{work}\""), load.slow);
    }
    let current = load.replica.as_ref().map(|replica| i32::from(replica.is_current));
    let name = "portaria_database_replica_current";
    page.optional_gauge(name, "Whether lists are read from the replica.", current);
    let name = "portaria_database_replica_reads_total";
    page.family(name, "counter", "Lists that were read from the replica.");
    if let Some(replica) = load.replica {
        page.sample(name, "", replica.reads);
    }
    let connections = app.realtime.count();
    page.gauge(
        "portaria_realtime_connections",
        "Open connections of the change feed.",
        connections,
    );
    let busy = app.config.uploads_at_once - app.upload_permits.available_permits();
    page.gauge("portaria_uploads", "Files on their way in.", busy);
}

fn write_process_metrics(app: &App, page: &mut Exposition) {
    if let Ok(disk) = statvfs(&app.config.data_dir) {
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        page.gauge("portaria_disk_free_bytes", "Room on the disk of the data folder.", free);
        let size = disk.f_blocks.saturating_mul(disk.f_frsize);
        page.gauge("portaria_disk_size_bytes", "Size of that disk.", size);
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

fn write_storage_metrics(app: &App, page: &mut Exposition) {
    let health = &app.storage_health;
    page.gauge("portaria_storage_up", "Whether the store answers.", i32::from(health.is_up()));
    let took = health.last_duration().map(|took| took.as_secs_f64());
    page.optional_gauge("portaria_storage_seconds", "Time of the last probe of the store.", took);
    let end = app.config.tls_cert.as_ref().and_then(|file| certificate_end::of_file(file).ok());
    let left = end.map(|end| end.as_second() - app.clock.now().as_second());
    let name = "portaria_certificate_remaining_seconds";
    page.optional_gauge(name, "Time until the portal's own certificate ends.", left);
}

/// Writes the age and the result of the last backup and of the last rehearsal.
fn write_backup_metrics(app: &App, report: &Value, page: &mut Exposition) {
    let age = |record: &Value| {
        let at: Timestamp = record["at"].as_str()?.parse().ok()?;
        Some(app.clock.now().as_second() - at.as_second())
    };
    let made = age(&report["made"]);
    page.optional_gauge("portaria_backup_age_seconds", "Time since the last backup.", made);
    let failed = i32::from(!report["failed"].is_null());
    page.gauge("portaria_backup_failed", "Whether a backup failed after it.", failed);
    let overdue = i32::from(report["overdue"] == true);
    page.gauge("portaria_backup_overdue", "Whether the next backup is late.", overdue);
    let rehearsed = age(&report["rehearsed"]);
    let name = "portaria_rehearsal_age_seconds";
    page.optional_gauge(name, "Time since the last rehearsal.", rehearsed);
    let failed = i32::from(report["rehearsed"]["code"].is_string());
    page.gauge("portaria_rehearsal_failed", "Whether the last rehearsal failed.", failed);
}

/// Counts that are read from the database.
struct DbCounts {
    inbox: Vec<(String, i64)>,
    oldest_mail: Option<Timestamp>,
    mails: Vec<(String, i64)>,
    sessions: i64,
    files: (i64, i64),
}

fn query_counts(tx: &mut Tx<'_>) -> Result<DbCounts, Error> {
    let count = || Expr::cust("count(*)");
    let mut oldest = Query::select();
    oldest.expr(Expr::col("created_at").min()).from("outbox");
    oldest.and_where(Expr::col("state").is_in(["queued", "sending"]));
    let oldest = tx.rows(&oldest)?;
    let oldest = oldest.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    let oldest_mail = oldest.and_then(|text| text.parse().ok());
    let (mails, inbox) = (count_states(tx, "outbox")?, count_states(tx, "inbox_files")?);
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
        inbox,
        oldest_mail,
        mails,
        sessions: sessions.first().map(|row| row.int(0)).transpose()?.unwrap_or(0),
        files,
    })
}

fn count_states(tx: &mut Tx<'_>, table: &'static str) -> Result<Vec<(String, i64)>, Error> {
    let mut query = Query::select();
    query.column("state").expr(Expr::cust("count(*)")).from(table).group_by_col("state");
    let rows = tx.rows(&query)?;
    rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.int(1)?))).collect()
}

fn write_states(name: &str, states: &[&str], counts: &[(String, i64)], page: &mut Exposition) {
    for state in states {
        let row = counts.iter().find(|(name, _)| name == state);
        page.sample(name, &format!("state=\"{state}\""), row.map_or(0, |(_, count)| *count));
    }
}

fn write_db_counts(counts: &DbCounts, now: Timestamp, page: &mut Exposition) {
    let name = "portaria_mails";
    page.family(name, "gauge", "Mails in the outbox.");
    let states = ["queued", "sending", "failed", "sent", "cancelled"];
    write_states(name, &states, &counts.mails, page);
    let waits = counts.oldest_mail.map_or(0, |at| now.as_second() - at.as_second());
    page.gauge("portaria_mail_oldest_seconds", "Age of the oldest mail that waits.", waits);
    let name = "portaria_inbox_files";
    page.family(name, "gauge", "Files in the inbox.");
    let states = ["waiting", "reading", "ready", "scheduled", "published"];
    write_states(name, &states, &counts.inbox, page);
    page.gauge("portaria_sessions", "Sessions that were not ended.", counts.sessions);
    page.gauge("portaria_files", "Stored files.", counts.files.0);
    page.gauge("portaria_files_bytes", "Their bytes together.", counts.files.1);
}
