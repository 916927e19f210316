//! Changes of the own account.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn change(world: &TestPortal, person: &TestUser, body: Value) -> Answer {
    world.put("/auth/v1/user").as_(person).json(&body).send().await
}

portal_test!(password_change_ends_the_other_sessions, async |world| {
    let joao = world.client("joao").await;
    let elsewhere = world.sign_in(&joao.email).await;
    change(world, &joao, json!({"password": "senha-nova"})).await.is(200);

    world.get("/auth/v1/user").as_(&joao).send().await.is(200);
    world.refresh(&joao.refresh_token).await.is(200);
    world.get("/auth/v1/user").as_(&elsewhere).send().await.refused(403, "session_not_found");
    world.refresh(&elsewhere.refresh_token).await.refused(400, "refresh_token_not_found");
    world.try_sign_in(&joao.email, PASSWORD).await.refused(400, "invalid_credentials");
    world.try_sign_in(&joao.email, "senha-nova").await.is(200);
});

portal_test!(password_change_notifies_the_owner, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    change(world, &joao, json!({"password": PASSWORD})).await.refused(422, "same_password");
    assert_eq!(world.mails_about("password_changed").await, 0);
    change(world, &joao, json!({"password": "senha-nova"})).await.is(200);
    let mail = world.mail("password_changed", &joao.email).await;
    assert_eq!(
        (mail.subject.as_str(), mail.path().as_str()),
        ("Sua senha foi alterada", "/recuperar-senha")
    );
    assert!(mail.html.contains("Olá, joao.") && !mail.html.contains("senha-nova"));
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    let given = world.put(&path).as_(&ana).json(&json!({"password": "senha-dada"}));
    given.send().await.is(200);
    assert_eq!(world.mails_about("password_changed").await, 2);
});

portal_test!(invalid_password_changes_nothing, async |world| {
    let joao = world.client("joao").await;
    let weak = change(world, &joao, json!({"password": "curta"})).await;
    let weak = weak.refused(422, "weak_password").json();
    assert_eq!(weak["msg"], "Password should be at least 6 characters.");
    assert_eq!(weak["weak_password"], json!({"reasons": ["length"]}));
    for common in ["123456", "Senha123", "mudar@123"] {
        let weak = change(world, &joao, json!({"password": common})).await;
        let weak = weak.refused(422, "weak_password").json();
        assert_eq!(weak["weak_password"], json!({"reasons": ["pwned"]}));
    }
    change(world, &joao, json!({"password": PASSWORD})).await.refused(422, "same_password");
    let long = "a".repeat(1025);
    change(world, &joao, json!({"password": long})).await.refused(400, "validation_failed");
    change(world, &joao, json!({"password": "abc\0def"})).await.refused(400, "validation_failed");
    world.try_sign_in(&joao.email, PASSWORD).await.is(200);
    // The minimum counts characters, not bytes.
    change(world, &joao, json!({"password": "ãçéíõ"})).await.refused(422, "weak_password");
    change(world, &joao, json!({"password": "ãçéíõ😀"})).await.is(200);
});

portal_test!(user_cannot_set_an_own_role, async |world| {
    let joao = world.client("joao").await;
    let roles = json!({"roles": ["admin"]});
    change(world, &joao, json!({"app_metadata": roles})).await.refused(403, "not_admin");
    let body = json!({
        "data": roles, "role": "service_role", "aud": "x", "id": "x", "is_super_admin": true, "is_admin": true,
        "email_confirmed_at": "2020-01-01T00:00:00Z", "banned_until": "2020-01-01T00:00:00Z",
    });
    let before = world.get("/auth/v1/user").as_(&joao).send().await.json();
    let mut after = change(world, &joao, body).await.is(200).json();
    assert_eq!(after["user_metadata"]["roles"], json!(["admin"]));
    after["user_metadata"].as_object_mut().unwrap().remove("roles");
    assert_eq!(after, before);
    world.get("/auth/v1/admin/users").as_(&joao).send().await.refused(403, "not_admin");
});

portal_test!(metadata_merges_by_key_and_null_removes, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, json!({"data": {"telefone": "11 99999-0000", "apelido": "Jô"}}))
        .await
        .is(200);
    let user =
        change(world, &joao, json!({"data": {"telefone": null, "cidade": "São Paulo"}})).await;
    assert_eq!(
        user.is(200).json()["user_metadata"],
        json!({"full_name": "joao", "apelido": "Jô", "cidade": "São Paulo"})
    );
});

portal_test!(user_metadata_cannot_break_the_lists_of_the_office, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    for data in [json!({"full_name": "a\0b"}), json!({"a\0b": 1}), json!({"x": [{"y": "\0"}]})] {
        change(world, &joao, json!({"data": data})).await.refused(400, "validation_failed");
    }
    change(world, &joao, json!({"data": {"full_name": {"nested": [1, "dois"]}}})).await.is(200);
    let list = world.get("/rest/v1/clients?select=id").query("order", "user_metadata->>full_name");
    assert_eq!(list.as_(&ana).send().await.is(200).json().as_array().unwrap().len(), 1);
});

portal_test!(account_requires_a_session, async |world| {
    let account = || world.get("/auth/v1/user");
    account().send().await.refused(401, "no_authorization");
    account().bearer(&world.app.keys.anon).send().await.refused(403, "bad_jwt");
    account().bearer("x").send().await.refused(403, "bad_jwt");
});
