//! E-mail addresses outside ASCII: a new local part is refused, the domain is stored as punycode.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, portal_test};

const UNICODE: &str = "Joao@Padaria-São-João.com.br";
const PUNYCODE: &str = "joao@xn--padaria-so-joo-yhbe.com.br";

/// Sends an address to every route that takes one for an account.
async fn send_everywhere(portal: &TestPortal, address: &str) -> Vec<(&'static str, u16, Value)> {
    let service = portal.app.keys.service_role.clone();
    let joao = portal.client("maria").await;
    let ana = portal.admin().await;
    let change = format!("/auth/v1/admin/users/{}", joao.id);
    let requests = [
        ("create", portal.post("/auth/v1/admin/users").auth(&ana), json!({"email": address})),
        (
            "import",
            portal.post("/auth/v1/admin/users").bearer(&service),
            json!({"email": address, "password": PASSWORD}),
        ),
        ("change by the office", portal.put(&change).auth(&ana), json!({"email": address})),
        ("change", portal.put("/auth/v1/user").auth(&joao), json!({"email": address})),
        ("invite", portal.post("/auth/v1/invite").auth(&ana), json!({"email": address})),
        (
            "link",
            portal.post("/auth/v1/admin/generate_link").bearer(&service),
            json!({"type": "magiclink", "email": address}),
        ),
        (
            "new address by link",
            portal.post("/auth/v1/admin/generate_link").bearer(&service),
            json!({"type": "email_change_new", "email": joao.email, "new_email": address}),
        ),
        (
            "sign-up",
            portal.post("/auth/v1/signup"),
            json!({"email": address, "password": PASSWORD}),
        ),
        ("code", portal.post("/auth/v1/otp"), json!({"email": address})),
        ("recovery", portal.post("/auth/v1/recover"), json!({"email": address})),
        ("resend", portal.post("/auth/v1/resend"), json!({"type": "signup", "email": address})),
    ];
    let mut answers = Vec::new();
    for (name, request, body) in requests {
        let answer = request.json(&body).send().await;
        let status = answer.status.as_u16();
        answers.push((name, status, serde_json::from_str(&answer.text()).unwrap_or_default()));
    }
    answers
}

portal_test!(non_ascii_local_part_is_refused_for_a_new_address, async |portal| {
    portal.set("signup", "true");
    for (name, status, body) in send_everywhere(portal, "joão@cliente.com.br").await {
        // Routes for existing accounts answer as for any other unknown address.
        if ["recovery", "resend"].contains(&name) {
            assert_eq!((status, body), (200, json!({})), "{name}");
            continue;
        }
        assert_eq!(
            (status, &body["error_code"]),
            (400, &json!("email_address_not_ascii")),
            "{name}: {body}"
        );
        let message = body["msg"].as_str().unwrap();
        assert_eq!(
            message, "The part of an email address before the @ may hold only ASCII characters",
            "{name}"
        );
    }
    portal.set("signup", "false");
    let code = portal.post("/auth/v1/otp").json(&json!({"email": "joão@cliente.com.br"}));
    assert_eq!(code.send().await.is(200).json(), json!({}));
    // A sign-in does not say more about it than about any other address.
    portal.try_sign_in("joão@cliente.com.br", PASSWORD).await.refused(400, "invalid_credentials");
});

portal_test!(international_domain_is_stored_and_compared_as_punycode, async |portal| {
    let created = portal.create_user(json!({"email": UNICODE})).await;
    assert_eq!(created["email"], PUNYCODE);
    for address in [UNICODE, PUNYCODE, "joao@padaria-sa\u{303}o-joa\u{303}o.com.br"] {
        assert_eq!(portal.sign_in(address).await.email, PUNYCODE);
        let again = portal.post("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
        let again = again.json(&json!({"email": address})).send().await;
        again.refused(422, "email_exists");
    }
    // A domain that no name server could know is no address.
    for bad in ["a@\u{AD}.com.br", "a@xn--a.com.br", "a@pão。"] {
        let request = portal.post("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
        request.json(&json!({"email": bad})).send().await.refused(400, "validation_failed");
    }
    // The confirmation of an erasure compares in the same form.
    let ana = portal.admin().await;
    let path = format!("/auth/v1/admin/users/{}/erasure", created["id"].as_str().unwrap());
    portal.post(&path).auth(&ana).json(&json!({"email": UNICODE})).send().await.is(200);
});
