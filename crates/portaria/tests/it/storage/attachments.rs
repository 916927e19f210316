//! Attachments of ticket messages: upload, access, and deletion.

use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};
use crate::storage::{bucket, list, names, on_disk};

fn place(path: &str) -> String {
    format!("/storage/v1/object/ticket-attachments/{path}")
}

async fn upload(portal: &TestPortal, user: &TestUser, path: &str) -> Answer {
    portal.post(&place(path)).auth(user).bytes("application/pdf", PDF).send().await
}

async fn insert(portal: &TestPortal, user: &TestUser, table: &str, row: Value) -> Answer {
    portal.post(&format!("/rest/v1/{table}")).auth(user).single().json(&row).send().await
}

async fn message(portal: &TestPortal, user: &TestUser, ticket: &str, internal: bool) -> String {
    let mut row = json!({"ticket_id": ticket, "body": "Segue o arquivo."});
    if internal {
        row["internal"] = json!(true);
    }
    let message = insert(portal, user, "ticket_messages", row).await.is(201).json();
    message["id"].as_str().unwrap().to_owned()
}

async fn attach(portal: &TestPortal, user: &TestUser, message: &str, path: &str) -> Answer {
    let row = json!({"message_id": message, "name": "Guia.pdf", "file_url": path});
    insert(portal, user, "ticket_attachments", row).await
}

async fn download(portal: &TestPortal, user: &TestUser, path: &str) -> Answer {
    portal.get(&place(path)).auth(user).send().await
}

portal_test!(photos_videos_and_archives_are_sent_and_only_downloaded, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Fotos do recibo").await;
    let photo: &[u8] = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
    let video: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0isommp42";
    let archive: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0";
    for (name, bytes) in [("IMG_1.HEIC", photo), ("v.mp4", video), ("notas.zip", archive)] {
        let path = format!("{}/{ticket}/{name}", joao.id);
        portal.post(&place(&path)).auth(&joao).bytes("image/png", bytes).send().await.is(200);
        let answer = download(portal, &ana, &path).await.is(200);
        assert_eq!(answer.body, bytes, "{name}");
        assert_eq!(answer.header("content-type"), "application/octet-stream", "{name}");
        assert!(answer.header("content-disposition").starts_with("attachment"), "{name}");
        // A page or a program under such a name is refused, and so is the file among documents.
        let wrong = format!("{}/{ticket}/x-{name}", joao.id);
        for content in [b"<html><script>".as_slice(), b"MZ\x90\0\x03\0\0\0\x04\0\0\0"] {
            let upload = portal.post(&place(&wrong)).auth(&joao).bytes("image/png", content);
            upload.send().await.refused(400, "InvalidMimeType");
        }
        let document =
            format!("/storage/v1/object/client-documents/public/{}/faturas/{name}", joao.id);
        let upload = portal.post(&document).auth(&ana).bytes("image/png", bytes);
        upload.send().await.refused(400, "InvalidMimeType");
    }
});

/// A photo of 64 x 48 pixels: its upper left quarter is red, the rest blue.
const PHOTO: &[u8] = include_bytes!("photo.heic");

