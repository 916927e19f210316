//! Account administration: create, list, read, update, delete.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, object, portal_test};

const USERS: &str = "/auth/v1/admin/users";

fn user_path(user: &TestUser) -> String {
    format!("{USERS}/{}", user.id)
}

async fn grant(portal: &TestPortal, user: &TestUser, roles: Value) {
    let request = portal.put(&user_path(user)).bearer(&portal.app.keys.service_role);
    request.json(&json!({"app_metadata": {"roles": roles}})).send().await.is(200);
}

portal_test!(account_is_created_read_updated_and_deleted, async |portal| {
    let ana = portal.admin().await;
    let body = json!({
        "email": "Joao@Cliente.com.br", "password": PASSWORD, "email_confirm": true,
        "user_metadata": {"full_name": "João", "a": 1}, "app_metadata": {"cor": "azul"},
    });
    let created = portal.post(USERS).auth(&ana).json(&body).send().await.is(200).json();
    assert_eq!(created["email"], "joao@cliente.com.br");
    assert_eq!(created["email_confirmed_at"], "2026-11-21T15:00:00.000000Z");
    assert_eq!(
        created["app_metadata"],
        json!({"provider": "email", "providers": ["email"], "cor": "azul"})
    );

    let path = format!("{USERS}/{}", created["id"].as_str().unwrap());
    assert_eq!(portal.get(&path).auth(&ana).send().await.is(200).json(), created);

    let body = json!({"email": "jp@cliente.com.br", "user_metadata": {"a": null, "b": 2}});
    let changed = portal.put(&path).auth(&ana).json(&body).send().await.is(200).json();
    assert_eq!(changed["email"], "jp@cliente.com.br");
    assert_eq!(changed["user_metadata"], json!({"full_name": "João", "b": 2}));

    // A deletion that can be undone was asked for.
    for (kind, body) in [
        ("application/json", "{\"should_soft_delete\": true"),
        ("application/json", "{\"should_soft_delete\": \"true\"}"),
        ("application/x-www-form-urlencoded", "should_soft_delete=true"),
    ] {
        let deletion = portal.delete(&path).auth(&ana).bytes(kind, body).send().await;
        deletion.refused(400, "bad_json");
    }
    let body = json!({"should_soft_delete": false});
    assert_eq!(portal.delete(&path).auth(&ana).json(&body).send().await.is(200).json(), json!({}));
    portal.get(&path).auth(&ana).send().await.refused(404, "user_not_found");
    portal.delete(&path).auth(&ana).send().await.refused(404, "user_not_found");
    portal.try_sign_in("jp@cliente.com.br", PASSWORD).await.refused(400, "invalid_credentials");
});

portal_test!(invalid_account_is_rejected, async |portal| {
    let ana = portal.admin().await;
    let create = |body: Value| portal.post(USERS).auth(&ana).json(&body).send();
    portal.client("joao").await;
    let taken = json!({"email": "JOAO@cliente.com.br", "password": PASSWORD});
    create(taken).await.refused(422, "email_exists");
    create(json!({})).await.refused(400, "validation_failed");
    let weak = json!({"email": "a@b.com", "password": "curta"});
    create(weak).await.refused(422, "weak_password");
    for email in ["a@b", "a@@b.c", "a b@c.d", "\"a\r\nBcc:x\"@b.c", "a@b.c\0", &"a".repeat(300)] {
        create(json!({"email": email})).await.refused(400, "validation_failed");
    }
    portal.get(&format!("{USERS}/x")).auth(&ana).send().await.refused(404, "validation_failed");
});

