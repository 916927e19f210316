//! Forced password change: a session with a password set by staff may only choose a new password, if the office
//! requires it.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};

const USERS: &str = "/auth/v1/admin/users";
const EMAIL: &str = "joao@padaria.com.br";

async fn client_with_temporary_password(portal: &TestPortal) -> TestUser {
    let asked = json!({"email": EMAIL, "app_metadata": {"must_change_password": true}});
    portal.create_user(asked).await;
    portal.sign_in(EMAIL).await
}

async fn account(portal: &TestPortal, user: &TestUser) -> Value {
    portal.get("/auth/v1/user").auth(user).send().await.is(200).json()
}

portal_test!(password_set_by_staff_only_allows_a_password_change, async |portal| {
    let joao = client_with_temporary_password(portal).await;
    assert_eq!(account(portal, &joao).await["app_metadata"]["must_change_password"], json!(true));
    for path in ["/rest/v1/documents", "/rest/v1/tickets", "/account/v1/export"] {
        let refused = portal.get(path).auth(&joao).send().await;
        refused.refused(403, "password_change_required");
    }
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let write = portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await;
    write.refused(403, "password_change_required");
    // The user cannot remove the restriction in any other way.
    let own = |body: Value| portal.put("/auth/v1/user").auth(&joao).json(&body);
    own(json!({"app_metadata": {"must_change_password": null}}))
        .send()
        .await
        .refused(403, "not_admin");
    own(json!({"data": {"must_change_password": false}})).send().await.is(200);
    own(json!({"password": PASSWORD})).send().await.refused(422, "same_password");
    let refreshed = portal.refresh(&joao.refresh_token).await.is(200).json();
    let joao = TestUser::from_session(&refreshed);
    let read = || portal.get("/rest/v1/documents").auth(&joao);
    read().send().await.refused(403, "password_change_required");

    let chosen =
        portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "uma senha só minha"}));
    let user = chosen.send().await.is(200).json();
    assert_eq!(user["app_metadata"]["must_change_password"], Value::Null);
    read().send().await.is(200);
    portal.try_sign_in(EMAIL, "uma senha só minha").await.is(200);
});

portal_test!(temporary_password_is_replaced_without_naming_it, async |portal| {
    portal.set("require_current_password", "true");
    let joao = client_with_temporary_password(portal).await;
    let change = |password: &str| {
        portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": password}))
    };
    change("só minha").send().await.is(200);
    change("outra minha").send().await.refused(400, "current_password_required");
});

portal_test!(recovery_link_ends_the_forced_password_change, async |portal| {
    client_with_temporary_password(portal).await;
    portal.post("/auth/v1/recover").json(&json!({"email": EMAIL})).send().await.is(200);
    let token = portal.mail("recovery", EMAIL).await.token();
    let body = json!({"token_hash": token, "type": "recovery"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let joao = TestUser::from_session(&session);
    let read = || portal.get("/rest/v1/documents").auth(&joao);
    read().send().await.refused(403, "password_change_required");
    let choose = portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "só minha"}));
    choose.send().await.is(200);
    read().send().await.is(200);
});

portal_test!(office_can_require_the_password_change_again, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = format!("{USERS}/{}", joao.id);
    let change = |body: Value| portal.put(&path).auth(&ana).json(&body);
    let asked = json!({"password": "dada de novo", "app_metadata": {"must_change_password": true}});
    change(asked).send().await.is(200);
    let session = portal.try_sign_in(&joao.email, "dada de novo").await.is(200).json();
    let joao = TestUser::from_session(&session);
    let read = || portal.get("/rest/v1/documents").auth(&joao);
    read().send().await.refused(403, "password_change_required");
    // The office can also revoke it. Only the boolean `true` sets the restriction.
    change(json!({"app_metadata": {"must_change_password": null}})).send().await.is(200);
    read().send().await.is(200);
    change(json!({"app_metadata": {"must_change_password": "yes"}})).send().await.is(200);
    read().send().await.is(200);
});

portal_test!(forced_password_change_applies_to_admins, async |portal| {
    let ana = portal.admin().await;
    let asked = json!({"app_metadata": {"must_change_password": true}});
    let path = format!("{USERS}/{}", ana.id);
    let service = &portal.app.keys.service_role;
    portal.put(&path).bearer(service).json(&asked).send().await.is(200);
    portal.get(USERS).auth(&ana).send().await.refused(403, "password_change_required");
    portal.get("/rest/v1/outbox").auth(&ana).send().await.refused(403, "password_change_required");
    let choose = portal.put("/auth/v1/user").auth(&ana).json(&json!({"password": "só da Ana"}));
    choose.send().await.is(200);
    portal.get(USERS).auth(&ana).send().await.is(200);
});