portal_test!(photo_of_a_phone_is_shown_as_jpeg, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Fotos do recibo").await;
    let path = |name| format!("{}/{ticket}/{name}", joao.id);
    for (name, bytes) in [
        ("IMG_1.HEIC", PHOTO),
        ("cut.heic", &PHOTO[..PHOTO.len() - 60]),
        ("head.heic", &PHOTO[..64]),
    ] {
        let upload = portal.post(&place(&path(name))).auth(&joao).bytes("image/heic", bytes);
        upload.send().await.is(200);
    }
    let image =
        |name| format!("/storage/v1/render/image/authenticated/ticket-attachments/{}", path(name));
    let shown = image("IMG_1.HEIC");
    // The second answer is from the cache.
    for _ in 0..2 {
        let path = format!("{shown}?width=32&resize=contain");
        let answer = portal.get(&path).auth(&ana).send().await.is(200);
        assert_eq!(answer.header("content-type"), "image/jpeg");
        let picture = image::load_from_memory(&answer.body).unwrap().into_rgb8();
        assert_eq!(picture.dimensions(), (32, 24));
        let [red, _, blue] = picture.get_pixel(4, 4).0;
        assert!(red > 180 && blue < 80, "{:?}", picture.get_pixel(4, 4));
        let [red, _, blue] = picture.get_pixel(4, 20).0;
        assert!(red < 80 && blue > 150, "{:?}", picture.get_pixel(4, 20));
    }
    // The photo itself is a download only.
    portal.get(&shown).auth(&ana).send().await.refused(400, "InvalidRequest");
    for name in ["cut.heic", "head.heic"] {
        let path = format!("{}?width=32", image(name));
        portal.get(&path).auth(&ana).send().await.refused(400, "InvalidRequest");
    }
});

portal_test!(both_sides_send_and_read_attachments, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for (user, sender) in [(&joao, joao.id.as_str()), (&ana, "office")] {
        let path = format!("{sender}/{ticket}/guia.pdf");
        upload(portal, user, &path).await.is(200);
        // Before its message exists, only the office can read a file.
        download(portal, &joao, &path).await.refused(400, "NoSuchKey");
        let message = message(portal, user, &ticket, false).await;
        let row = attach(portal, user, &message, &path).await.is(201).json();
        assert_eq!((&row["size"], &row["name"]), (&json!(PDF.len()), &json!("Guia.pdf")));
        // A repeated request returns the same row.
        assert_eq!(attach(portal, user, &message, &path).await.is(201).json(), row);
        for reader in [&joao, &ana] {
            assert_eq!(download(portal, reader, &path).await.is(200).body, PDF);
        }
        download(portal, &maria, &path).await.refused(400, "NoSuchKey");
        let sign = portal.post(&format!("/storage/v1/object/sign/ticket-attachments/{path}"));
        let link = sign.auth(&joao).json(&json!({"expiresIn": 60})).send().await.is(200).json();
        let link = format!("/storage/v1{}", link["signedURL"].as_str().unwrap());
        assert_eq!(portal.get(&link).send().await.is(200).body, PDF);
    }
    for sender in [&joao.id, "office"] {
        let folder = json!({"prefix": format!("{sender}/{ticket}")});
        let reported = list(portal, &joao.token, "ticket-attachments", folder.clone()).await;
        assert_eq!(names(&reported), ["guia.pdf"]);
        assert_eq!(list(portal, &maria.token, "ticket-attachments", folder).await, json!([]));
    }
    let thread = "ticket_messages?select=from_staff,ticket_attachments(name)&order=from_staff";
    let seen = portal.get(&format!("/rest/v1/{thread}")).auth(&joao).send().await.is(200).json();
    let file = json!([{"name": "Guia.pdf"}]);
    assert_eq!(
        seen,
        json!([
            {"from_staff": false, "ticket_attachments": file},
            {"from_staff": true, "ticket_attachments": file},
        ])
    );
});

