//! The access matrix of members of the staff with limited rights.

use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test};
use crate::rest::{
    access::{MATRIX, try_all},
    read,
};

/// Tables that only administrators change.
const OFFICE_TABLES: [&str; 10] = [
    "client_assignments",
    "client_members",
    "clients",
    "email_notification_settings",
    "email_templates",
    "folders",
    "office_settings",
    "reminder_rules",
    "recognition_rules",
    "staff",
];

/// The responses to an employee, from those to an administrator.
fn employee(table: &str, admin: [u16; 4]) -> [u16; 4] {
    match table {
        _ if OFFICE_TABLES.contains(&table) => [200, 403, 403, 403],
        "activity" => [403; 4],
        "muted_topics" => [200, 201, 403, 204],
        _ => admin,
    }
}

/// The responses to a reader.
fn reader(table: &str, admin: [u16; 4]) -> [u16; 4] {
    let [select, insert, update, delete] = employee(table, admin);
    match table {
        "muted_topics" | "sessions" | "notifications" | "staff_mail_choices" | "saved_views" => {
            [select, insert, update, delete]
        }
        _ => [select, 403, 403, 403],
    }
}

portal_test!(access_matrix_holds_for_limited_staff, async |portal| {
    portal.admin().await;
    let carla = portal.colleague("carla", "employee", false).await;
    let rui = portal.colleague("rui", "reader", false).await;
    for (table, key, _, admin) in MATRIX {
        for (who, expected) in [(&rui, reader(table, admin)), (&carla, employee(table, admin))] {
            let answers = try_all(portal, Some(&who.token), table, key).await;
            for (answer, expected) in answers.into_iter().zip(expected) {
                match expected {
                    403 => answer.refused(403, "42501"),
                    _ => answer.is(expected),
                };
            }
        }
    }
});

portal_test!(accounts_and_buckets_are_for_administrators, async |portal| {
    portal.admin().await;
    let joao = portal.client("joao").await;
    let carla = portal.colleague("carla", "employee", false).await;
    let user = format!("/auth/v1/admin/users/{}", joao.id);
    let invitation = json!({"email": "nova@cliente.com.br"});
    for (request, code) in [
        (portal.get("/auth/v1/admin/users"), "not_admin"),
        (portal.get(&user), "not_admin"),
        (portal.put(&user).json(&json!({"ban_duration": "1h"})), "not_admin"),
        (portal.delete(&user), "not_admin"),
        (portal.post("/auth/v1/invite").json(&invitation), "not_admin"),
        (portal.post(&format!("{user}/view")), "not_admin"),
        (portal.get(&format!("/account/v1/clients/{}/export", joao.id)), "not_admin"),
        (
            portal.post("/account/v1/members").json(&json!({
                "client_id": joao.id, "email": "a@b.com", "name": "A", "role": "owner",
            })),
            "not_admin",
        ),
    ] {
        request.auth(&carla).send().await.refused(403, code);
    }
    // Nor do employees give themselves rights.
    let own = format!("/auth/v1/admin/users/{}", carla.id);
    let rights = json!({"app_metadata": {"office_role": null}});
    portal.put(&own).auth(&carla).json(&rights).send().await.refused(403, "not_admin");
    let rights = json!({"data": {"office_role": null}, "app_metadata": {"office_role": null}});
    portal.put("/auth/v1/user").auth(&carla).json(&rights).send().await;
    portal.get("/auth/v1/admin/users").auth(&carla).send().await.refused(403, "not_admin");

    let bucket = json!({"name": "fotos", "public": true});
    let request = portal.post("/storage/v1/bucket").auth(&carla).json(&bucket);
    request.send().await.refused(400, "AccessDenied");
    let empty = portal.post("/storage/v1/bucket/client-documents/empty").auth(&carla);
    empty.send().await.refused(400, "AccessDenied");
    let service = portal.post("/storage/v1/bucket").bearer(&portal.app.keys.service_role);
    service.json(&json!({"name": "publico", "public": true})).send().await.is(200);
    let request = portal.post("/storage/v1/object/publico/a.pdf").auth(&carla);
    request.bytes("application/pdf", PDF).send().await.refused(400, "AccessDenied");
});

