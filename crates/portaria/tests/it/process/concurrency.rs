//! Many concurrent connections, and slow clients.

use std::{fs, process::Command};

use futures_util::future::join_all;
use portaria::security::keys::Keys;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::harness::{PROCESSORS, SECRET};
use crate::process::{Program, Start, wait_until};

const FILE: &str = "/storage/v1/object/client-documents/public/0192a0aa-0000-7000-8000-000000000001/contratos/1-a.pdf";
const READERS: usize = 60;

/// Anonymous resident memory of the process, in KiB.
fn memory(program: &Program) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", program.child.id())).unwrap();
    let own = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    own.split_whitespace().next().unwrap().parse().unwrap()
}

/// The number of bytes in the send queue of the server's socket.
fn unread(line: &TcpStream) -> usize {
    let (here, there) = (line.local_addr().unwrap().port(), line.peer_addr().unwrap().port());
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let ends = [format!(":{there:04X}"), format!(":{here:04X}")];
    let row = table.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    let row = row.into_iter().find(|row| row[1].ends_with(&ends[0]) && row[2].ends_with(&ends[1]));
    let held = row.unwrap()[4].split(':').next().map(|held| usize::from_str_radix(held, 16));
    held.unwrap().unwrap()
}

#[tokio::test]
async fn slow_readers_use_little_memory() {
    let _processors = PROCESSORS.read().await;
    let program = Start::new().serve().await;
    let service = Keys::from_secret(SECRET).service_role;
    let headers = format!("apikey: {service}\r\nauthorization: Bearer {service}\r\n");
    let content = [b"%PDF-1.7\n".as_slice(), &vec![b'x'; 9_000_000]].concat();
    let kind = format!("{headers}content-type: application/pdf\r\n");
    let stored = program.ask("POST", FILE, &kind, &content).await;
    assert_eq!(stored.status, 200, "{stored:?}");
    let before = memory(&program);

    let lines = join_all((0..READERS).map(async |_| {
        let socket = TcpSocket::new_v4().unwrap();
        // With default buffers the client would receive half of the file at once.
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let mut line = socket.connect(program.address).await.unwrap();
        let asked = format!("GET {FILE} HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
        line.write_all(asked.as_bytes()).await.unwrap();
        let mut first = [0; 1024];
        line.read_exact(&mut first).await.unwrap();
        assert!(first.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&first));
        line
    }))
    .await;
    let mut last = Vec::new();
    wait_until("the server sends no more data", async || {
        // Data that did not move for this time are held by a full buffer.
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let held: Vec<usize> = lines.iter().map(unread).collect();
        std::mem::replace(&mut last, held) == last
    })
    .await;
    let most = last.into_iter().max().unwrap();
    assert!(most < 400_000, "the kernel buffers {most} bytes for a client that does not read");
    let grown = memory(&program).saturating_sub(before);
    assert!(grown < READERS * 512, "{grown} KiB for {READERS}");
    drop(lines);
}

#[tokio::test]
async fn descriptor_limit_is_raised_to_the_hard_limit() {
    let _processors = PROCESSORS.read().await;
    let mut few = Command::new("sh");
    few.args(["-c", "ulimit -S -n 64; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_portaria")]);
    let program = Start::of(few).serve().await;
    let lines = join_all((0..200).map(|_| program.connect())).await;
    let begun = std::time::Instant::now();
    assert_eq!(program.get("/health").await.status, 200);
    // The response does not wait until idle connections are closed.
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
    drop(lines);
}