portal_test!(client_uploads_to_own_open_tickets_only, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let (own, other) =
        (portal.ticket(&joao, "Dúvida").await, portal.ticket(&maria, "Dúvida").await);
    bucket(portal, "files", json!({})).await;
    let ghost = uuid::Uuid::nil().to_string();
    let (joaos, marias) = (&joao.id, &maria.id);
    let mut answers = Vec::new();
    for path in [
        format!("{marias}/{other}/a.pdf"),
        format!("{joaos}/{other}/a.pdf"),
        format!("{marias}/{own}/a.pdf"),
        format!("{joaos}/{ghost}/a.pdf"),
        format!("office/{own}/a.pdf"),
        format!("{joaos}/a.pdf"),
        format!("{joaos}/{own}/pasta/a.pdf"),
        format!("public/{joaos}/contratos/a.pdf"),
    ] {
        answers.push(upload(portal, &joao, &path).await.refused(400, "AccessDenied").seen());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "a ticket of another client must look nonexistent");
    let path = format!("{joaos}/{own}/a.pdf");
    for elsewhere in ["client-documents", "files"] {
        let request = portal.post(&format!("/storage/v1/object/{elsewhere}/{path}")).auth(&joao);
        request.bytes("application/pdf", PDF).send().await.refused(400, "AccessDenied");
    }
    // Attachments follow the same content rules as documents.
    for (name, bytes) in [("a.exe", PDF), ("a.pdf", b"<html>".as_slice()), ("b.pdf", b"")] {
        let request = portal.post(&place(&format!("{joaos}/{own}/{name}"))).auth(&joao);
        request.bytes("application/pdf", bytes).send().await.is(400);
    }
    upload(portal, &joao, &path).await.is(200);
    upload(portal, &joao, &path).await.refused(400, "KeyAlreadyExists");
    for replace in [
        portal.put(&place(&path)).auth(&joao),
        portal.post(&place(&path)).auth(&joao).header("x-upsert", "true"),
    ] {
        let replace = replace.bytes("application/pdf", PDF).send().await;
        replace.refused(400, "AccessDenied");
    }
    portal.delete(&place(&path)).auth(&joao).send().await.refused(400, "AccessDenied");
    for path in [format!("{joaos}/{other}/a.pdf"), format!("{ghost}/{own}/a.pdf"), "a.pdf".into()] {
        upload(portal, &ana, &path).await.refused(400, "InvalidKey");
    }

    let row = format!("/rest/v1/tickets?id=eq.{own}");
    portal.patch(&row).auth(&joao).json(&json!({"status": "closed"})).send().await.is(204);
    upload(portal, &joao, &format!("{joaos}/{own}/b.pdf")).await.is(200);
    portal.advance(SignedDuration::from_hours(7 * 24) + SignedDuration::from_secs(1));
    let joao = portal.sign_in(&joao.email).await;
    let late = upload(portal, &joao, &format!("{joaos}/{own}/c.pdf")).await;
    late.refused(400, "AccessDenied");
});

portal_test!(attachment_belongs_to_a_message_of_its_sender, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let (own, other) =
        (portal.ticket(&joao, "Dúvida").await, portal.ticket(&maria, "Dúvida").await);
    let path = format!("{}/{own}/a.pdf", joao.id);
    let of_staff = format!("office/{own}/b.pdf");
    upload(portal, &joao, &path).await.is(200);
    upload(portal, &ana, &of_staff).await.is(200);
    let mine = message(portal, &joao, &own, false).await;
    let theirs = message(portal, &maria, &other, false).await;
    let answer = message(portal, &ana, &own, false).await;
    let ghost = uuid::Uuid::nil().to_string();
    let nothing = format!("{}/{own}/nada.pdf", joao.id);
    let mut seen = Vec::new();
    for (message, path) in [
        (&theirs, &path),
        (&answer, &path),
        (&ghost, &path),
        (&mine, &nothing),
        (&mine, &of_staff),
        (&theirs, &nothing),
    ] {
        seen.push(attach(portal, &joao, message, path).await.refused(403, "42501").seen());
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    attach(portal, &ana, &mine, &of_staff).await.refused(409, "23503");
    let of_another = message(portal, &ana, &other, false).await;
    attach(portal, &ana, &of_another, &of_staff).await.refused(409, "23503");
    attach(portal, &joao, &mine, &path).await.is(201);
    attach(portal, &ana, &answer, &path).await.refused(409, "23503");
    attach(portal, &ana, &answer, &of_staff).await.is(201);
    // A file belongs to at most one message.
    let second = message(portal, &joao, &own, false).await;
    attach(portal, &joao, &second, &path).await.refused(409, "23505");
    for number in 0..20 {
        let path = format!("{}/{own}/{number}.pdf", joao.id);
        upload(portal, &joao, &path).await.is(200);
        attach(portal, &joao, &second, &path).await.is(201);
    }
    let another = format!("{}/{own}/20.pdf", joao.id);
    upload(portal, &joao, &another).await.is(200);
    attach(portal, &joao, &second, &another).await.refused(400, "23514");
});

