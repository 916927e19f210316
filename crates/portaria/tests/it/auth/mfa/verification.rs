//! Enrollment and verification: accepted codes, attempts, lifetimes, and storage.

use jiff::SignedDuration;
use portaria::{db::Tx, security::totp};
use sea_query::Query;
use serde_json::json;

use crate::auth::mfa::{
    Authenticator, STEP, answer, challenge, claims, codes, enroll, from_base32, lines, methods,
    recover, submit_code, try_enroll, verified_admin, verify_second_step,
};
use crate::harness::{TestUser, portal_test};

portal_test!(verification_raises_the_assurance_level, async |portal| {
    let ana = portal.admin().await;
    let elsewhere = portal.sign_in(&ana.email).await;
    let body = json!({"factor_type": "totp", "friendly_name": "Telefone", "issuer": "Escritório"});
    let response = try_enroll(portal, &ana, body).await.is(200).json();
    assert_eq!(
        (&response["type"], &response["friendly_name"]),
        (&json!("totp"), &json!("Telefone"))
    );
    let secret = response["totp"]["secret"].as_str().unwrap();
    assert_eq!(
        response["totp"]["uri"],
        format!(
            "otpauth://totp/Escrit%C3%B3rio:ana%40escritorio%2Ecom%2Ebr?algorithm=SHA1&digits=6\
             &issuer=Escrit%C3%B3rio&period=30&secret={secret}"
        )
    );
    let picture = response["totp"]["qr_code"].as_str().unwrap();
    assert!(picture.starts_with("<svg ") && !picture.contains(['#', '%']), "{picture}");
    let app = Authenticator {
        id: response["id"].as_str().unwrap().to_owned(),
        secret: from_base32(secret),
    };
    assert_eq!(app.secret.len(), 20);
    // Before its first code the factor is listed, but has no effect.
    let user = portal.get("/auth/v1/user").auth(&ana).send().await.is(200).json();
    assert_eq!(user["factors"][0]["status"], "unverified");
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);

    let session = submit_code(portal, &ana, &app, &app.code(portal, 0)).await.is(200).json();
    let shown = claims(session["access_token"].as_str().unwrap());
    let now = portal.now().as_second();
    assert_eq!(shown["aal"], "aal2");
    assert_eq!(
        shown["amr"],
        json!([{"method": "totp", "timestamp": now}, {"method": "password", "timestamp": now}])
    );
    assert_eq!(shown["session_id"], claims(&ana.token)["session_id"]);
    assert_eq!(session["user"]["factors"][0]["status"], "verified");
    assert_eq!(session["user"]["factors"][0]["factor_type"], "totp");
    assert!(session["user"]["factors"][0].get("secret").is_none());
    let ana = TestUser::from_session(&session);
    let (level, ways) = methods(portal, &ana.refresh_token).await;
    assert_eq!((level.as_str(), ways), ("aal2", vec!["totp".to_owned(), "password".to_owned()]));

    portal.get("/auth/v1/user").auth(&elsewhere).send().await.refused(403, "session_not_found");
    portal.mail("second_step_on", &ana.email).await;
    assert_eq!(lines(portal, "second_step.enrolled").await[0]["actor_name"], "Ana Prado");
    assert_eq!(lines(portal, "session.ended").await[0]["detail"], json!({"sessions": 1}));
});

portal_test!(code_is_valid_for_ninety_seconds_and_once, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    portal.advance(SignedDuration::from_mins(5));
    for steps in [-2, 2] {
        let code = app.code(portal, steps);
        submit_code(portal, &ana, &app, &code).await.refused(422, "mfa_verification_failed");
    }
    for steps in [-1, 0, 1] {
        let code = app.code(portal, steps);
        submit_code(portal, &ana, &app, &code).await.is(200);
        submit_code(portal, &ana, &app, &code).await.refused(422, "mfa_verification_failed");
    }
    // Codes older than the last used one are rejected.
    submit_code(portal, &ana, &app, &app.code(portal, 0))
        .await
        .refused(422, "mfa_verification_failed");
    for code in ["", "12345", "1234567", "abcdef"] {
        let refused = submit_code(portal, &ana, &app, code).await;
        let expected = if code.is_empty() {
            (400, "validation_failed")
        } else {
            (422, "mfa_verification_failed")
        };
        refused.refused(expected.0, expected.1);
    }
});

portal_test!(challenge_is_valid_for_five_minutes_and_once, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    portal.advance(STEP);
    let asked = challenge(portal, &ana, &app).await;
    portal.advance(SignedDuration::from_secs(299));
    // A wrong code does not use the challenge.
    answer(portal, &ana, &app, &asked, "000000").await.refused(422, "mfa_verification_failed");
    answer(portal, &ana, &app, &asked, &app.code(portal, 0)).await.is(200);
    portal.advance(STEP);
    let code = app.code(portal, 0);
    answer(portal, &ana, &app, &asked, &code).await.refused(422, "mfa_factor_not_found");
    let asked = challenge(portal, &ana, &app).await;
    portal.advance(SignedDuration::from_mins(5));
    let code = app.code(portal, 0);
    answer(portal, &ana, &app, &asked, &code).await.refused(422, "mfa_challenge_expired");
    let unknown = "00000000-0000-4000-8000-000000000000";
    answer(portal, &ana, &app, unknown, &code).await.refused(422, "mfa_factor_not_found");
    answer(portal, &ana, &app, "x", &code).await.refused(400, "bad_json");
});

