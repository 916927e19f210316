//! A password that the office gave somebody opens nothing but the choice of their own, where the office wants that
//! (behaviour F6).

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};

const USERS: &str = "/auth/v1/admin/users";
const EMAIL: &str = "joao@padaria.com.br";

async fn given_a_password(world: &TestPortal) -> TestUser {
    let asked = json!({"email": EMAIL, "app_metadata": {"must_change_password": true}});
    world.create_user(asked).await;
    world.sign_in(EMAIL).await
}

async fn account(world: &TestPortal, person: &TestUser) -> Value {
    world.get("/auth/v1/user").as_(person).send().await.is(200).json()
}

portal_test!(a_given_password_opens_only_the_choice_of_ones_own, async |world| {
    let joao = given_a_password(world).await;
    assert_eq!(account(world, &joao).await["app_metadata"]["must_change_password"], json!(true));
    for path in ["/rest/v1/documents", "/rest/v1/tickets", "/own/v1/export"] {
        let refused = world.get(path).as_(&joao).send().await;
        refused.refused(403, "password_change_required");
    }
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let write = world.post("/rest/v1/tickets").as_(&joao).json(&ticket).send().await;
    write.refused(403, "password_change_required");
    // Nobody frees themselves of it otherwise.
    let own = |body: Value| world.put("/auth/v1/user").as_(&joao).json(&body);
    own(json!({"app_metadata": {"must_change_password": null}}))
        .send()
        .await
        .refused(403, "not_admin");
    own(json!({"data": {"must_change_password": false}})).send().await.is(200);
    own(json!({"password": PASSWORD})).send().await.refused(422, "same_password");
    let refreshed = world.refresh(&joao.refresh_token).await.is(200).json();
    let joao = TestUser::from_session(&refreshed);
    let read = || world.get("/rest/v1/documents").as_(&joao);
    read().send().await.refused(403, "password_change_required");

    let chosen =
        world.put("/auth/v1/user").as_(&joao).json(&json!({"password": "uma senha só minha"}));
    let user = chosen.send().await.is(200).json();
    assert_eq!(user["app_metadata"]["must_change_password"], Value::Null);
    read().send().await.is(200);
    world.try_sign_in(EMAIL, "uma senha só minha").await.is(200);
});

portal_test!(a_mailed_link_is_a_way_to_ones_own_too, async |world| {
    given_a_password(world).await;
    world.post("/auth/v1/recover").json(&json!({"email": EMAIL})).send().await.is(200);
    let token = world.mail("recovery", EMAIL).await.token();
    let body = json!({"token_hash": token, "type": "recovery"});
    let session = world.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let joao = TestUser::from_session(&session);
    let read = || world.get("/rest/v1/documents").as_(&joao);
    read().send().await.refused(403, "password_change_required");
    let choose = world.put("/auth/v1/user").as_(&joao).json(&json!({"password": "só minha"}));
    choose.send().await.is(200);
    read().send().await.is(200);
});

portal_test!(the_office_may_ask_for_it_again, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let path = format!("{USERS}/{}", joao.id);
    let change = |body: Value| world.put(&path).as_(&ana).json(&body);
    let asked = json!({"password": "dada de novo", "app_metadata": {"must_change_password": true}});
    change(asked).send().await.is(200);
    let session = world.try_sign_in(&joao.email, "dada de novo").await.is(200).json();
    let joao = TestUser::from_session(&session);
    let read = || world.get("/rest/v1/documents").as_(&joao);
    read().send().await.refused(403, "password_change_required");
    // And take it back. Only the word itself counts.
    change(json!({"app_metadata": {"must_change_password": null}})).send().await.is(200);
    read().send().await.is(200);
    change(json!({"app_metadata": {"must_change_password": "yes"}})).send().await.is(200);
    read().send().await.is(200);
});

portal_test!(it_binds_administrators_too, async |world| {
    let ana = world.admin().await;
    let asked = json!({"app_metadata": {"must_change_password": true}});
    let path = format!("{USERS}/{}", ana.id);
    let service = &world.app.keys.service_role;
    world.put(&path).bearer(service).json(&asked).send().await.is(200);
    world.get(USERS).as_(&ana).send().await.refused(403, "password_change_required");
    world.get("/rest/v1/outbox").as_(&ana).send().await.refused(403, "password_change_required");
    let choose = world.put("/auth/v1/user").as_(&ana).json(&json!({"password": "só da Ana"}));
    choose.send().await.is(200);
    world.get(USERS).as_(&ana).send().await.is(200);
});
