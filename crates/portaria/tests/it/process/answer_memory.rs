//! The memory of the real program while clients request the largest answers and do not read them.

use std::fs;

use futures_util::future::join_all;
use portaria::security::keys::Keys;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
};

use crate::{
    harness::{Engine, PASSWORD, SECRET, portal_test},
    process::{Program, Start, wait_until},
};

/// Maximum resident memory of the program, in KiB.
const CEILING: u64 = 256 * 1024;
const MESSAGES: usize = 320;
const SLOW_READERS: usize = 60;
const LIST: &str = "/rest/v1/ticket_messages?select=body";
/// The attacks: path, and the status for a client and for the service key.
const ATTACKS: [(&str, [u16; 2]); 4] = [
    // 320 x 320 x 10 kB.
    ("/rest/v1/ticket_messages?select=tickets(ticket_messages(body))", [400, 400]),
    // 320 x 8 x 10 kB.
    (
        "/rest/v1/ticket_messages?select=a:body,b:body,c:body,d:body,e:body,f:body,g:body,h:body",
        [400, 400],
    ),
    // 700 x 700 x 300 bytes. The client has no documents.
    ("/rest/v1/documents?select=*,folders(*,documents(*))", [200, 400]),
    // 320 x 10 kB.
    (LIST, [200, 200]),
];

/// Peak of the program's resident memory since the last call, in KiB.
fn peak(program: &Program) -> u64 {
    let folder = format!("/proc/{}", program.child.id());
    let status = fs::read_to_string(format!("{folder}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    // proc(5): 5 resets the peak.
    fs::write(format!("{folder}/clear_refs"), "5").unwrap();
    peak.split_whitespace().next().unwrap().parse().unwrap()
}

/// Sends a request and reads nothing of the response.
async fn ask_without_reading(program: &Program, path: &str, headers: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 * 1024).unwrap();
    let mut line = socket.connect(program.address).await.unwrap();
    let asked = format!("GET {path} HTTP/1.1\r\nhost: x\r\n{headers}\r\n");
    line.write_all(asked.as_bytes()).await.unwrap();
    line
}

portal_test!(large_answers_stay_below_the_memory_ceiling, async |portal| {
    let program = match portal.engine() {
        Engine::Sqlite => Start::new(),
        Engine::Postgres => Start::over(portal),
    };
    let program = program.serve().await;
    let keys = Keys::from_secret(SECRET);
    let headers = |token: &str| {
        let json = "content-type: application/json\r\nprefer: return=representation\r\n";
        format!("apikey: {}\r\nauthorization: Bearer {token}\r\n{json}", keys.service_role)
    };
    let service = headers(&keys.service_role);
    let post = async |path: &str, headers: &str, body: Value| {
        let answer = program.ask("POST", path, headers, body.to_string().as_bytes()).await;
        assert!((200..202).contains(&answer.status), "{path}: {answer:?}");
        serde_json::from_str::<Value>(&answer.body).unwrap()
    };

    let account =
        json!({"email": "joao@cliente.com.br", "password": PASSWORD, "email_confirm": true});
    post("/auth/v1/admin/users", &service, account.clone()).await;
    let session = post("/auth/v1/token?grant_type=password", &service, account).await;
    let client = headers(session["access_token"].as_str().unwrap());
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let ticket = post("/rest/v1/tickets", &client, ticket).await[0]["id"].clone();
    let message = json!({"ticket_id": ticket, "body": "a".repeat(10_000)});
    for _ in 0..MESSAGES / 80 {
        post("/rest/v1/ticket_messages?select=id", &service, json!(vec![&message; 80])).await;
    }
    let document = json!({"folder_id_supabase": "contratos", "name": "Sem arquivo"});
    for _ in 0..2 {
        post("/rest/v1/documents?select=id", &service, json!(vec![&document; 350])).await;
    }
    peak(&program);

    for (path, expected) in ATTACKS {
        for (headers, expected) in [&client, &service].into_iter().zip(expected) {
            let six = join_all((0..6).map(|_| program.ask("GET", path, headers, b""))).await;
            let statuses: Vec<u16> = six.iter().map(|answer| answer.status).collect();
            assert!(statuses.contains(&expected), "{path}: {statuses:?}");
            assert!(statuses.iter().all(|status| [expected, 503].contains(status)), "{statuses:?}");
        }
    }
    let asks = (0..SLOW_READERS).map(|_| ask_without_reading(&program, LIST, &client));
    let lines = join_all(asks).await;
    // Answers above the pool of all answers are refused.
    wait_until("large answers are refused", async || {
        program.ask("GET", LIST, &client, b"").await.status == 503
    })
    .await;
    // Small answers are still served.
    let small = program.ask("GET", "/rest/v1/tickets?select=id", &client, b"").await;
    assert_eq!(small.status, 200, "{small:?}");
    let reached = peak(&program);
    assert!(reached < CEILING, "{reached} KiB");
    drop(lines);
    wait_until("the memory of closed connections is free", async || {
        program.ask("GET", LIST, &client, b"").await.status == 200
    })
    .await;
});
