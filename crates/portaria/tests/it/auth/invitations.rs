//! Account administration beyond creation: invitations, generated links, imported password hashes.

use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Request};

const EMAIL: &str = "nova@cliente.com.br";

fn as_office(portal: &TestPortal, path: &str, body: &Value) -> Request {
    portal.post(path).bearer(&portal.app.keys.service_role).json(body)
}

fn invite(portal: &TestPortal, email: &str) -> Request {
    as_office(portal, "/auth/v1/invite", &json!({"email": email, "data": {"full_name": "Nova"}}))
}

fn generate(portal: &TestPortal, body: &Value) -> Request {
    as_office(portal, "/auth/v1/admin/generate_link", body)
}

fn create(portal: &TestPortal, body: &Value) -> Request {
    as_office(portal, "/auth/v1/admin/users", body)
}

portal_test!(invited_user_chooses_a_password, async |portal| {
    let ana = portal.admin().await;
    let user = invite(portal, EMAIL).auth(&ana).send().await.is(200).json();
    assert_eq!(user["invited_at"], "2026-11-21T15:00:00.000000Z");
    assert_eq!(user["email_confirmed_at"], Value::Null);
    let mail = portal.mail("invite", EMAIL).await;
    assert!(mail.path().starts_with("/atualizar-senha#token_hash="), "{}", mail.link());
    assert!(mail.link().ends_with("&type=invite") && mail.html.contains("Olá, Nova."));

    let body = json!({"token_hash": mail.token(), "type": "invite"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let nova = TestUser::from_session(&session);
    let choose = portal.put("/auth/v1/user").auth(&nova).json(&json!({"password": PASSWORD}));
    choose.send().await.is(200);
    // It replaces none, so that its notice raises no alarm.
    portal.mail("password_created", EMAIL).await;
    assert_eq!(portal.mails_about("password_changed").await, 0);
    portal.sign_in(EMAIL).await;
    invite(portal, EMAIL).send().await.refused(422, "email_exists");
});

portal_test!(invitation_can_be_repeated_until_accepted, async |portal| {
    let first = invite(portal, EMAIL).send().await.is(200).json();
    let older = portal.mail("invite", EMAIL).await.token();
    portal.advance(SignedDuration::from_secs(1));
    let second = invite(portal, EMAIL).send().await.is(200).json();
    assert_eq!(first["id"], second["id"]);
    let body = json!({"token_hash": older, "type": "invite"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    let newer = portal.mail("invite", EMAIL).await.token();
    let body = json!({"token_hash": newer, "type": "invite"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
});

portal_test!(invitation_is_valid_for_a_week_and_then_renews_itself, async |portal| {
    let ana = portal.admin().await;
    invite(portal, EMAIL).auth(&ana).send().await.is(200);
    let mail = portal.mail("invite", EMAIL).await;
    assert!(mail.html.contains("vale por 7 dias"), "{}", mail.html);
    let accept = |token: String| {
        portal.post("/auth/v1/verify").json(&json!({"token_hash": token, "type": "invite"}))
    };
    let renew =
        |token: &str| portal.post("/auth/v1/invite/renew").json(&json!({"token_hash": token}));
    // Garbage collection keeps invitations.
    portal.advance(SignedDuration::from_hours(6 * 24));
    garbage_collect::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(2 * 24));
    garbage_collect::run(&portal.app).await.unwrap();
    accept(mail.token()).send().await.refused(403, "otp_expired");
    renew(&mail.token()).send().await.is(200);
    let second = portal.mail("invite", EMAIL).await;
    assert_ne!(second.token(), mail.token());
    // A link that another one replaced renews nothing.
    renew(&mail.token()).send().await.refused(403, "otp_expired");
    renew("nenhum").send().await.refused(403, "otp_expired");
    portal.advance(SignedDuration::from_hours(6 * 24));
    accept(second.token()).send().await.is(200);
    renew(&second.token()).send().await.refused(403, "otp_expired");
});

portal_test!(renewals_of_an_invitation_are_limited, async |portal| {
    invite(portal, EMAIL).send().await.is(200);
    let mut seen = portal.mails_about("invite").await;
    for _ in 0..10 {
        let token = portal.mail("invite", EMAIL).await.token();
        let request = portal.post("/auth/v1/invite/renew").json(&json!({"token_hash": token}));
        request.send().await.is(200);
    }
    seen = portal.mails_about("invite").await - seen;
    assert!((1..10).contains(&seen), "{seen} mails");
});

portal_test!(withdrawn_invitation_is_void_and_can_be_repeated, async |portal| {
    let ana = portal.admin().await;
    let user = invite(portal, EMAIL).auth(&ana).send().await.is(200).json();
    let id = user["id"].as_str().unwrap();
    let open = format!("/rest/v1/clients?select=invited_at&id=eq.{id}");
    let invited_at =
        async || portal.get(&open).auth(&ana).send().await.is(200).json()[0]["invited_at"].clone();
    assert!(invited_at().await.is_string());
    let token = portal.mail("invite", EMAIL).await.token();
    let path = format!("/auth/v1/invite/{id}");
    portal.delete(&path).auth(&ana).send().await.is(200);
    portal.delete(&path).auth(&ana).send().await.refused(404, "user_not_found");
    assert_eq!(invited_at().await, Value::Null);
    let body = json!({"token_hash": token, "type": "invite"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    let renewal = portal.post("/auth/v1/invite/renew").json(&json!({"token_hash": token}));
    renewal.send().await.refused(403, "otp_expired");

    portal.advance(SignedDuration::from_secs(1));
    invite(portal, EMAIL).auth(&ana).send().await.is(200);
    let token = portal.mail("invite", EMAIL).await.token();
    let body = json!({"token_hash": token, "type": "invite"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    // An accepted invitation is no invitation any more.
    assert_eq!(invited_at().await, Value::Null);
    portal.delete(&path).auth(&ana).send().await.refused(404, "user_not_found");
});

portal_test!(invitations_and_generated_links_require_the_office, async |portal| {
    let joao = portal.client("joao").await;
    let link = json!({"type": "recovery", "email": joao.email});
    for request in [
        || invite,
        || {
            |portal: &TestPortal, email: &str| {
                generate(portal, &json!({"type": "recovery", "email": email}))
            }
        },
    ] as [fn() -> fn(&TestPortal, &str) -> Request; 2]
    {
        let ask = || request()(portal, &joao.email);
        ask().auth(&joao).send().await.refused(403, "not_admin");
        ask().bearer(&portal.app.keys.anon).send().await.refused(403, "not_admin");
        ask().without("authorization").send().await.refused(401, "no_authorization");
    }
    generate(portal, &link).send().await.is(200);
});

portal_test!(account_created_without_a_password_is_invited, async |portal| {
    let user = create(portal, &json!({"email": EMAIL})).send().await.is(200).json();
    assert!(user["invited_at"].is_string());
    let token = portal.mail("invite", EMAIL).await.token();
    let body = json!({"token_hash": token, "type": "invite"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
});

portal_test!(generated_links_work_and_send_no_mail, async |portal| {
    let joao = portal.client("joao").await;
    let ask = json!({"type": "magiclink", "email": joao.email, "redirect_to": "http://127.0.0.1:8080/conta"});
    let link = generate(portal, &ask).send().await.is(200).json();
    assert_eq!(link["id"], json!(joao.id));
    assert_eq!(link["verification_type"], "magiclink");
    assert_eq!(link["redirect_to"], "http://127.0.0.1:8080/conta");
    assert_eq!(
        link["action_link"],
        format!(
            "http://127.0.0.1:8080/auth/v1/verify?token={}&type=magiclink&redirect_to=http%3A%2F%2F127.0.0.1%3A8080%2Fconta",
            link["hashed_token"].as_str().unwrap()
        )
    );
    let body = json!({"token_hash": link["hashed_token"], "type": "magiclink"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    assert_eq!(portal.mails().await.len(), 0);

    // A sign-up link creates the account, and so does a magic link for an unknown address.
    let ask = json!({"type": "signup", "email": EMAIL, "password": PASSWORD, "data": {"status": "alpha"}});
    let link = generate(portal, &ask).send().await.is(200).json();
    assert_eq!(link["user_metadata"], json!({"status": "alpha"}));
    portal.try_sign_in(EMAIL, PASSWORD).await.refused(400, "email_not_confirmed");
    let body = json!({"token_hash": link["hashed_token"], "type": "signup"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    portal.sign_in(EMAIL).await;
    let ask = json!({"type": "magiclink", "email": "quem@cliente.com.br"});
    let link = generate(portal, &ask).send().await.is(200).json();
    assert_eq!(link["verification_type"], "signup");
    let ask = json!({"type": "invite", "email": "outra@cliente.com.br"});
    let link = generate(portal, &ask).send().await.is(200).json();
    assert_eq!(link["verification_type"], "invite");
});

portal_test!(generated_links_confirm_an_address_change, async |portal| {
    let joao = portal.client("joao").await;
    let half = |kind: &str, new: &str| {
        generate(portal, &json!({"type": kind, "email": joao.email, "new_email": new}))
    };
    let verify = |link: Value| {
        let kind = &link["verification_type"];
        let body = json!({"token_hash": link["hashed_token"], "type": kind});
        portal.post("/auth/v1/verify").json(&body)
    };
    // The confirmation of one new address does not confirm another.
    let other = half("email_change_current", "outro@cliente.com.br").send().await.is(200).json();
    let current = half("email_change_current", EMAIL).send().await.is(200).json();
    assert_eq!(current["new_email"], EMAIL);
    assert_eq!(current["verification_type"], "email_change_current");
    verify(other).send().await.refused(403, "otp_expired");
    let new = half("email_change_new", EMAIL).send().await.is(200).json();
    assert_eq!(new["verification_type"], "email_change_new");
    // The answered type verifies the token, and only that one.
    let wrong = json!({"token_hash": new["hashed_token"], "type": "email_change_current"});
    let wrong = portal.post("/auth/v1/verify").json(&wrong).send().await;
    wrong.refused(403, "otp_expired");
    assert_eq!(verify(current).send().await.is(200).json()["code"], "200");
    assert_eq!(verify(new).send().await.is(200).json()["user"]["email"], EMAIL);
});

portal_test!(invalid_generated_links_are_rejected, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    for (body, status, code) in [
        // The address is checked before the password.
        (json!({"type": "signup", "email": "x", "password": "curta"}), 400, "validation_failed"),
        (json!({"type": "signup", "email": EMAIL, "password": "curta"}), 422, "weak_password"),
        (json!({"type": "recovery", "email": EMAIL}), 404, "user_not_found"),
        (json!({"type": "email_change_new", "email": EMAIL}), 404, "user_not_found"),
        (json!({"type": "signup", "email": joao.email, "password": PASSWORD}), 422, "email_exists"),
        (json!({"type": "invite", "email": joao.email}), 422, "email_exists"),
        (
            json!({"type": "email_change_new", "email": joao.email, "new_email": maria.email}),
            422,
            "email_exists",
        ),
        (json!({"type": "email_change_new", "email": joao.email}), 400, "validation_failed"),
        (json!({"type": "signup", "email": EMAIL}), 400, "validation_failed"),
        (json!({"type": "signup", "email": EMAIL, "password": "curta"}), 422, "weak_password"),
        (json!({"type": "nonesuch", "email": joao.email}), 400, "validation_failed"),
        (json!({"email": joao.email}), 400, "validation_failed"),
        (json!({"type": "recovery"}), 400, "validation_failed"),
        (json!({"type": "recovery", "email": "xx:;x@x.x"}), 400, "validation_failed"),
    ] {
        generate(portal, &body).send().await.refused(status, code);
    }
    portal.set("secure_email_change", "false");
    let ask = json!({"type": "email_change_current", "email": joao.email, "new_email": EMAIL});
    generate(portal, &ask).send().await.refused(400, "validation_failed");
});

portal_test!(account_is_imported_with_its_password_hash, async |portal| {
    // The test changes the parameters inside the hash.
    portal.use_production_passwords();
    let donor = portal.client("joao").await;
    let id = donor.id.clone();
    let read = move |tx: &mut portaria::db::Tx<'_>| {
        let id = id.parse().unwrap();
        portaria::accounts::user::by_id(tx, id).map(|user| user.unwrap().password_hash.unwrap())
    };
    let hash: String = portal.app.db.read::<_, portaria::db::Error, _>(read).await.unwrap();
    assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    let id = "0b5ba31e-1c9f-4f4e-9d7b-5c6d7e8f9a0b";
    let body = json!({
        "id": id, "email": EMAIL, "password_hash": hash, "email_confirm": true, "ban_duration": "1h", "role": "authenticated",
    });
    let user = create(portal, &body).send().await.is(200).json();
    assert_eq!(user["id"], id);
    assert_eq!(user["banned_until"], "2026-11-21T16:00:00.000000Z");
    assert_eq!(portal.mails().await.len(), 0);
    portal.try_sign_in(EMAIL, PASSWORD).await.refused(400, "user_banned");
    portal.advance(SignedDuration::from_hours(1));
    portal.sign_in(EMAIL).await;
    for (field, value, status, code) in [
        ("id", json!(id), 422, "user_already_exists"),
        ("id", json!("x"), 400, "validation_failed"),
        ("id", json!(uuid::Uuid::nil()), 400, "validation_failed"),
        ("password", json!(PASSWORD), 400, "validation_failed"),
        ("role", json!("service_role"), 400, "validation_failed"),
        ("phone", json!("5511999990000"), 400, "phone_provider_disabled"),
        ("ban_duration", json!("forever"), 400, "validation_failed"),
        ("password_hash", json!(hash.replace("m=19456", "m=4194304")), 400, "validation_failed"),
        ("password_hash", json!(hash.replace("argon2id", "argon2d")), 400, "validation_failed"),
        ("password_hash", json!("$2b$10$abcdefghijklmnopqrstuv"), 400, "validation_failed"),
    ] {
        let mut body = json!({"email": "outra@cliente.com.br", "password_hash": hash});
        body[field] = value;
        create(portal, &body).send().await.refused(status, code);
    }
});

portal_test!(account_list_is_searched_and_sorted, async |portal| {
    for (name, email) in
        [("João da Conceição", "joao@padaria.com.br"), ("Mariana 100%", "mari_a@clinica.com.br")]
    {
        portal.create_user(json!({"email": email, "user_metadata": {"full_name": name}})).await;
        portal.advance(SignedDuration::from_secs(1));
    }
    portal.create_user(json!({"email": "a@padaria.com.br"})).await;
    let list = async |query: &[(&str, &str)]| {
        let request = portal.get("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
        let request =
            query.iter().fold(request, |request, (name, value)| request.query(name, value));
        let answer = request.send().await.is(200);
        let users = answer.json()["users"].as_array().unwrap().clone();
        let emails: Vec<String> =
            users.iter().map(|user| user["email"].as_str().unwrap().to_owned()).collect();
        (emails, answer.header("x-total-count").to_owned())
    };
    for (filter, expected) in [
        ("CONCEIÇÃO", vec!["joao@padaria.com.br"]),
        ("PADARIA", vec!["a@padaria.com.br", "joao@padaria.com.br"]),
        ("100%", vec!["mari_a@clinica.com.br"]),
        ("i_a", vec!["mari_a@clinica.com.br"]),
        ("%", vec!["mari_a@clinica.com.br"]),
        ("\\", vec![]),
        ("' or 1=1", vec![]),
    ] {
        let (emails, total) = list(&[("filter", filter)]).await;
        assert_eq!(emails, expected, "{filter}");
        assert_eq!(total, expected.len().to_string(), "{filter}");
    }
    for (sort, expected) in [
        ("created_at asc", "joao@padaria.com.br"),
        ("created_at desc", "a@padaria.com.br"),
        ("email", "a@padaria.com.br"),
        ("email desc", "mari_a@clinica.com.br"),
        ("", "a@padaria.com.br"),
    ] {
        assert_eq!(list(&[("sort", sort)]).await.0[0], expected, "{sort}");
    }
    for sort in ["password_hash", "email sideways", "email; drop table users"] {
        let request = portal.get("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
        request.query("sort", sort).send().await.refused(400, "validation_failed");
    }
});

portal_test!(invited_client_has_the_name_that_the_office_gives, async |portal| {
    portal.set("signup", "true");
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    // A stranger signs up with the address, or a client invites its owner as a member.
    let sign_up = json!({
        "email": "nova@empresa.com.br", "password": PASSWORD,
        "data": {"full_name": "Outra Empresa", "tax_id": "45723174000110"},
    });
    portal.post("/auth/v1/signup").json(&sign_up).send().await.is(200);
    let member = json!({"email": "socio@empresa.com.br", "name": "x", "role": "member"});
    portal.post("/account/v1/members").auth(&joao).json(&member).send().await.is(204);
    for email in ["nova@empresa.com.br", "socio@empresa.com.br"] {
        let invitation = json!({"email": email, "data": {"full_name": "Empresa Nova Ltda."}});
        portal.post("/auth/v1/invite").auth(&ana).json(&invitation).send().await.is(200);
        let path = format!("/rest/v1/clients?email=eq.{email}&select=user_metadata");
        let clients = portal.get(&path).auth(&ana).send().await.is(200).json();
        assert_eq!(clients, json!([{"user_metadata": {"full_name": "Empresa Nova Ltda."}}]));
    }
});
