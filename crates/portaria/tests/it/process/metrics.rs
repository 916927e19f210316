//! `/metrics`, which listens on its own address.

use std::{collections::BTreeSet, io::ErrorKind, process::Command};

use regex::Regex;
use serde_json::Value;

use crate::harness::{portal_test, skipped};
use crate::process::{Start, ask, free_address};

portal_test!(metrics_are_served_on_their_own_address_only, async |portal| {
    let address = free_address();
    let start = Start::over(portal).with("PORTARIA_METRICS_LISTEN", &address.to_string());
    let program = start.serve().await;
    for _ in 0..3 {
        assert_eq!(program.get("/health").await.status, 200);
    }
    assert_eq!(program.get("/rest/v1/tickets").await.status, 401);
    let figures = async |path: &str| {
        let line = tokio::net::TcpStream::connect(address).await.unwrap();
        ask(line, "GET", path, "", b"").await
    };
    let page = figures("/metrics").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    for line in [
        "portaria_requests_total{method=\"GET\",route=\"/health\",status=\"200\"} 3",
        "portaria_requests_total{method=\"GET\",route=\"/rest/v1/tickets\",status=\"401\"} 1",
        "portaria_request_seconds_count{route=\"/health\"} 3",
        "portaria_database_up 1",
        "portaria_mails{state=\"queued\"} 0",
        "portaria_sessions 0",
        "portaria_files 0",
        "portaria_files_bytes 0",
        "portaria_uploads 0",
        "portaria_storage_up 1",
        "portaria_backup_overdue 0",
        "portaria_backup_failed 0",
        "portaria_rehearsal_failed 0",
        "portaria_mail_oldest_seconds 0",
        "portaria_inbox_files{state=\"ready\"} 0",
        "portaria_realtime_connections 0",
        "portaria_slow_statements_total{work=\"read\"} 0",
    ] {
        assert!(page.body.lines().any(|found| found == line), "{line} in\n{}", page.body);
    }
    for name in [
        "portaria_build_info{version=\"",
        "portaria_disk_free_bytes ",
        // Jobs of the start may still run.
        "portaria_database_waiting{work=\"write\"} ",
        "process_resident_memory_bytes ",
        "process_open_fds ",
        "portaria_database_wait_seconds_count{work=\"read\"} ",
    ] {
        assert!(page.body.lines().any(|line| line.starts_with(name)), "{name} in\n{}", page.body);
    }
    let instructions = "portaria_database_instructions_total{work=\"read\"} ";
    assert_eq!(page.body.contains(instructions), !portal.app.db.is_shared());
    check_dashboards(&page.body);
    // The address serves nothing else, and the portal serves no metrics.
    assert_eq!(figures("/rest/v1/tickets").await.status, 404);
    assert!(!program.get("/metrics").await.body.contains("portaria_requests_total"));
});

/// The alert rules for Prometheus and the dashboard for Grafana.
const RULES: &str = include_str!("../../../../../packaging/prometheus/rules.yml");
const GUIDE: &str = include_str!("../../../../../docs/operacao.md");
const DASHBOARD: &str = include_str!("../../../../../packaging/grafana/dashboard.json");

/// Checks that the rules, the dashboard and the operators' guide name metrics of the page only.
fn check_dashboards(page: &str) {
    let name = Regex::new(r"\b(?:portaria|process)_[a-z_]+\b").unwrap();
    let known: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).collect();
    let expressions = RULES.lines().filter(|line| line.trim_start().starts_with("expr:"));
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let shown = targets.map(|target| target["expr"].as_str().unwrap());
    let named = GUIDE.split('`').skip(1).step_by(2);
    for expression in expressions.chain(shown).chain(named) {
        for found in name.find_iter(expression) {
            let family = found.as_str().trim_end_matches("_bucket");
            assert!(known.contains(family), "{family} in {expression}");
        }
    }
}

#[test]
fn alert_rules_are_ten_and_fire() {
    let alerts = RULES.matches("- alert: ").count();
    assert_eq!(alerts, 10);
    let name = Regex::new(r"`(Portaria[A-Z]\w+)`").unwrap();
    for found in name.captures_iter(GUIDE) {
        assert!(RULES.contains(&format!("- alert: {}\n", &found[1])), "{}", &found[1]);
    }
    for part in ["expr: ", "severity: ", "summary: ", "description: "] {
        assert_eq!(RULES.matches(part).count(), alerts, "{part}");
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/prometheus");
    let test = Command::new("promtool")
        .args(["test", "rules", "rules.test.yml"])
        .current_dir(folder)
        .output();
    match test {
        Ok(tested) => assert!(tested.status.success(), "{tested:?}"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            skipped("there is no promtool on this machine");
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn dashboard_panels_fit_the_grid() {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let mut cells = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in panels {
        let title = panel["title"].as_str().unwrap();
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}");
        assert!(["stat", "timeseries"].contains(&panel["type"].as_str().unwrap()), "{title}");
        let [x, y, w, h] =
            ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
        assert!(x + w <= 24, "{title}");
        let covered = (x..x + w).flat_map(|column| (y..y + h).map(move |row| (column, row)));
        for cell in covered {
            assert!(cells.insert(cell), "{title} covers another panel");
        }
    }
}
