//! Loss of the factor: recovery codes, removal, and reset by others.

use portaria::{accounts::user, api::auth::mfa, db::Tx};
use serde_json::{Value, json};

use crate::auth::mfa::{
    claims, codes, enroll, lines, recover, verified_admin, verified_client, verify_second_step,
};
use crate::harness::{TestUser, portal_test};

portal_test!(recovery_code_works_once, async |portal| {
    let ana = portal.admin().await;
    let path = "/auth/v1/factors/recovery-codes";
    let refused = portal.post(path).auth(&ana).json(&json!({})).send().await;
    refused.refused(403, "insufficient_aal");
    let app = enroll(portal, &ana).await;
    let ana = verify_second_step(portal, &ana, &app).await;
    let status = || portal.get(path).auth(&ana);
    status().send().await.refused(404, "mfa_factor_not_found");
    let codes = codes(portal, &ana).await;
    let well_made =
        |code: &String| code.len() == 16 && code.bytes().all(|c| c.is_ascii_alphanumeric());
    assert!(codes.len() == 10 && codes.iter().all(well_made), "{codes:?}");
    let again = portal.post(path).auth(&ana).json(&json!({})).send().await;
    again.refused(422, "mfa_verified_factor_exists");

    let lost = portal.sign_in(&ana.email).await;
    let written = format!(" {}-{} ", codes[3][..8].to_uppercase(), &codes[3][8..]);
    let session = recover(portal, &lost, &written).await.is(200).json();
    let shown = claims(session["access_token"].as_str().unwrap());
    assert_eq!(shown["aal"], "aal2");
    assert_eq!(shown["amr"][0]["method"], "mfa/recovery_code");
    let lost = TestUser::from_session(&session);
    portal.get("/rest/v1/clients").auth(&lost).send().await.is(200);
    recover(portal, &lost, &codes[3]).await.refused(422, "mfa_verification_failed");
    let left = status().send().await.is(200).json();
    assert_eq!((&left["total"], &left["remaining"]), (&json!(10), &json!(9)));
    portal.mail("recovery_code_used", &ana.email).await;
    assert_eq!(lines(portal, "second_step.recovered").await[0]["detail"], json!({"remaining": 9}));

    let regenerate = format!("{path}/regenerate");
    let others = portal.post(&regenerate).auth(&ana).json(&json!({})).send().await.is(200).json();
    assert_eq!(others["id"], left["id"]);
    recover(portal, &ana, &codes[0]).await.refused(422, "mfa_verification_failed");
    recover(portal, &ana, others["codes"][0].as_str().unwrap()).await.is(200);

    portal.delete(path).auth(&ana).send().await.is(200);
    let gone = recover(portal, &ana, others["codes"][1].as_str().unwrap()).await;
    gone.refused(422, "mfa_verification_failed");
});

portal_test!(removal_requires_verification, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    let path = format!("/auth/v1/factors/{}", app.id);
    let paper = codes(portal, &ana).await;
    let waiting = portal.sign_in(&ana.email).await;
    portal.delete(&path).auth(&waiting).send().await.refused(422, "insufficient_aal");
    let set = portal.get("/auth/v1/factors/recovery-codes").auth(&ana).send().await.is(200).json();
    let set = format!("/auth/v1/factors/{}", set["id"].as_str().unwrap());
    portal.delete(&set).auth(&ana).send().await.refused(422, "validation_failed");
    let gone = portal.delete(&path).auth(&ana).send().await.is(200).json();
    assert_eq!(gone["id"], json!(app.id));
    portal.delete(&path).auth(&ana).send().await.refused(404, "mfa_factor_not_found");
    // The recovery codes are removed too, and pending challenges end.
    recover(portal, &ana, &paper[0]).await.refused(422, "mfa_verification_failed");
    portal.get("/auth/v1/user").auth(&waiting).send().await.refused(403, "session_not_found");
    portal.mail("second_step_off", &ana.email).await;
    assert_eq!(lines(portal, "second_step.removed").await.len(), 1);
    // The password is sufficient again.
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
    let ana = portal.sign_in(&ana.email).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
});

