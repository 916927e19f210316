//! Two administrators who edit one row: an update that names the `updated_at` it saw applies once.

use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::join;

use crate::harness::{TestPortal, TestUser, portal_test, request::Request};
use crate::rest::{read, sample};

/// Saves a row in the version with this `updated_at`.
fn save(portal: &TestPortal, ana: &TestUser, table: &str, seen: &Value, name: &str) -> Request {
    let request = portal.patch(&format!("/rest/v1/{table}")).auth(ana);
    let filter = |column: &str| format!("eq.{}", seen[column].as_str().unwrap());
    let request = request.query("id", &filter("id")).query("updated_at", &filter("updated_at"));
    request.prefer("return=representation").json(&json!({"name": name}))
}

portal_test!(one_of_two_simultaneous_changes_of_a_row_is_saved, async |portal| {
    let ana = portal.admin().await;
    for (table, event) in
        [("email_templates", "template.changed"), ("documents", "document.changed")]
    {
        let id = portal.insert(table, sample(table)).await;
        let path = format!("{table}?id=eq.{id}&select=*");
        let seen = read(portal, &ana, &path).await[0].clone();
        portal.advance(SignedDuration::from_secs(1));
        let (one, two) = join!(
            save(portal, &ana, table, &seen, "Um").send(),
            save(portal, &ana, table, &seen, "Dois").send(),
        );
        let mut changed = [one.is(200).json(), two.is(200).json()];
        changed.sort_by_key(|rows| rows.as_array().unwrap().len());
        let [refused, saved] = &changed;
        assert_eq!(*refused, json!([]), "{table}");
        // The refused person reads the row and its latest change, and saves over it.
        let current = read(portal, &ana, &path).await[0].clone();
        assert_eq!(*saved, json!([current]), "{table}");
        let latest = format!("activity?subject_id=eq.{id}&select=event,actor_name,created_at");
        let change = json!({
            "event": event, "actor_name": "Ana Prado", "created_at": current["updated_at"],
        });
        assert_eq!(
            read(portal, &ana, &format!("{latest}&event=eq.{event}")).await,
            json!([change])
        );
        let over = save(portal, &ana, table, &current, "Por cima").send().await.is(200);
        assert_eq!(over.json()[0]["name"], "Por cima", "{table}");
    }
});
