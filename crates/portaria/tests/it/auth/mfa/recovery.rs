//! Loss of the factor: recovery codes, removal, and reset by others.

use portaria::{accounts::user, api::auth::mfa, db::Tx};
use serde_json::{Value, json};

use crate::auth::mfa::{claims, codes, enroll, lines, recover, step, stepped};
use crate::harness::{TestUser, portal_test};

portal_test!(recovery_code_works_once, async |world| {
    let ana = world.admin().await;
    let path = "/auth/v1/factors/recovery-codes";
    let refused = world.post(path).as_(&ana).json(&json!({})).send().await;
    refused.refused(403, "insufficient_aal");
    let app = enroll(world, &ana).await;
    let ana = step(world, &ana, &app).await;
    let status = || world.get(path).as_(&ana);
    status().send().await.refused(404, "mfa_factor_not_found");
    let codes = codes(world, &ana).await;
    let well_made =
        |code: &String| code.len() == 16 && code.bytes().all(|c| c.is_ascii_alphanumeric());
    assert!(codes.len() == 10 && codes.iter().all(well_made), "{codes:?}");
    let again = world.post(path).as_(&ana).json(&json!({})).send().await;
    again.refused(422, "mfa_verified_factor_exists");

    let lost = world.sign_in(&ana.email).await;
    let written = format!(" {}-{} ", codes[3][..8].to_uppercase(), &codes[3][8..]);
    let session = recover(world, &lost, &written).await.is(200).json();
    let shown = claims(session["access_token"].as_str().unwrap());
    assert_eq!(shown["aal"], "aal2");
    assert_eq!(shown["amr"][0]["method"], "mfa/recovery_code");
    let lost = TestUser::from_session(&session);
    world.get("/rest/v1/clients").as_(&lost).send().await.is(200);
    recover(world, &lost, &codes[3]).await.refused(422, "mfa_verification_failed");
    let left = status().send().await.is(200).json();
    assert_eq!((&left["total"], &left["remaining"]), (&json!(10), &json!(9)));
    world.mail("recovery_code_used", &ana.email).await;
    assert_eq!(lines(world, "second_step.recovered").await[0]["detail"], json!({"remaining": 9}));

    let regenerate = format!("{path}/regenerate");
    let others = world.post(&regenerate).as_(&ana).json(&json!({})).send().await.is(200).json();
    assert_eq!(others["id"], left["id"]);
    recover(world, &ana, &codes[0]).await.refused(422, "mfa_verification_failed");
    recover(world, &ana, others["codes"][0].as_str().unwrap()).await.is(200);

    world.delete(path).as_(&ana).send().await.is(200);
    let gone = recover(world, &ana, others["codes"][1].as_str().unwrap()).await;
    gone.refused(422, "mfa_verification_failed");
});

portal_test!(removal_requires_verification, async |world| {
    let (ana, app) = stepped(world).await;
    let path = format!("/auth/v1/factors/{}", app.id);
    let paper = codes(world, &ana).await;
    let waiting = world.sign_in(&ana.email).await;
    world.delete(&path).as_(&waiting).send().await.refused(422, "insufficient_aal");
    let set = world.get("/auth/v1/factors/recovery-codes").as_(&ana).send().await.is(200).json();
    let set = format!("/auth/v1/factors/{}", set["id"].as_str().unwrap());
    world.delete(&set).as_(&ana).send().await.refused(422, "validation_failed");
    let gone = world.delete(&path).as_(&ana).send().await.is(200).json();
    assert_eq!(gone["id"], json!(app.id));
    world.delete(&path).as_(&ana).send().await.refused(404, "mfa_factor_not_found");
    // The recovery codes are removed too, and pending challenges end.
    recover(world, &ana, &paper[0]).await.refused(422, "mfa_verification_failed");
    world.get("/auth/v1/user").as_(&waiting).send().await.refused(403, "session_not_found");
    world.mail("second_step_off", &ana.email).await;
    assert_eq!(lines(world, "second_step.removed").await.len(), 1);
    // The password is sufficient again.
    world.get("/rest/v1/clients").as_(&ana).send().await.is(200);
    let ana = world.sign_in(&ana.email).await;
    world.get("/rest/v1/clients").as_(&ana).send().await.is(200);
});

