//! `/metrics`, which listens on its own address.

use crate::harness::portal_test;
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
    // The address serves nothing else, and the portal serves no metrics.
    assert_eq!(figures("/rest/v1/tickets").await.status, 404);
    assert!(!program.get("/metrics").await.body.contains("portaria_requests_total"));
});