portal_test!(reader_changes_no_file_and_calls_no_function, async |portal| {
    portal.admin().await;
    let joao = portal.client("joao").await;
    let rui = portal.colleague("rui", "reader", false).await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let place = object(&document.path);
    portal.get(&place).auth(&rui).send().await.is(200);
    let next = object(&format!("public/{}/contratos/b.pdf", joao.id));
    let upload = portal.post(&next).auth(&rui).bytes("application/pdf", PDF);
    upload.send().await.refused(400, "AccessDenied");
    portal.delete(&place).auth(&rui).send().await.refused(400, "AccessDenied");
    let drop = portal.post("/storage/v1/object/inbox/a.pdf").auth(&rui);
    drop.bytes("application/pdf", PDF).send().await.refused(400, "AccessDenied");
    for (function, arguments) in [
        ("withdraw_documents", json!({"documents": [document.id]})),
        ("republish_documents", json!({"documents": [document.id]})),
        ("remind_documents", json!({"documents": [document.id]})),
        ("remind_request_items", json!({"items": [document.id]})),
        ("order_folders", json!({"folders": ["contratos"]})),
        ("create_default_templates", json!({})),
        ("system_status", json!({})),
    ] {
        let request = portal.post(&format!("/rest/v1/rpc/{function}")).auth(&rui);
        request.json(&arguments).send().await.refused(403, "42501");
    }
    let links = format!("/account/v1/documents/{}/links", document.id);
    let ana = portal.sign_in("ana@escritorio.com.br").await;
    portal.post(&links).auth(&ana).send().await.is(200);
    for (user, has_url) in [(&ana, true), (&rui, false)] {
        let found = portal.get(&links).auth(user).send().await.is(200).json();
        assert_eq!(found["links"][0]["state"], "ready");
        assert_eq!(found["links"][0]["url"].is_string(), has_url);
    }
    portal.post(&links).auth(&rui).send().await.refused(403, "not_admin");
    let status = read(portal, &rui, "documents?select=status").await;
    assert_eq!(status, json!([{"status": "active"}]));
});

async fn set_rights(portal: &TestPortal, by: &TestUser, who: &TestUser, rights: Value) -> u16 {
    let request = portal.put(&format!("/auth/v1/admin/users/{}", who.id)).auth(by);
    request.json(&json!({"app_metadata": rights})).send().await.status.as_u16()
}

portal_test!(changed_role_counts_for_open_sessions, async |portal| {
    let ana = portal.admin().await;
    let carla = portal.colleague("carla", "reader", false).await;
    let reply = json!({"title": "Segunda via", "body": "Segue."});
    let save = || portal.post("/rest/v1/saved_replies").auth(&carla).json(&reply).send();
    save().await.refused(403, "42501");
    assert_eq!(set_rights(portal, &ana, &carla, json!({"office_role": "employee"})).await, 200);
    save().await.is(201);
    assert_eq!(set_rights(portal, &ana, &carla, json!({"office_role": null})).await, 200);
    portal.get("/auth/v1/admin/users").auth(&carla).send().await.is(200);
    // An unknown role is refused, and so is one that would leave the office without an administrator.
    for rights in [
        json!({"office_role": "owner"}),
        json!({"assigned_clients_only": "sim"}),
        json!({"department": ""}),
        json!({"department": "F".repeat(61)}),
        json!({"department": "Fis\ncal"}),
        json!({"department": 1}),
    ] {
        assert_eq!(set_rights(portal, &ana, &carla, rights).await, 400);
    }
    assert_eq!(set_rights(portal, &ana, &ana, json!({"office_role": "employee"})).await, 403);
    assert_eq!(set_rights(portal, &carla, &ana, json!({"office_role": "reader"})).await, 200);
    assert_eq!(set_rights(portal, &carla, &carla, json!({"office_role": "reader"})).await, 422);
    let events = read(portal, &carla, "activity?event=eq.role.changed&select=detail&order=number");
    let events = events.await;
    assert_eq!(
        events
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["detail"]["role"].clone())
            .collect::<Vec<_>>(),
        [json!("employee"), json!("administrator"), json!("reader")]
    );
});

portal_test!(saved_views_belong_to_one_person, async |portal| {
    let ana = portal.admin().await;
    let rui = portal.colleague("rui", "reader", false).await;
    let add = async |who: &TestUser, name: String| {
        let view = json!({"list": "tickets", "name": name, "search": "prioridade=urgent"});
        portal.post("/rest/v1/saved_views").auth(who).json(&view).send().await
    };
    add(&ana, "de Ana".to_owned()).await.is(201);
    for number in 0..20 {
        add(&rui, format!("visão {number}")).await.is(201);
    }
    add(&rui, "mais uma".to_owned()).await.refused(409, "too_many_saved_views");
    let other_list = json!({"list": "clients", "name": "Atrasados", "search": "atraso=1"});
    portal.post("/rest/v1/saved_views").auth(&rui).json(&other_list).send().await.is(201);

    assert_eq!(read(portal, &ana, "saved_views?select=name").await, json!([{"name": "de Ana"}]));
    let rename = json!({"name": "minha"});
    let all = "/rest/v1/saved_views?list=eq.tickets";
    portal.patch(all).auth(&rui).json(&rename).send().await.is(204);
    portal.delete(all).auth(&rui).send().await.is(204);
    assert_eq!(read(portal, &ana, "saved_views?select=name").await, json!([{"name": "de Ana"}]));
    let of_ana = json!({"list": "tickets", "name": "x", "search": "y=1", "person_id": ana.id});
    portal.post("/rest/v1/saved_views").auth(&rui).json(&of_ana).send().await.is(201);
    assert_eq!(read(portal, &ana, "saved_views?select=name").await, json!([{"name": "de Ana"}]));
});
