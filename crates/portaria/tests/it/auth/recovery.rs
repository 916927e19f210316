//! Password recovery by a mailed link.

use futures_util::future::join_all;
use jiff::SignedDuration;
use portaria::db::{Error, Tx};
use sea_query::{Order, Query};
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn recover(portal: &TestPortal, email: &str) -> Answer {
    portal.post("/auth/v1/recover").json(&json!({"email": email})).send().await
}

async fn verify(portal: &TestPortal, token: &str) -> Answer {
    let body = json!({"token_hash": token, "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await
}

/// Recipients and texts of the queued mails, oldest first.
async fn mails(portal: &TestPortal) -> Vec<(String, String)> {
    let read = |tx: &mut Tx<'_>| {
        let mut query = Query::select();
        query.columns(["recipient", "html"]).from("outbox");
        query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
        let rows = tx.rows(&query)?;
        rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned()))).collect()
    };
    portal.app.db.read::<_, Error, _>(read).await.unwrap()
}

/// The token in the newest mail.
async fn mailed_token(portal: &TestPortal) -> String {
    let (_, html) = mails(portal).await.pop().unwrap();
    html.split_once("token_hash=").unwrap().1.split('&').next().unwrap().to_owned()
}

portal_test!(recovery_link_sets_a_new_password_once, async |portal| {
    let joao = portal.client("joao").await;
    assert_eq!(recover(portal, " JOAO@cliente.com.br ").await.is(200).json(), json!({}));
    let (recipient, html) = mails(portal).await.pop().unwrap();
    assert_eq!(recipient, joao.email);
    assert!(html.contains("http://127.0.0.1:8080/atualizar-senha#token_hash="), "{html}");

    let token = mailed_token(portal).await;
    let session = verify(portal, &token).await.is(200).json();
    let recovered = TestUser::from_session(&session);
    portal.advance(SignedDuration::from_secs(1));
    let change =
        portal.put("/auth/v1/user").auth(&recovered).json(&json!({"password": "senha-nova"}));
    change.send().await.is(200);
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "session_not_found");
    portal.try_sign_in(&joao.email, PASSWORD).await.refused(400, "invalid_credentials");
    portal.try_sign_in(&joao.email, "senha-nova").await.is(200);
    verify(portal, &token).await.refused(403, "otp_expired");
    // The user is notified of the change.
    let (recipient, html) = mails(portal).await.pop().unwrap();
    assert_eq!(recipient, joao.email);
    assert!(!html.contains("token_hash"), "{html}");
});

portal_test!(recovery_does_not_reveal_accounts, async |portal| {
    let joao = portal.client("joao").await;
    let known = recover(portal, &joao.email).await;
    let unknown = recover(portal, "ninguem@cliente.com.br").await;
    let throttled = recover(portal, &joao.email).await;
    assert_eq!(known.status, 200);
    let known = known.seen();
    assert_eq!(known, unknown.seen());
    assert_eq!(known, throttled.seen());
    assert_eq!(mails(portal).await.len(), 1);
    for (body, code) in [
        (json!({}), "validation_failed"),
        (json!({"email": null}), "validation_failed"),
        (json!({"email": "nada"}), "validation_failed"),
        (json!({"email": "a@b.c\r\nBcc: x@y.z"}), "validation_failed"),
    ] {
        portal.post("/auth/v1/recover").json(&body).send().await.refused(400, code);
    }
    let poisoned =
        portal.post("/auth/v1/recover?redirect_to=https://evil.com").header("host", "evil.com");
    let poisoned = poisoned.header("x-forwarded-host", "evil.com");
    portal.advance(SignedDuration::from_mins(2));
    poisoned.json(&json!({"email": joao.email})).send().await.is(200);
    assert!(!mails(portal).await.pop().unwrap().1.contains("evil"));
});

portal_test!(concurrent_recovery_requests_send_one_mail, async |portal| {
    let joao = portal.client("joao").await;
    join_all((0..8).map(|_| recover(portal, "ninguem@cliente.com.br"))).await;
    for answer in join_all((0..8).map(|_| recover(portal, &joao.email))).await {
        answer.is(200);
    }
    assert_eq!(mails(portal).await.len(), 1);
    verify(portal, &mailed_token(portal).await).await.is(200);
});

portal_test!(recovery_link_is_valid_for_an_hour_or_until_the_next, async |portal| {
    let joao = portal.client("joao").await;
    recover(portal, &joao.email).await.is(200);
    let first = mailed_token(portal).await;
    portal.advance(SignedDuration::from_secs(60));
    recover(portal, &joao.email).await.is(200);
    let second = mailed_token(portal).await;
    verify(portal, &first).await.refused(403, "otp_expired");
    portal.advance(SignedDuration::from_secs(3599));
    verify(portal, &second).await.is(200);

    recover(portal, &joao.email).await.is(200);
    let third = mailed_token(portal).await;
    portal.advance(SignedDuration::from_secs(3600));
    verify(portal, &third).await.refused(403, "otp_expired");
});

portal_test!(recovery_link_ends_with_a_password_change, async |portal| {
    let joao = portal.client("joao").await;
    recover(portal, &joao.email).await.is(200);
    let token = mailed_token(portal).await;
    let change = portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "senha-nova"}));
    change.send().await.is(200);
    verify(portal, &token).await.refused(403, "otp_expired");
});

portal_test!(invalid_recovery_link_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    recover(portal, &joao.email).await.is(200);
    let token = mailed_token(portal).await;
    let swapped: String =
        token
            .chars()
            .map(|c| {
                if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
            })
            .collect();
    for wrong in [&token[1..], &format!("{token}x"), &swapped, "x"] {
        verify(portal, wrong).await.refused(403, "otp_expired");
    }
    for body in [
        json!({}),
        json!({"token_hash": "", "type": "recovery"}),
        json!({"token_hash": token}),
        json!({"token_hash": token, "type": null}),
        json!({"token_hash": token, "type": "nonesuch"}),
        Value::Null,
    ] {
        let answer = portal.post("/auth/v1/verify").json(&body).send().await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
    }
    // Failed attempts and link scanners do not use the link.
    portal.get("/atualizar-senha").send().await;
    portal.head("/atualizar-senha").send().await;
    verify(portal, &token).await.is(200);
});

portal_test!(banned_user_cannot_recover, async |portal| {
    let joao = portal.client("joao").await;
    recover(portal, &joao.email).await.is(200);
    let token = mailed_token(portal).await;
    let ban = portal.put(&format!("/auth/v1/admin/users/{}", joao.id));
    let ban = ban.bearer(&portal.app.keys.service_role).json(&json!({"ban_duration": "24h"}));
    ban.send().await.is(200);
    verify(portal, &token).await.refused(403, "user_banned");
});
