//! Round trips to PostgreSQL, which decide how long a request takes when the database is on another machine.

use serde_json::json;

use crate::{
    database_outage::insert_proxy,
    harness::{TestPortal, TestUser, request::Request, run_on_postgres, tcp_proxy::TcpProxy},
    rest::rows,
};

/// The number of round trips of a request whose statements are prepared.
async fn round_trips(proxy: &TcpProxy, request: impl Fn() -> Request) -> usize {
    for _ in 0..2 {
        request().send().await.is(200);
    }
    let before = proxy.round_trips();
    request().send().await.is(200);
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
        assert_eq!(round_trips(&proxy, list).await, 1, "{}", caller.email);
    }
}

#[test]
fn list_takes_one_round_trip() {
    run_on_postgres(check_list_takes_one_round_trip);
}