portal_test!(account_list_is_paged_for_the_client_library, async |portal| {
    let ana = portal.admin().await;
    for name in ["b", "c", "d", "e"] {
        portal.create_user(json!({"email": format!("{name}@cliente.com.br")})).await;
    }
    let list = |query: &str| portal.get(&format!("{USERS}{query}")).auth(&ana).send();
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

portal_test!(account_administration_requires_an_admin, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let body = json!({"email": "x@y.com", "password": PASSWORD});
    for (method, path) in [
        ("GET", USERS.to_owned()),
        ("POST", USERS.to_owned()),
        ("GET", user_path(&maria)),
        ("PUT", user_path(&maria)),
        ("DELETE", user_path(&maria)),
    ] {
        let request = || portal.request(method, &path).json(&body);
        request().send().await.refused(401, "no_authorization");
        request().bearer("a.b.c").send().await.refused(403, "bad_jwt");
        request().bearer(&portal.app.keys.anon).send().await.refused(403, "not_admin");
        request().auth(&joao).send().await.refused(403, "not_admin");
    }
    // The response does not reveal whether an account exists.
    let other = portal.get(&user_path(&maria)).auth(&joao).send().await;
    let ghost = portal.get(&format!("{USERS}/{}", uuid::Uuid::nil())).auth(&joao).send().await;
    assert_eq!(other.seen(), ghost.seen());
    let list = portal.get(USERS).auth(&ana).send().await.is(200).json();
    assert_eq!(list["users"].as_array().unwrap().len(), 3);
});

portal_test!(role_change_takes_effect_immediately, async |portal| {
    let (ana, beto) = (portal.admin().await, portal.client("beto").await);
    grant(portal, &beto, json!(["admin"])).await;
    portal.get(USERS).auth(&beto).send().await.is(200);
    grant(portal, &ana, json!([])).await;
    portal.get(USERS).auth(&ana).send().await.refused(403, "not_admin");
    let rows = portal.get("/rest/v1/email_templates").auth(&ana).send().await;
    rows.refused(403, "42501");
});

portal_test!(last_admin_cannot_be_removed, async |portal| {
    let ana = portal.admin().await;
    let demote = || portal.put(&user_path(&ana)).json(&json!({"app_metadata": {"roles": null}}));
    demote().auth(&ana).send().await.refused(422, "last_admin");
    portal.delete(&user_path(&ana)).auth(&ana).send().await.refused(403, "own_account");
    let service = &portal.app.keys.service_role;
    portal.delete(&user_path(&ana)).bearer(service).send().await.refused(422, "last_admin");
    portal.get(USERS).auth(&ana).send().await.is(200);

    let beto = portal.client("beto").await;
    grant(portal, &beto, json!(["admin"])).await;
    demote().auth(&ana).send().await.refused(403, "own_role");
    portal.delete(&user_path(&ana)).auth(&ana).send().await.refused(403, "own_account");
    portal.delete(&user_path(&ana)).auth(&beto).send().await.is(200);
});

portal_test!(last_admin_cannot_be_banned, async |portal| {
    let (ana, beto) = (portal.admin().await, portal.client("beto").await);
    let service = portal.app.keys.service_role.clone();
    let ban = async |user: &TestUser, by: &str, time: &str| {
        let request = portal.put(&user_path(user)).bearer(by);
        request.json(&json!({"ban_duration": time})).send().await
    };
    for by in [&ana.token, &service] {
        ban(&ana, by, "1h").await.refused(422, "last_admin");
    }
    portal.get(USERS).auth(&ana).send().await.is(200);

    // An administrator who is banned cannot replace the last one.
    grant(portal, &beto, json!(["admin"])).await;
    ban(&beto, &ana.token, "1h").await.is(200);
    ban(&ana, &service, "1h").await.refused(422, "last_admin");
    let demote = portal.put(&user_path(&ana)).bearer(&service);
    let demote = demote.json(&json!({"app_metadata": {"roles": null}})).send().await;
    demote.refused(422, "last_admin");
    portal.delete(&user_path(&ana)).bearer(&service).send().await.refused(422, "last_admin");

    ban(&beto, &ana.token, "none").await.is(200);
    ban(&ana, &beto.token, "1h").await.is(200);
    ban(&beto, &beto.token, "1h").await.refused(422, "last_admin");
    // The ban of one and other changes of the banned one remain possible.
    let rename = json!({"user_metadata": {"full_name": "Ana P."}, "ban_duration": "2h"});
    portal.put(&user_path(&ana)).auth(&beto).json(&rename).send().await.is(200);
});

portal_test!(concurrent_mutual_admin_removal_leaves_one_admin, async |portal| {
    let (mut ana, mut beto) = (portal.admin().await, portal.client("beto").await);
    for round in 0..12 {
        let back = json!({"app_metadata": {"roles": ["admin"]}, "ban_duration": "none"});
        let service = &portal.app.keys.service_role;
        portal.put(&user_path(&beto)).bearer(service).json(&back).send().await.is(200);
        let (one, other) = if round % 3 == 0 {
            tokio::join!(
                portal.delete(&user_path(&beto)).auth(&ana).send(),
                portal.delete(&user_path(&ana)).auth(&beto).send(),
            )
        } else {
            let demoted = if round % 3 == 1 {
                json!({"app_metadata": {"roles": null}})
            } else {
                json!({"ban_duration": "1h"})
            };
            tokio::join!(
                portal.put(&user_path(&beto)).auth(&ana).json(&demoted).send(),
                portal.put(&user_path(&ana)).auth(&beto).json(&demoted).send(),
            )
        };
        let done = [&one, &other].map(|answer| answer.status == 200);
        assert_ne!(done[0], done[1], "round {round}: exactly one of the two requests must succeed");
        if done[1] {
            std::mem::swap(&mut ana, &mut beto);
        }
        if round % 3 == 0 {
            beto = portal.client(&format!("beto{round}")).await;
        }
    }
});

portal_test!(password_set_by_admin_ends_the_sessions_of_the_user, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let body = json!({"password": "senha-nova"});
    portal.put(&user_path(&joao)).auth(&ana).json(&body).send().await.is(200);
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "session_not_found");
    portal.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    portal.try_sign_in(&joao.email, "senha-nova").await.is(200);
});