portal_test!(admin_resets_the_factor_of_a_colleague, async |world| {
    let (ana, app) = stepped(world).await;
    let paper = codes(world, &ana).await;
    let bia = world.client("bia").await;
    let factors = format!("/auth/v1/admin/users/{}/factors", ana.id);
    let factor = format!("{factors}/{}", app.id);
    for request in [world.get(&factors), world.delete(&factor)] {
        request.as_(&bia).send().await.refused(403, "not_admin");
    }
    let grant = json!({"app_metadata": {"roles": ["admin"]}});
    let user = format!("/auth/v1/admin/users/{}", bia.id);
    world.put(&user).as_(&ana).json(&grant).send().await.is(200);
    let listed = world.get(&factors).as_(&bia).send().await.is(200).json();
    let kinds: Vec<&Value> =
        listed.as_array().unwrap().iter().map(|factor| &factor["factor_type"]).collect();
    assert_eq!(kinds, [&json!("totp"), &json!("recovery_code")]);
    // A factor of another user is not found by its id.
    let own = format!("/auth/v1/factors/{}", app.id);
    world.delete(&own).as_(&bia).send().await.refused(404, "mfa_factor_not_found");
    let staff = world.get("/rest/v1/staff?select=email,second_step&order=email").as_(&bia);
    assert_eq!(
        staff.send().await.is(200).json(),
        json!([{"email": ana.email, "second_step": true}, {"email": bia.email, "second_step": false}])
    );
    for wrong in [format!("{factors}/{}", bia.id), format!("{user}/factors/{}", app.id)] {
        world.delete(&wrong).as_(&bia).send().await.refused(404, "mfa_factor_not_found");
    }
    let gone = world.delete(&factor).as_(&bia).send().await.is(200).json();
    assert_eq!(gone["id"], json!(app.id));
    assert_eq!(world.get(&factors).as_(&bia).send().await.is(200).json(), json!([]));
    // All her sessions end, the reset is recorded, and she signs in with the password alone.
    world.get("/auth/v1/user").as_(&ana).send().await.refused(403, "session_not_found");
    world.mail("second_step_off", &ana.email).await;
    let line = &lines(world, "second_step.removed").await[0];
    assert_eq!((&line["actor_name"], &line["person_name"]), (&json!("bia"), &json!("Ana Prado")));
    let ana = world.sign_in(&ana.email).await;
    world.get("/rest/v1/clients").as_(&ana).send().await.is(200);
    recover(world, &ana, &paper[0]).await.refused(422, "mfa_verification_failed");
});

portal_test!(operator_resets_the_factor_of_the_last_admin, async |world| {
    let (ana, _) = stepped(world).await;
    codes(world, &ana).await;
    let reset = async || {
        let (app, email) = (std::sync::Arc::clone(&world.app), ana.email.clone());
        let reset = move |tx: &mut Tx<'_>| {
            let user = user::by_email(tx, &email)?.unwrap();
            mfa::reset_mfa(tx, &app, &user)
        };
        world.app.db.write(reset).await.unwrap()
    };
    assert!(reset().await);
    assert!(!reset().await);
    world.get("/auth/v1/user").as_(&ana).send().await.refused(403, "session_not_found");
    let ana = world.sign_in(&ana.email).await;
    let user = world.get("/auth/v1/user").as_(&ana).send().await.is(200).json();
    assert!(user.get("factors").is_none());
    world.mail("second_step_off", &ana.email).await;
    assert_eq!(lines(world, "second_step.removed").await[0]["actor"], "program");
});
