//! Sessions: rotation of refresh tokens, expiry, sign-out, bans.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test};

fn token(session: &Value) -> &str {
    session["refresh_token"].as_str().unwrap()
}

portal_test!(refresh_rotates_the_tokens_of_a_session, async |portal| {
    let joao = portal.client("joao").await;
    portal.advance(SignedDuration::from_mins(50));
    let session = portal.refresh(&joao.refresh_token).await.is(200).json();
    assert_ne!(token(&session), joao.refresh_token);
    assert_eq!(session["expires_at"], portal.now().as_second() + 3600);
    let renewed = TestUser::from_session(&session);
    portal.get("/auth/v1/user").auth(&renewed).send().await.is(200);
    // The old access token stays valid until it expires.
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    portal.advance(SignedDuration::from_mins(11));
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "bad_jwt");
    portal.get("/auth/v1/user").auth(&renewed).send().await.is(200);
});

portal_test!(lost_refresh_response_is_repeated, async |portal| {
    let joao = portal.client("joao").await;
    let first = portal.refresh(&joao.refresh_token).await.is(200).json();
    // At any later time: the successor was never used, so the token was not stolen.
    portal.advance(SignedDuration::from_hours(5));
    let again = portal.refresh(&joao.refresh_token).await.is(200).json();
    assert_eq!(token(&first), token(&again));
    portal.refresh(token(&again)).await.is(200);
});

portal_test!(twenty_concurrent_refreshes_return_one_token, async |portal| {
    let joao = portal.client("joao").await;
    let answers = join_all((0..20).map(|_| portal.refresh(&joao.refresh_token))).await;
    let mut tokens: Vec<String> =
        answers.into_iter().map(|answer| token(&answer.is(200).json()).to_owned()).collect();
    tokens.dedup();
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    assert_ne!(tokens[0], joao.refresh_token);
});

portal_test!(reuse_of_an_old_refresh_token_is_no_tab_race, async |portal| {
    let joao = portal.client("joao").await;
    let second = portal.refresh(&joao.refresh_token).await.is(200).json();
    portal.advance(SignedDuration::from_hours(24));
    let third = portal.refresh(token(&second)).await.is(200).json();
    // The owner was active just now, and a second sender presents yesterday's token.
    portal.advance(SignedDuration::from_secs(5));
    let stolen = portal.refresh(&joao.refresh_token).await;
    stolen.refused(400, "refresh_token_already_used");
    portal.refresh(token(&third)).await.refused(400, "refresh_token_not_found");
});

portal_test!(reuse_of_a_spent_refresh_token_revokes_the_session, async |portal| {
    let joao = portal.client("joao").await;
    let second = portal.refresh(&joao.refresh_token).await.is(200).json();
    let third = portal.refresh(token(&second)).await.is(200).json();
    // Within ten seconds a reuse counts as a race between tabs and returns the current token.
    portal.advance(SignedDuration::from_secs(10));
    let raced = portal.refresh(&joao.refresh_token).await.is(200).json();
    assert_eq!(token(&raced), token(&third));
    portal.advance(SignedDuration::from_secs(1));
    let stolen = portal.refresh(&joao.refresh_token).await;
    stolen.refused(400, "refresh_token_already_used");
    portal.refresh(token(&third)).await.refused(400, "refresh_token_not_found");
    let renewed = TestUser::from_session(&third);
    portal.get("/auth/v1/user").auth(&renewed).send().await.refused(403, "session_not_found");
});

portal_test!(invalid_refresh_token_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    let mut bent = joao.refresh_token.clone();
    let place = bent.len() - 4..bent.len() - 3;
    let other = if &bent[place.clone()] == "A" { "B" } else { "A" };
    bent.replace_range(place, other);
    for text in ["x", "!", joao.token.as_str(), &bent, &"a".repeat(10_000)] {
        portal.refresh(text).await.refused(400, "refresh_token_not_found");
    }
    portal.refresh("").await.refused(400, "validation_failed");
    portal.refresh(&joao.refresh_token).await.is(200);
});