portal_test!(configured_admin_email_is_reserved, async |portal| {
    portal.set("admin_email", "Chefe@Escritorio.com.br");
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for email in ["chefe@escritorio.com.br", " CHEFE@ESCRITORIO.COM.BR "] {
        let create = json!({"email": email, "password": PASSWORD, "email_confirm": true});
        portal.post(USERS).auth(&ana).json(&create).send().await.refused(422, "email_exists");
        let rename = portal.put(&user_path(&joao)).auth(&ana).json(&json!({"email": email}));
        rename.send().await.refused(422, "email_exists");
        let own = portal.put("/auth/v1/user").auth(&joao).json(&json!({"email": email}));
        // The response is the same as for other addresses, but no link is ever mailed.
        own.send().await.is(200);
        portal.advance(SignedDuration::from_mins(1));
    }
    // There is no account with a look-alike address.
    let cyrillic = json!({"email": "chef\u{435}@escritorio.com.br", "password": PASSWORD});
    let create = portal.post(USERS).auth(&ana).json(&cyrillic).send().await;
    create.refused(400, "email_address_not_ascii");
});

portal_test!(deleted_client_loses_sessions_documents_files_and_tickets, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let gone = portal.document(&joao, "contratos", "a.pdf").await;
    portal.ticket(&joao, "Dúvida").await;
    let kept = portal.document(&maria, "contratos", "a.pdf").await;
    portal.ticket(&maria, "Dúvida").await;

    portal.delete(&user_path(&joao)).auth(&ana).send().await.is(200);
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "user_not_found");
    portal.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    portal.get(&object(&gone.path)).auth(&ana).send().await.refused(400, "NoSuchKey");
    portal.get(&object(&kept.path)).auth(&ana).send().await.is(200);
    for table in ["documents", "tickets"] {
        let rows =
            portal.get(&format!("/rest/v1/{table}?select=clients(id)")).auth(&ana).send().await;
        assert_eq!(rows.is(200).json(), json!([{"clients": {"id": maria.id}}]), "{table}");
    }
});