portal_test!(attachment_of_a_note_is_visible_to_staff_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let path = format!("office/{ticket}/interno.pdf");
    upload(portal, &ana, &path).await.is(200);
    let note = message(portal, &ana, &ticket, true).await;
    attach(portal, &ana, &note, &path).await.is(201);
    let rows = portal.get("/rest/v1/ticket_attachments").auth(&joao).send().await;
    assert_eq!(rows.is(200).json(), json!([]));
    download(portal, &joao, &path).await.refused(400, "NoSuchKey");
    download(portal, &ana, &path).await.is(200);
    // A name conflict does not reveal it either.
    let taken = upload(portal, &joao, &path).await.refused(400, "AccessDenied").seen();
    let free = upload(portal, &joao, &format!("office/{ticket}/outro.pdf")).await;
    assert_eq!(free.refused(400, "AccessDenied").seen(), taken);
});

portal_test!(pending_attachments_are_limited_and_deleted_without_a_message, async |portal| {
    let joao = portal.client("joao").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let path = |number: usize| format!("{}/{ticket}/{number}.pdf", joao.id);
    for number in 0..60 {
        upload(portal, &joao, &path(number)).await.is(200);
    }
    let refused = upload(portal, &joao, &path(60)).await.refused(400, "SlowDown");
    assert_eq!(
        (refused.json()["statusCode"].as_str(), refused.header("retry-after")),
        (Some("429"), "60")
    );
    let sent = message(portal, &joao, &ticket, false).await;
    attach(portal, &joao, &sent, &path(0)).await.is(201);
    upload(portal, &joao, &path(60)).await.is(200);
    portal.advance(SignedDuration::from_hours(24) + SignedDuration::from_secs(1));
    garbage_collect::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(1));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
    let joao = portal.sign_in(&joao.email).await;
    download(portal, &joao, &path(0)).await.is(200);
});

portal_test!(attachments_are_deleted_with_message_ticket_or_client, async |portal| {
    let ana = portal.admin().await;
    for (number, what) in ["ticket_messages", "tickets", "users"].into_iter().enumerate() {
        let client = portal.client(&format!("cliente{number}")).await;
        let ticket = portal.ticket(&client, "Dúvida").await;
        let path = format!("{}/{ticket}/a.pdf", client.id);
        upload(portal, &client, &path).await.is(200);
        let sent = message(portal, &client, &ticket, false).await;
        attach(portal, &client, &sent, &path).await.is(201);
        let doomed = match what {
            "users" => format!("/auth/v1/admin/users/{}", client.id),
            "tickets" => format!("/rest/v1/tickets?id=eq.{ticket}"),
            _ => format!("/rest/v1/ticket_messages?id=eq.{sent}"),
        };
        assert!(portal.delete(&doomed).auth(&ana).send().await.status.is_success(), "{what}");
        download(portal, &ana, &path).await.refused(400, "NoSuchKey");
    }
    portal.advance(SignedDuration::from_hours(1));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
});

portal_test!(attachment_bucket_cannot_be_deleted_or_made_public, async |portal| {
    let ana = portal.admin().await;
    let open = portal.put("/storage/v1/bucket/ticket-attachments").auth(&ana);
    open.json(&json!({"public": true})).send().await.refused(400, "AccessDenied");
    let gone = portal.delete("/storage/v1/bucket/ticket-attachments").auth(&ana).send().await;
    gone.refused(400, "AccessDenied");
});