portal_test!(session_expires_after_seven_days_of_inactivity, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.advance(SignedDuration::from_hours(7 * 24));
    portal.refresh(&joao.refresh_token).await.is(200);
    portal.advance(SignedDuration::from_secs(1));
    portal.refresh(&maria.refresh_token).await.refused(400, "session_expired");
});

portal_test!(session_expires_thirty_days_after_sign_in, async |portal| {
    let mut joao = portal.client("joao").await;
    for _ in 0..5 {
        portal.advance(SignedDuration::from_hours(6 * 24));
        joao = TestUser::from_session(&portal.refresh(&joao.refresh_token).await.is(200).json());
    }
    portal.advance(SignedDuration::from_secs(1));
    portal.refresh(&joao.refresh_token).await.refused(400, "session_expired");
});

/// Whether a token is accepted by the three APIs, which must agree.
async fn is_signed_in(portal: &TestPortal, user: &TestUser, path: &str) -> bool {
    let account = portal.get("/auth/v1/user").auth(user).send().await;
    let rows = portal.get("/rest/v1/documents?select=id").auth(user).send().await;
    let file = portal.get(&object(path)).auth(user).send().await;
    if account.status == 200 {
        rows.is(200);
        file.is(200);
        return true;
    }
    account.refused(403, "session_not_found");
    rows.refused(401, "PGRST301");
    file.refused(400, "AccessDenied");
    false
}

portal_test!(sign_out_takes_effect_immediately_within_its_scope, async |portal| {
    let first = portal.client("joao").await;
    let path = portal.document(&first, "contratos", "a.pdf").await.path;
    for (scope, expected) in [
        ("?scope=local", [false, true, true]),
        ("?scope=others", [true, false, false]),
        ("?scope=global", [false, false, false]),
        ("", [false, false, false]),
    ] {
        let mut users = Vec::new();
        for _ in 0..3 {
            users.push(portal.sign_in(&first.email).await);
        }
        let logout = portal.post(&format!("/auth/v1/logout{scope}")).auth(&users[0]).send().await;
        assert!(logout.is(204).body.is_empty());
        for (user, expected) in users.iter().zip(expected) {
            assert_eq!(is_signed_in(portal, user, &path).await, expected, "{scope}");
        }
    }
});

portal_test!(sign_out_without_a_session_is_refused_for_the_client_library, async |portal| {
    let joao = portal.client("joao").await;
    let logout = |scope: &str| portal.post(&format!("/auth/v1/logout{scope}"));
    logout("").send().await.refused(401, "no_authorization");
    logout("").bearer(&portal.app.keys.anon).send().await.refused(403, "bad_jwt");
    logout("?scope=here").auth(&joao).send().await.refused(400, "validation_failed");
    logout("").auth(&joao).send().await.is(204);
    logout("").auth(&joao).send().await.refused(403, "session_not_found");
});

portal_test!(ban_takes_effect_immediately_and_is_revealed_with_the_password_only, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let account = format!("/auth/v1/admin/users/{}", joao.id);
    let ban = |duration: &str| {
        let request = portal.put(&account).bearer(&portal.app.keys.service_role);
        request.json(&json!({"ban_duration": duration}))
    };
    let banned = ban("24h").send().await.is(200).json();
    assert_eq!(banned["banned_until"], "2026-11-22T15:00:00.000000Z");

    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "user_banned");
    let rows = portal.get("/rest/v1/documents?select=id").auth(&joao).send().await;
    rows.refused(401, "PGRST301");
    portal.get(&object(&document.path)).auth(&joao).send().await.refused(400, "AccessDenied");
    portal.refresh(&joao.refresh_token).await.refused(400, "user_banned");
    let wrong = portal.try_sign_in(&joao.email, "outra-senha").await;
    wrong.refused(400, "invalid_credentials");
    let right = portal.try_sign_in(&joao.email, crate::harness::PASSWORD).await;
    right.refused(400, "user_banned");

    ban("none").send().await.is(200);
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    ban("1h30m").send().await.is(200);
    portal.advance(SignedDuration::from_mins(90));
    portal.sign_in(&joao.email).await;
    for nonsense in ["forever", "-1h", "1"] {
        ban(nonsense).send().await.refused(400, "validation_failed");
    }
});
