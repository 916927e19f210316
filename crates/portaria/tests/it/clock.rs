//! Changes of the system clock in both directions: sessions stay valid, and rows written before and after remain.

use jiff::SignedDuration;
use serde_json::json;

use crate::harness::{TestUser, portal_test};

portal_test!(clock_set_back_loses_nothing, async |portal| {
    let mut joao = portal.client("joao").await;
    let mut ids = Vec::new();
    for (number, jump) in [0, -1, 1, -24, 24].into_iter().enumerate() {
        portal.advance(SignedDuration::from_hours(jump));
        // A token issued in the future is rejected, but the session can be refreshed.
        joao = TestUser::from_session(&portal.refresh(&joao.refresh_token).await.is(200).json());
        let ticket = json!({"subject": format!("Dúvida {number}"), "message": "Como faço?"});
        let request = portal.post("/rest/v1/tickets").auth(&joao).json(&ticket);
        let made = request.header("prefer", "return=representation").send().await.is(201).json();
        ids.push(made[0]["id"].as_str().unwrap().to_owned());
    }
    let listed =
        portal.get("/rest/v1/tickets?select=id,created_at&order=created_at.desc").auth(&joao);
    let listed = listed.send().await.is(200).json();
    let listed: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(listed.len(), ids.len());
    assert!(ids.iter().all(|id| listed.contains(&id.as_str())), "{listed:?}");
    // Rows written at the same moment or earlier have distinct ids.
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
});
