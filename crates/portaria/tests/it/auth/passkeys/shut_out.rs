//! A passkey does not outlive the act that shuts others out of its account, and is not added by a person who knows the
//! password only because the office chose it.

use std::sync::Arc;

use portaria::{api::setup, app::App, db::Tx};
use serde_json::{Value, json};

use crate::auth::mfa::try_enroll;
use crate::auth::passkeys::{options, register, sign_in, try_sign_in, use_domain};
use crate::harness::{TestPortal, TestUser, portal_test};

async fn must_change_password(portal: &TestPortal, user: &TestUser) {
    let path = format!("/auth/v1/admin/users/{}", user.id);
    let body = json!({"app_metadata": {"must_change_password": true}});
    let service = &portal.app.keys.service_role;
    portal.put(&path).bearer(service).json(&body).send().await.is(200);
}

async fn set_password(portal: &TestPortal, user: &TestUser) -> Value {
    let body = json!({"password": "uma senha só minha"});
    portal.put("/auth/v1/user").auth(user).json(&body).send().await.is(200).json()
}

portal_test!(temporary_password_adds_no_second_step_where_one_is_required, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    must_change_password(portal, &ana).await;
    portal.set("require_second_step", "true");
    let ana = portal.sign_in(&ana.email).await;
    options(portal, &ana).await.refused(403, "password_change_required");
    let totp = json!({"factor_type": "totp"});
    try_enroll(portal, &ana, totp.clone()).await.refused(403, "password_change_required");

    set_password(portal, &ana).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    register(portal, &ana, "telefone").await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
});

portal_test!(temporary_password_of_an_administrator_with_a_passkey, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    portal.set("require_second_step", "true");
    let (mut device, _) = register(portal, &ana, "telefone").await;
    must_change_password(portal, &ana).await;
    let with_password = portal.sign_in(&ana.email).await;
    options(portal, &with_password).await.refused(403, "insufficient_aal");
    let body = json!({"password": "uma senha só minha"});
    let change = portal.put("/auth/v1/user").auth(&with_password).json(&body).send().await;
    change.refused(403, "insufficient_aal");

    let with_passkey = sign_in(portal, &mut device).await;
    let read = || portal.get("/rest/v1/clients").auth(&with_passkey);
    read().send().await.refused(403, "password_change_required");
    set_password(portal, &with_passkey).await;
    read().send().await.is(200);
});

portal_test!(password_of_the_operator_removes_passkeys_and_links, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    let (mut device, _) = register(portal, &ana, "telefone").await;
    portal.post("/auth/v1/recover").json(&json!({"email": ana.email})).send().await.is(200);
    let token = portal.mail("recovery", &ana.email).await.token();

    let hash = portal.app.passwords.hash("senha do operador".to_owned()).await.unwrap();
    let email = ana.email.clone();
    let add =
        move |tx: &mut Tx<'_>, app: &Arc<App>| setup::create_admin(tx, app, email, Some(hash), "");
    portal.app.write(add).await.unwrap();

    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");
    portal.mail("passkey_removed", &ana.email).await;
    portal.get("/auth/v1/user").auth(&ana).send().await.refused(403, "session_not_found");
    let link = json!({"token_hash": token, "type": "recovery"});
    portal.post("/auth/v1/verify").json(&link).send().await.refused(403, "otp_expired");
    portal.try_sign_in(&ana.email, "senha do operador").await.is(200);
});