portal_test!(wrong_codes_are_limited_per_account, async |portal| {
    let (_, app) = verified_admin(portal).await;
    let ana = portal.sign_in("ana@escritorio.com.br").await;
    for number in 0..10 {
        let asked = challenge(portal, &ana, &app).await;
        let path = format!("/auth/v1/factors/{}/verify", app.id);
        let body = json!({"challenge_id": asked, "code": "000000"});
        let request =
            portal.post(&path).auth(&ana).json(&body).from(&format!("203.0.113.{number}"));
        request.send().await.refused(422, "mfa_verification_failed");
    }
    portal.advance(STEP);
    let refused = submit_code(portal, &ana, &app, &app.code(portal, 0)).await;
    let refused = refused.refused(429, "over_request_rate_limit");
    assert_eq!(refused.header("retry-after"), "870");
    recover(portal, &ana, "k4m9x7qp2ab8ht3z").await.refused(429, "mfa_recovery_codes_locked");
    portal.restart();
    submit_code(portal, &ana, &app, &app.code(portal, 0))
        .await
        .refused(429, "over_request_rate_limit");
    portal.advance(SignedDuration::from_mins(15));
    verify_second_step(portal, &ana, &app).await;
    assert_eq!(lines(portal, "session.refused").await.len(), 10);
    assert_eq!(
        lines(portal, "session.refused").await[0]["detail"],
        json!({"reason": "second_step"})
    );
});

portal_test!(enrollment_is_validated_and_limited, async |portal| {
    let ana = portal.admin().await;
    for (body, status, code) in [
        (
            json!({"factor_type": "phone", "phone": "+5511999999999"}),
            422,
            "mfa_phone_enroll_not_enabled",
        ),
        (json!({"factor_type": "webauthn"}), 422, "mfa_webauthn_enroll_not_enabled"),
        (json!({"factor_type": "recovery_code"}), 400, "validation_failed"),
        (json!({}), 400, "validation_failed"),
        (
            json!({"factor_type": "totp", "friendly_name": "x".repeat(101)}),
            400,
            "validation_failed",
        ),
        (json!({"factor_type": "totp", "issuer": "x".repeat(5000)}), 400, "validation_failed"),
        (json!({"factor_type": 7}), 400, "bad_json"),
    ] {
        try_enroll(portal, &ana, body).await.refused(status, code);
    }
    let named = |name: String| json!({"factor_type": "totp", "friendly_name": name});
    try_enroll(portal, &ana, named("Telefone".into())).await.is(200);
    let again = try_enroll(portal, &ana, named("Telefone".into())).await;
    again.refused(422, "mfa_factor_name_conflict");
    for number in 0..9 {
        try_enroll(portal, &ana, named(number.to_string())).await.is(200);
    }
    let eleventh = try_enroll(portal, &ana, named("Mais um".into())).await;
    eleventh.refused(422, "too_many_enrolled_mfa_factors");
    // Unfinished enrollments are removed.
    portal.advance(SignedDuration::from_secs(301));
    let app = enroll(portal, &ana).await;
    let abandoned = try_enroll(portal, &ana, named("Abandonado".into())).await.is(200).json();
    verify_second_step(portal, &ana, &app).await;
    let path = format!("/auth/v1/factors/{}/challenge", abandoned["id"].as_str().unwrap());
    portal
        .post(&path)
        .auth(&ana)
        .json(&json!({}))
        .send()
        .await
        .refused(404, "mfa_factor_not_found");
    // A session without verification cannot add a factor.
    let thief = portal.sign_in(&ana.email).await;
    let second = try_enroll(portal, &thief, named("Ladrão".into())).await;
    second.refused(403, "insufficient_aal");
});

portal_test!(secret_and_recovery_codes_are_stored_unreadable, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    let rows = portal.app.db.read(|tx: &mut Tx<'_>| {
        let rows = tx.rows(Query::select().column("secret").from("factors"))?;
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<Vec<_>, _>>()
    });
    let rows: Vec<String> = rows.await.unwrap();
    assert_eq!(rows.len(), 1);
    let vault = portal.app.keys.factors();
    assert_eq!(vault.decrypt(&app.id, &rows[0]), Some(app.secret.clone()));
    assert_eq!(vault.decrypt(&ana.id, &rows[0]), None);
    assert!(!rows[0].contains(&totp::base32(&app.secret)));
    let hashes = codes(portal, &ana).await;
    let stored = portal.app.db.read(|tx: &mut Tx<'_>| {
        let rows = tx.rows(Query::select().column("code_hash").from("recovery_codes"))?;
        rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<Vec<_>, _>>()
    });
    let stored: Vec<String> = stored.await.unwrap();
    assert_eq!(stored.len(), 10);
    assert!(hashes.iter().all(|code| !stored.contains(code)));
});
