//! Round trips to PostgreSQL, which decide how long a request takes when the database is on another machine.

use serde_json::json;

use crate::{
    database_outage::insert_proxy,
    harness::{TestPortal, TestUser, request::Request, run_on_postgres, tcp_proxy::TcpProxy},
    rest::rows,
};

/// The number of round trips of a request whose statements are prepared.
async fn round_trips(proxy: &TcpProxy, status: u16, request: impl Fn() -> Request) -> usize {
    // Each of the connections prepares its statements.
    for _ in 0..32 {
        request().send().await.is(status);
    }
    let before = proxy.round_trips();
    request().send().await.is(status);
    proxy.round_trips() - before
}

async fn check_list_takes_one_round_trip(portal: &mut TestPortal) {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.document(&joao, "contratos", "contrato.pdf").await;
    let proxy = insert_proxy(portal);
    let path = format!("/auth/v1/admin/users/{}/view", joao.id);
    let session = portal.post(&path).auth(&ana).json(&json!({})).send().await.is(200).json();
    let token = session["access_token"].as_str().unwrap().to_owned();
    let viewer = TestUser { token, ..joao.clone() };
    for caller in [&ana, &joao, &viewer] {
        let list = || {
            let path =
                "documents?select=id,name,folders(name)&order=uploaded_at.desc.nullslast&limit=20";
            rows(portal, caller, path)
        };
        assert_eq!(list().send().await.is(200).json()[0]["name"], "contrato.pdf");
        assert_eq!(round_trips(&proxy, 200, list).await, 1, "{}", caller.email);
    }
}

#[test]
fn list_takes_one_round_trip() {
    run_on_postgres(check_list_takes_one_round_trip);
}

/// The caller, the row, the names and the head of the audit log, the event with the commit, and the wait for the disk.
async fn check_insert_takes_five_round_trips(portal: &mut TestPortal) {
    let ana = portal.admin().await;
    let proxy = insert_proxy(portal);
    let insert = || {
        let document = json!({"name": "Balancete.pdf", "folder_id_supabase": "contratos"});
        portal.post("/rest/v1/documents").auth(&ana).json(&document)
    };
    assert_eq!(round_trips(&proxy, 201, insert).await, 5);
}

/// In addition: the document with its folder, the setting of the mail, the people of the client, and the row of the
/// notification center with the devices.
async fn check_publication_takes_nine_round_trips(portal: &mut TestPortal) {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let proxy = insert_proxy(portal);
    let insert = || {
        let document = json!({
            "name": "Balancete.pdf", "folder_id_supabase": "contratos", "client_id": joao.id
        });
        portal.post("/rest/v1/documents").auth(&ana).json(&document)
    };
    assert_eq!(round_trips(&proxy, 201, insert).await, 9);
}

#[test]
fn publication_takes_nine_round_trips() {
    run_on_postgres(check_publication_takes_nine_round_trips);
}

#[test]
fn insert_takes_five_round_trips() {
    run_on_postgres(check_insert_takes_five_round_trips);
}
