//! Account administration: create, list, read, update, delete.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, object, portal_test};

const USERS: &str = "/auth/v1/admin/users";

fn user(person: &TestUser) -> String {
    format!("{USERS}/{}", person.id)
}

async fn grant(world: &TestPortal, person: &TestUser, roles: Value) {
    let request = world.put(&user(person)).bearer(&world.app.keys.service_role);
    request.json(&json!({"app_metadata": {"roles": roles}})).send().await.is(200);
}

portal_test!(account_is_created_read_updated_and_deleted, async |world| {
    let ana = world.admin().await;
    let body = json!({
        "email": "Joao@Cliente.com.br", "password": PASSWORD, "email_confirm": true,
        "user_metadata": {"full_name": "João", "a": 1}, "app_metadata": {"cor": "azul"},
    });
    let created = world.post(USERS).as_(&ana).json(&body).send().await.is(200).json();
    assert_eq!(created["email"], "joao@cliente.com.br");
    assert_eq!(created["email_confirmed_at"], "2026-11-21T15:00:00.000000Z");
    assert_eq!(
        created["app_metadata"],
        json!({"provider": "email", "providers": ["email"], "cor": "azul"})
    );

    let path = format!("{USERS}/{}", created["id"].as_str().unwrap());
    assert_eq!(world.get(&path).as_(&ana).send().await.is(200).json(), created);

    let body = json!({"email": "jp@cliente.com.br", "user_metadata": {"a": null, "b": 2}});
    let changed = world.put(&path).as_(&ana).json(&body).send().await.is(200).json();
    assert_eq!(changed["email"], "jp@cliente.com.br");
    assert_eq!(changed["user_metadata"], json!({"full_name": "João", "b": 2}));

    let body = json!({"should_soft_delete": false});
    assert_eq!(world.delete(&path).as_(&ana).json(&body).send().await.is(200).json(), json!({}));
    world.get(&path).as_(&ana).send().await.refused(404, "user_not_found");
    world.delete(&path).as_(&ana).send().await.refused(404, "user_not_found");
    world.try_sign_in("jp@cliente.com.br", PASSWORD).await.refused(400, "invalid_credentials");
});

portal_test!(invalid_account_is_rejected, async |world| {
    let ana = world.admin().await;
    let create = |body: Value| world.post(USERS).as_(&ana).json(&body).send();
    world.client("joao").await;
    let taken = json!({"email": "JOAO@cliente.com.br", "password": PASSWORD});
    create(taken).await.refused(422, "email_exists");
    create(json!({})).await.refused(400, "validation_failed");
    let weak = json!({"email": "a@b.com", "password": "curta"});
    create(weak).await.refused(422, "weak_password");
    for email in ["a@b", "a@@b.c", "a b@c.d", "\"a\r\nBcc:x\"@b.c", "a@b.c\0", &"a".repeat(300)] {
        create(json!({"email": email})).await.refused(400, "validation_failed");
    }
    world.get(&format!("{USERS}/x")).as_(&ana).send().await.refused(404, "validation_failed");
});

