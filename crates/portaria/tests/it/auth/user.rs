//! Changes of the own account.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn change(portal: &TestPortal, user: &TestUser, body: Value) -> Answer {
    portal.put("/auth/v1/user").auth(user).json(&body).send().await
}

portal_test!(password_change_ends_the_other_sessions, async |portal| {
    let joao = portal.client("joao").await;
    let elsewhere = portal.sign_in(&joao.email).await;
    change(portal, &joao, json!({"password": "senha-nova"})).await.is(200);

    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    portal.refresh(&joao.refresh_token).await.is(200);
    portal.get("/auth/v1/user").auth(&elsewhere).send().await.refused(403, "session_not_found");
    portal.refresh(&elsewhere.refresh_token).await.refused(400, "refresh_token_not_found");
    portal.try_sign_in(&joao.email, PASSWORD).await.refused(400, "invalid_credentials");
    portal.try_sign_in(&joao.email, "senha-nova").await.is(200);
});

portal_test!(password_change_notifies_the_owner, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    change(portal, &joao, json!({"password": PASSWORD})).await.refused(422, "same_password");
    assert_eq!(portal.mails_about("password_changed").await, 0);
    change(portal, &joao, json!({"password": "senha-nova"})).await.is(200);
    let mail = portal.mail("password_changed", &joao.email).await;
    assert_eq!(
        (mail.subject.as_str(), mail.path().as_str()),
        ("Sua senha foi alterada", "/recuperar-senha")
    );
    assert!(mail.html.contains("Olá, joao.") && !mail.html.contains("senha-nova"));
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    let given = portal.put(&path).auth(&ana).json(&json!({"password": "senha-dada"}));
    given.send().await.is(200);
    assert_eq!(portal.mails_about("password_changed").await, 2);
});

portal_test!(invalid_password_changes_nothing, async |portal| {
    let joao = portal.client("joao").await;
    let weak = change(portal, &joao, json!({"password": "curta"})).await;
    let weak = weak.refused(422, "weak_password").json();
    assert_eq!(weak["msg"], "Password should be at least 6 characters.");
    assert_eq!(weak["weak_password"], json!({"reasons": ["length"]}));
    for common in ["123456", "Senha123", "mudar@123"] {
        let weak = change(portal, &joao, json!({"password": common})).await;
        let weak = weak.refused(422, "weak_password").json();
        assert_eq!(weak["weak_password"], json!({"reasons": ["pwned"]}));
    }
    change(portal, &joao, json!({"password": PASSWORD})).await.refused(422, "same_password");
    let long = "a".repeat(1025);
    change(portal, &joao, json!({"password": long})).await.refused(400, "validation_failed");
    change(portal, &joao, json!({"password": "abc\0def"})).await.refused(400, "validation_failed");
    portal.try_sign_in(&joao.email, PASSWORD).await.is(200);
    // The minimum counts characters, not bytes.
    change(portal, &joao, json!({"password": "ãçéíõ"})).await.refused(422, "weak_password");
    change(portal, &joao, json!({"password": "ãçéíõ😀"})).await.is(200);
});

portal_test!(user_cannot_set_an_own_role, async |portal| {
    let joao = portal.client("joao").await;
    let roles = json!({"roles": ["admin"]});
    change(portal, &joao, json!({"app_metadata": roles})).await.refused(403, "not_admin");
    let body = json!({
        "data": roles, "role": "service_role", "aud": "x", "id": "x", "is_super_admin": true, "is_admin": true,
        "email_confirmed_at": "2020-01-01T00:00:00Z", "banned_until": "2020-01-01T00:00:00Z",
    });
    let before = portal.get("/auth/v1/user").auth(&joao).send().await.json();
    let mut after = change(portal, &joao, body).await.is(200).json();
    assert_eq!(after["user_metadata"]["roles"], json!(["admin"]));
    after["user_metadata"].as_object_mut().unwrap().remove("roles");
    assert_eq!(after, before);
    portal.get("/auth/v1/admin/users").auth(&joao).send().await.refused(403, "not_admin");
});

portal_test!(metadata_merges_by_key_and_null_removes, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, json!({"data": {"telefone": "11 99999-0000", "apelido": "Jô"}}))
        .await
        .is(200);
    let user =
        change(portal, &joao, json!({"data": {"telefone": null, "cidade": "São Paulo"}})).await;
    assert_eq!(
        user.is(200).json()["user_metadata"],
        json!({"full_name": "joao", "apelido": "Jô", "cidade": "São Paulo"})
    );
});

portal_test!(user_metadata_cannot_break_the_lists_of_the_office, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for data in [json!({"full_name": "a\0b"}), json!({"a\0b": 1}), json!({"x": [{"y": "\0"}]})] {
        change(portal, &joao, json!({"data": data})).await.refused(400, "validation_failed");
    }
    change(portal, &joao, json!({"data": {"full_name": {"nested": [1, "dois"]}}})).await.is(200);
    let list = portal.get("/rest/v1/clients?select=id").query("order", "user_metadata->>full_name");
    assert_eq!(list.auth(&ana).send().await.is(200).json().as_array().unwrap().len(), 1);
});

portal_test!(account_requires_a_session, async |portal| {
    let account = || portal.get("/auth/v1/user");
    account().send().await.refused(401, "no_authorization");
    account().bearer(&portal.app.keys.anon).send().await.refused(403, "bad_jwt");
    account().bearer("x").send().await.refused(403, "bad_jwt");
});

portal_test!(tax_id_is_entered_by_the_office, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let own = json!({"data": {"tax_id": "45723174000110", "full_name": "João Lima"}});
    let user = change(portal, &joao, own).await.is(200).json();
    assert_eq!(user["user_metadata"]["full_name"], "João Lima");
    assert_eq!(user["user_metadata"]["tax_id"], Value::Null);
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    let entered = json!({"user_metadata": {"tax_id": "11222333000181"}});
    portal.put(&path).auth(&ana).json(&entered).send().await.is(200);
    let user = change(portal, &joao, json!({"data": {"tax_id": null}})).await.is(200).json();
    assert_eq!(user["user_metadata"]["tax_id"], "11222333000181");
});