portal_test!(admin_resets_the_factor_of_a_colleague, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    let paper = codes(portal, &ana).await;
    let bia = portal.client("bia").await;
    let factors = format!("/auth/v1/admin/users/{}/factors", ana.id);
    let factor = format!("{factors}/{}", app.id);
    for request in [portal.get(&factors), portal.delete(&factor)] {
        request.auth(&bia).send().await.refused(403, "not_admin");
    }
    let grant = json!({"app_metadata": {"roles": ["admin"]}});
    let user = format!("/auth/v1/admin/users/{}", bia.id);
    portal.put(&user).auth(&ana).json(&grant).send().await.is(200);
    let listed = portal.get(&factors).auth(&bia).send().await.is(200).json();
    let kinds: Vec<&Value> =
        listed.as_array().unwrap().iter().map(|factor| &factor["factor_type"]).collect();
    assert_eq!(kinds, [&json!("totp"), &json!("recovery_code")]);
    // A factor of another user is not found by its id.
    let own = format!("/auth/v1/factors/{}", app.id);
    portal.delete(&own).auth(&bia).send().await.refused(404, "mfa_factor_not_found");
    let staff = portal.get("/rest/v1/staff?select=email,second_step&order=email").auth(&bia);
    assert_eq!(
        staff.send().await.is(200).json(),
        json!([{"email": ana.email, "second_step": true}, {"email": bia.email, "second_step": false}])
    );
    for wrong in [format!("{factors}/{}", bia.id), format!("{user}/factors/{}", app.id)] {
        portal.delete(&wrong).auth(&bia).send().await.refused(404, "mfa_factor_not_found");
    }
    let gone = portal.delete(&factor).auth(&bia).send().await.is(200).json();
    assert_eq!(gone["id"], json!(app.id));
    assert_eq!(portal.get(&factors).auth(&bia).send().await.is(200).json(), json!([]));
    // All her sessions end, the reset is recorded, and she signs in with the password alone.
    portal.get("/auth/v1/user").auth(&ana).send().await.refused(403, "session_not_found");
    portal.mail("second_step_off", &ana.email).await;
    let line = &lines(portal, "second_step.removed").await[0];
    assert_eq!((&line["actor_name"], &line["person_name"]), (&json!("bia"), &json!("Ana Prado")));
    let ana = portal.sign_in(&ana.email).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
    recover(portal, &ana, &paper[0]).await.refused(422, "mfa_verification_failed");
});

portal_test!(office_resets_the_factor_of_a_client, async |portal| {
    let ana = portal.admin().await;
    let (joao, app) = verified_client(portal, "joao").await;
    codes(portal, &joao).await;
    let maria = portal.client("maria").await;
    let factors = format!("/auth/v1/admin/users/{}/factors", joao.id);
    let factor = format!("{factors}/{}", app.id);
    portal.get(&factors).auth(&maria).send().await.refused(403, "not_admin");
    portal.delete(&factor).auth(&maria).send().await.refused(403, "not_admin");
    let accounts = portal.get("/auth/v1/admin/users?sort=email%20asc").auth(&ana).send().await;
    let accounts = accounts.is(200).json();
    let kinds = |account: &Value| {
        let factors = account["factors"].as_array().cloned().unwrap_or_default();
        factors.iter().map(|factor| factor["factor_type"].clone()).collect::<Vec<_>>()
    };
    let listed: Vec<_> = accounts["users"].as_array().unwrap().iter().map(kinds).collect();
    assert_eq!(listed, [vec![], vec![json!("totp"), json!("recovery_code")], vec![]]);

    portal.delete(&factor).auth(&ana).send().await.is(200);
    assert_eq!(portal.get(&factors).auth(&ana).send().await.is(200).json(), json!([]));
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "session_not_found");
    portal.mail("second_step_off", &joao.email).await;
    let line = &lines(portal, "second_step.removed").await[0];
    assert_eq!((&line["actor_name"], &line["person_name"]), (&json!("Ana Prado"), &json!("joao")));
    let joao = portal.sign_in(&joao.email).await;
    portal.get("/rest/v1/documents").auth(&joao).send().await.is(200);
});

portal_test!(operator_resets_the_factor_of_the_last_admin, async |portal| {
    let (ana, _) = verified_admin(portal).await;
    codes(portal, &ana).await;
    let reset = async || {
        let (app, email) = (std::sync::Arc::clone(&portal.app), ana.email.clone());
        let reset = move |tx: &mut Tx<'_>| {
            let user = user::by_email(tx, &email)?.unwrap();
            mfa::reset_mfa(tx, &app, &user)
        };
        portal.app.db.write(reset).await.unwrap()
    };
    assert!(reset().await);
    assert!(!reset().await);
    portal.get("/auth/v1/user").auth(&ana).send().await.refused(403, "session_not_found");
    let ana = portal.sign_in(&ana.email).await;
    let user = portal.get("/auth/v1/user").auth(&ana).send().await.is(200).json();
    assert!(user.get("factors").is_none());
    portal.mail("second_step_off", &ana.email).await;
    assert_eq!(lines(portal, "second_step.removed").await[0]["actor"], "program");
});