portal_test!(account_list_is_paged_for_the_client_library, async |world| {
    let ana = world.admin().await;
    for name in ["b", "c", "d", "e"] {
        world.create_user(json!({"email": format!("{name}@cliente.com.br")})).await;
    }
    let list = |query: &str| world.get(&format!("{USERS}{query}")).as_(&ana).send();
    let all = list("?page=&per_page=").await.is(200);
    assert_eq!(all.header("x-total-count"), "5");
    assert_eq!(all.header("link"), r#"</admin/users?page=1&per_page=50>; rel="last""#);
    let all = all.json();
    assert_eq!(all["aud"], "authenticated");

    let mut paged = Vec::new();
    for (page, link) in [
        (
            1,
            r#"</admin/users?page=2&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last""#,
        ),
        (
            2,
            r#"</admin/users?page=3&per_page=2>; rel="next", </admin/users?page=3&per_page=2>; rel="last""#,
        ),
        (3, r#"</admin/users?page=3&per_page=2>; rel="last""#),
    ] {
        let answer = list(&format!("?page={page}&per_page=2")).await.is(200);
        assert_eq!(answer.header("link"), link);
        paged.extend(answer.json()["users"].as_array().unwrap().clone());
    }
    assert_eq!(Value::from(paged), all["users"]);
    assert_eq!(list("?page=4&per_page=2").await.is(200).json()["users"], json!([]));
    for query in ["?page=-1", "?page=0", "?per_page=0", "?page=abc", "?page=99999999999999999999"] {
        list(query).await.refused(400, "validation_failed");
    }
    list("?per_page=1000000000").await.is(200);
});

portal_test!(account_administration_requires_an_admin, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let body = json!({"email": "x@y.com", "password": PASSWORD});
    for (method, path) in [
        ("GET", USERS.to_owned()),
        ("POST", USERS.to_owned()),
        ("GET", user(&maria)),
        ("PUT", user(&maria)),
        ("DELETE", user(&maria)),
    ] {
        let request = || world.request(method, &path).json(&body);
        request().send().await.refused(401, "no_authorization");
        request().bearer("a.b.c").send().await.refused(403, "bad_jwt");
        request().bearer(&world.app.keys.anon).send().await.refused(403, "not_admin");
        request().as_(&joao).send().await.refused(403, "not_admin");
    }
    // The response does not reveal whether an account exists.
    let other = world.get(&user(&maria)).as_(&joao).send().await;
    let ghost = world.get(&format!("{USERS}/{}", uuid::Uuid::nil())).as_(&joao).send().await;
    assert_eq!(other.seen(), ghost.seen());
    let list = world.get(USERS).as_(&ana).send().await.is(200).json();
    assert_eq!(list["users"].as_array().unwrap().len(), 3);
});

portal_test!(role_change_takes_effect_immediately, async |world| {
    let (ana, beto) = (world.admin().await, world.client("beto").await);
    grant(world, &beto, json!(["admin"])).await;
    world.get(USERS).as_(&beto).send().await.is(200);
    grant(world, &ana, json!([])).await;
    world.get(USERS).as_(&ana).send().await.refused(403, "not_admin");
    let rows = world.get("/rest/v1/email_templates").as_(&ana).send().await;
    rows.refused(403, "42501");
});

portal_test!(last_admin_cannot_be_removed, async |world| {
    let ana = world.admin().await;
    let demote = || world.put(&user(&ana)).json(&json!({"app_metadata": {"roles": null}}));
    demote().as_(&ana).send().await.refused(403, "last_admin");
    world.delete(&user(&ana)).as_(&ana).send().await.refused(403, "own_account");
    let service = &world.app.keys.service_role;
    world.delete(&user(&ana)).bearer(service).send().await.refused(403, "last_admin");
    world.get(USERS).as_(&ana).send().await.is(200);

    let beto = world.client("beto").await;
    grant(world, &beto, json!(["admin"])).await;
    demote().as_(&ana).send().await.refused(403, "own_role");
    world.delete(&user(&ana)).as_(&ana).send().await.refused(403, "own_account");
    world.delete(&user(&ana)).as_(&beto).send().await.is(200);
});

portal_test!(concurrent_mutual_admin_removal_leaves_one_admin, async |world| {
    let (mut ana, mut beto) = (world.admin().await, world.client("beto").await);
    for round in 0..10 {
        grant(world, &beto, json!(["admin"])).await;
        let (one, other) = if round % 2 == 0 {
            tokio::join!(
                world.delete(&user(&beto)).as_(&ana).send(),
                world.delete(&user(&ana)).as_(&beto).send(),
            )
        } else {
            let demoted = json!({"app_metadata": {"roles": null}});
            tokio::join!(
                world.put(&user(&beto)).as_(&ana).json(&demoted).send(),
                world.put(&user(&ana)).as_(&beto).json(&demoted).send(),
            )
        };
        let done = [&one, &other].map(|answer| answer.status == 200);
        assert_ne!(done[0], done[1], "round {round}: exactly one of the two requests must succeed");
        if done[1] {
            std::mem::swap(&mut ana, &mut beto);
        }
        if round % 2 == 0 {
            beto = world.client(&format!("beto{round}")).await;
        }
    }
});

portal_test!(password_set_by_admin_ends_the_sessions_of_the_user, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let body = json!({"password": "senha-nova"});
    world.put(&user(&joao)).as_(&ana).json(&body).send().await.is(200);
    world.get("/auth/v1/user").as_(&joao).send().await.refused(403, "session_not_found");
    world.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    world.try_sign_in(&joao.email, "senha-nova").await.is(200);
});

portal_test!(configured_admin_email_is_reserved, async |world| {
    world.set("admin_email", "Chefe@Escritorio.com.br");
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    for email in ["chefe@escritorio.com.br", " CHEFE@ESCRITORIO.COM.BR "] {
        let create = json!({"email": email, "password": PASSWORD, "email_confirm": true});
        world.post(USERS).as_(&ana).json(&create).send().await.refused(422, "email_exists");
        let rename = world.put(&user(&joao)).as_(&ana).json(&json!({"email": email}));
        rename.send().await.refused(422, "email_exists");
        let own = world.put("/auth/v1/user").as_(&joao).json(&json!({"email": email}));
        // The response is the same as for other addresses, but no link is ever mailed.
        own.send().await.is(200);
        world.wait(SignedDuration::from_mins(1));
    }
    // An account with a look-alike address is an ordinary account.
    let cyrillic = json!({"email": "chef\u{435}@escritorio.com.br"});
    world.create_user(cyrillic).await;
    let other = world.sign_in("chef\u{435}@escritorio.com.br").await;
    world.get(USERS).as_(&other).send().await.refused(403, "not_admin");
});

portal_test!(deleted_client_loses_sessions_documents_files_and_tickets, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let gone = world.document(&joao, "contratos", "a.pdf").await;
    world.ticket(&joao, "Dúvida").await;
    let kept = world.document(&maria, "contratos", "a.pdf").await;
    world.ticket(&maria, "Dúvida").await;

    world.delete(&user(&joao)).as_(&ana).send().await.is(200);
    world.get("/auth/v1/user").as_(&joao).send().await.refused(403, "user_not_found");
    world.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    world.get(&object(&gone.path)).as_(&ana).send().await.refused(400, "NoSuchKey");
    world.get(&object(&kept.path)).as_(&ana).send().await.is(200);
    for table in ["documents", "tickets"] {
        let rows =
            world.get(&format!("/rest/v1/{table}?select=clients(id)")).as_(&ana).send().await;
        assert_eq!(rows.is(200).json(), json!([{"clients": {"id": maria.id}}]), "{table}");
    }
});
