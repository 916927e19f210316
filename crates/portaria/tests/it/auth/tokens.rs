//! Forged, expired and misused access tokens.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::harness::{SECRET, TestPortal, TestUser, object, portal_test};

/// The claims of a user's token, for modification.
fn claims(user: &TestUser) -> Value {
    let payload = user.token.split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap()
}

fn signed(header: &Header, claims: &Value, secret: &str) -> String {
    encode(header, claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
}

/// The token with these claims, signed with the portal's secret.
fn with(portal: &TestPortal, user: &TestUser, changes: &Value) -> String {
    let mut claims = claims(user);
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(key);
        } else {
            claims[key] = value.clone();
        }
    }
    portal.app.keys.sign_token(&claims)
}

pub(crate) async fn is_refused_everywhere(portal: &TestPortal, token: &str, path: &str) {
    let rest = portal.get("/rest/v1/documents?select=id").bearer(token).send().await.is(401).json();
    assert!(["PGRST301", "PGRST303"].contains(&rest["code"].as_str().unwrap()), "{rest} {token}");
    let auth = portal.get("/auth/v1/user").bearer(token).send().await.is(403).json();
    let code = auth["error_code"].as_str().unwrap();
    assert!(["bad_jwt", "session_not_found", "user_not_found"].contains(&code), "{auth} {token}");
    portal.get(&object(path)).bearer(token).send().await.refused(400, "AccessDenied");
}

portal_test!(forged_token_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let claims = claims(&joao);
    let [header, payload, signature] = joao.token.split('.').collect::<Vec<_>>()[..] else {
        panic!()
    };
    let none = |header: Value| format!("{}.{payload}.", BASE64.encode(header.to_string()));
    let mut with_key = Header::new(Algorithm::HS256);
    with_key.kid = Some("../../dev/null".into());
    let other_payload =
        BASE64.encode(claims.to_string().replace(&joao.id, &uuid::Uuid::nil().to_string()));
    let forged = [
        none(json!({"alg": "none", "typ": "JWT"})),
        none(json!({"alg": "NONE"})),
        none(json!({"alg": "HS256"})),
        format!("{}.{payload}.{signature}", BASE64.encode(r#"{"alg":"none"}"#)),
        format!("{}.{payload}.{signature}", BASE64.encode(r#"{"alg":"RS256"}"#)),
        format!("{header}.{other_payload}.{signature}"),
        format!("{header}.{payload}.{}", signature.replace(|c: char| c.is_ascii_digit(), "A")),
        format!("{header}.{payload}"),
        format!("{}.x", joao.token),
        signed(&Header::default(), &claims, "another secret of thirty-two bytes."),
        signed(&Header::default(), &claims, ""),
        signed(&with_key, &claims, "another secret of thirty-two bytes."),
        signed(&Header::new(Algorithm::HS384), &claims, SECRET),
        signed(&Header::new(Algorithm::HS512), &claims, SECRET),
        portal.app.keys.sign_link(&claims),
        "..".to_owned(),
        "a.b.c".to_owned(),
        "x".repeat(5000),
    ];
    for token in &forged {
        is_refused_everywhere(portal, token, &path).await;
    }
    is_refused_everywhere(portal, &joao.refresh_token, &path).await;
});

portal_test!(token_with_invalid_claims_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let now = portal.now().as_second();
    for changes in [
        json!({"exp": now - 31}),
        json!({"exp": "soon"}),
        json!({"exp": 1e300}),
        json!({"nbf": now + 31}),
        json!({"iat": now + 31}),
        json!({"iat": i64::MAX}),
        json!({"aud": "other"}),
        json!({"aud": ["other"]}),
        json!({"aud": 7}),
        json!({"sub": null}),
        json!({"sub": "joao"}),
        json!({"sub": 7}),
        json!({"role": null}),
        json!({"role": "postgres"}),
        json!({"session_id": "x"}),
        json!({"session_id": uuid::Uuid::nil()}),
        json!({"sub": uuid::Uuid::nil()}),
    ] {
        is_refused_everywhere(portal, &with(portal, &joao, &changes), &path).await;
    }
    // The clocks of two machines may differ slightly.
    for changes in [
        json!({"exp": now - 29}),
        json!({"exp": 4_000_000_000.5, "iat": 1.5}),
        json!({"nbf": now + 30}),
        json!({"aud": ["x", "authenticated"]}),
    ] {
        let token = with(portal, &joao, &changes);
        portal.get("/rest/v1/documents").bearer(&token).send().await.is(200);
    }
});

portal_test!(role_claim_grants_nothing, async |portal| {
    let joao = portal.client("joao").await;
    let changes = json!({"app_metadata": {"roles": ["admin"]}, "is_admin": true});
    let token = with(portal, &joao, &changes);
    portal.get("/auth/v1/admin/users").bearer(&token).send().await.refused(403, "not_admin");
    portal.get("/rest/v1/email_templates").bearer(&token).send().await.refused(403, "42501");
});

portal_test!(session_of_another_user_is_rejected, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let token = with(portal, &maria, &json!({"sub": joao.id}));
    is_refused_everywhere(portal, &token, &path).await;
});
