//! Two administrators who edit one client: the second save is refused.

use serde_json::{Value, json};
use tokio::join;

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Request};

/// Renames a client. `seen` is the name that the administrator's form shows.
fn rename(
    portal: &TestPortal,
    ana: &TestUser,
    client: &TestUser,
    seen: &str,
    name: &str,
) -> Request {
    portal.put(&format!("/auth/v1/admin/users/{}", client.id)).auth(ana).json(&json!({
        "user_metadata": {"full_name": name},
        "expected_user_metadata": {"full_name": seen, "tax_id": null},
    }))
}

async fn metadata(portal: &TestPortal, ana: &TestUser, client: &TestUser) -> Value {
    let path = format!("/auth/v1/admin/users/{}", client.id);
    portal.get(&path).auth(ana).send().await.is(200).json()["user_metadata"].clone()
}

portal_test!(second_change_of_a_client_is_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    rename(portal, &ana, &joao, "joao", "João").send().await.is(200);
    rename(portal, &ana, &joao, "joao", "Joana").send().await.refused(409, "account_changed");
    assert_eq!(metadata(portal, &ana, &joao).await, json!({"full_name": "João"}));
    // The person looks at the saved version, and overwrites it.
    rename(portal, &ana, &joao, "João", "Joana").send().await.is(200);
    assert_eq!(metadata(portal, &ana, &joao).await, json!({"full_name": "Joana"}));
});

portal_test!(refused_change_of_a_client_leaves_the_password, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let body = json!({
        "password": "uma senha bem diferente",
        "expected_user_metadata": {"full_name": "outro nome"},
    });
    let request = portal.put(&format!("/auth/v1/admin/users/{}", joao.id)).auth(&ana).json(&body);
    request.send().await.refused(409, "account_changed");
    portal.sign_in(&joao.email).await;
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
});

portal_test!(own_visit_of_a_client_is_no_conflict, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.try_sign_in(&joao.email, PASSWORD).await.is(200);
    rename(portal, &ana, &joao, "joao", "João").send().await.is(200);
});

portal_test!(one_of_two_simultaneous_changes_of_a_client_is_saved, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let (one, two) = join!(
        rename(portal, &ana, &joao, "joao", "Um").send(),
        rename(portal, &ana, &joao, "joao", "Dois").send(),
    );
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
});
