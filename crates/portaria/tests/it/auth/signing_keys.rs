//! Signing keys: rotation, the key set, and forged tokens of ES256.

use std::sync::Arc;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::SignedDuration;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode,
    jwk::Jwk,
};
use portaria::{
    accounts::signing_keys::{self, SigningKeyError},
    app::App,
    audit,
    db::{self, Tx},
    fsck, http,
    jobs::nightly,
    security::{ids::SigningKeyId, key_ring::OVERLAP, keys::Keys},
};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::auth::tokens::is_refused_everywhere;
use crate::harness::{TestPortal, TestUser, portal_test, request::Request};

async fn create(portal: &TestPortal) -> Result<SigningKeyId, SigningKeyError> {
    portal.app.write(|tx: &mut Tx<'_>, app: &Arc<App>| signing_keys::create(tx, app)).await
}

async fn rotate(portal: &TestPortal, now: bool) -> Result<SigningKeyId, SigningKeyError> {
    portal
        .app
        .write(move |tx: &mut Tx<'_>, app: &Arc<App>| signing_keys::rotate(tx, app, now))
        .await
}

async fn revoke(portal: &TestPortal, id: SigningKeyId, now: bool) -> Result<(), SigningKeyError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| signing_keys::revoke(tx, app, id, now);
    portal.app.write(write).await
}

/// Creates a key and puts it into use at once.
pub(crate) async fn use_new_key(portal: &TestPortal) -> SigningKeyId {
    create(portal).await.unwrap();
    rotate(portal, true).await.unwrap()
}

/// The published keys.
async fn key_set(portal: &TestPortal) -> Vec<Value> {
    let request = portal.get("/auth/v1/.well-known/jwks.json").without("apikey");
    request.send().await.is(200).json()["keys"].as_array().unwrap().clone()
}

async fn key_ids(portal: &TestPortal) -> Vec<String> {
    let keys = key_set(portal).await;
    keys.iter().map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

/// Verifies a token as another program does, with the published key alone.
fn verify(token: &str, keys: &[Value]) -> Value {
    let header = decode_header(token).unwrap();
    let kid = header.kid.unwrap();
    let jwk = keys.iter().find(|key| key["kid"] == *kid).unwrap();
    let jwk: Jwk = serde_json::from_value(jwk.clone()).unwrap();
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false;
    validation.set_audience(&["authenticated"]);
    decode(token, &DecodingKey::from_jwk(&jwk).unwrap(), &validation).unwrap().claims
}

async fn is_accepted(portal: &TestPortal, token: &str) {
    portal.get("/rest/v1/documents").bearer(token).send().await.is(200);
    portal.get("/auth/v1/user").bearer(token).send().await.is(200);
    let list = portal.post("/storage/v1/object/list/client-documents").bearer(token);
    list.json(&json!({"prefix": ""})).send().await.is(200);
}

async fn is_refused(portal: &TestPortal, token: &str) {
    portal.get("/rest/v1/documents").bearer(token).send().await.is(401);
    portal.get("/auth/v1/user").bearer(token).send().await.refused(403, "bad_jwt");
}

fn algorithm(user: &TestUser) -> Algorithm {
    decode_header(&user.token).unwrap().alg
}

portal_test!(rotation_keeps_all_tokens_valid, async |portal| {
    let symmetric = portal.client("joao").await;
    assert_eq!(algorithm(&symmetric), Algorithm::HS256);
    assert_eq!(key_ids(portal).await, Vec::<String>::new());

    // A key in standby is published and signs nothing.
    let first = create(portal).await.unwrap();
    assert_eq!(key_ids(portal).await, [first.to_string()]);
    assert_eq!(algorithm(&portal.sign_in(&symmetric.email).await), Algorithm::HS256);
    assert!(matches!(rotate(portal, false).await, Err(SigningKeyError::StandbyTooNew(_))));
    portal.advance(SignedDuration::from_mins(10));
    assert_eq!(rotate(portal, false).await.unwrap(), first);

    let old = portal.sign_in(&symmetric.email).await;
    assert_eq!(verify(&old.token, &key_set(portal).await)["sub"], json!(old.id));
    use_new_key(portal).await;
    let new = TestUser::from_session(&portal.refresh(&old.refresh_token).await.is(200).json());
    let keys = key_set(portal).await;
    assert_eq!(keys.len(), 2);
    assert_eq!(verify(&new.token, &keys)["session_id"], verify(&old.token, &keys)["session_id"]);
    for token in [&symmetric.token, &old.token, &new.token] {
        is_accepted(portal, token).await;
    }

    // The portal secret signs again, and the tokens of the keys remain valid.
    let back = |tx: &mut Tx<'_>, app: &Arc<App>| signing_keys::rotate_to_secret(tx, app);
    portal.app.write(back).await.unwrap();
    assert_eq!(algorithm(&portal.sign_in(&symmetric.email).await), Algorithm::HS256);
    is_accepted(portal, &new.token).await;
    assert!(matches!(portal.app.write(back).await, Err(SigningKeyError::NoActive)));
});

portal_test!(impersonation_token_is_signed_with_the_active_key, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    use_new_key(portal).await;
    let view = portal.post(&format!("/auth/v1/admin/users/{}/view", joao.id)).auth(&ana);
    let token = view.send().await.is(200).json()["access_token"].as_str().unwrap().to_owned();
    assert_eq!(decode_header(&token).unwrap().alg, Algorithm::ES256);
    portal.get("/rest/v1/documents").bearer(&token).send().await.is(200);
});

portal_test!(other_nodes_follow_rotation_and_revocation_without_a_restart, async |portal| {
    let joao = portal.client("joao").await;
    let beside = http::router(portal.another_node());
    let anon = portal.app.keys.anon.clone();
    let ask = |token: &str| {
        let request = Request::new(beside.clone(), "GET", "/rest/v1/documents");
        request.header("apikey", &anon).bearer(token).send()
    };
    // The other node has just read the keys when the new one appears.
    let first = use_new_key(portal).await;
    let old = portal.sign_in(&joao.email).await;
    ask(&old.token).await.is(200);
    use_new_key(portal).await;
    let new = portal.sign_in(&joao.email).await;
    ask(&new.token).await.is(200);
    ask(&old.token).await.is(200);

    revoke(portal, first, true).await.unwrap();
    portal.advance(SignedDuration::from_secs(1));
    ask(&old.token).await.is(401);
    is_refused(portal, &old.token).await;
    ask(&new.token).await.is(200);
    // The session goes on with a token of the new key.
    portal.refresh(&old.refresh_token).await.is(200);
});

portal_test!(retired_key_verifies_until_its_tokens_have_expired, async |portal| {
    portal.set("access_token_life", "168h");
    let joao = portal.client("joao").await;
    let first = use_new_key(portal).await;
    let old = portal.sign_in(&joao.email).await;
    let second = use_new_key(portal).await;
    assert!(matches!(revoke(portal, first, false).await, Err(SigningKeyError::StillNeeded(_))));

    portal.advance(SignedDuration::from_hours(7 * 24) - SignedDuration::from_secs(1));
    is_accepted(portal, &old.token).await;
    portal.advance(OVERLAP - SignedDuration::from_hours(7 * 24) + SignedDuration::from_secs(1));
    assert_eq!(key_ids(portal).await, [second.to_string()]);
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(24));
    nightly::run(&portal.app).await.unwrap();
    let keys = portal.app.db.read(signing_keys::list).await.unwrap();
    assert_eq!(keys.iter().map(|key| key.id).collect::<Vec<_>>(), [second]);
});

portal_test!(change_that_would_strand_tokens_is_refused, async |portal| {
    assert!(matches!(rotate(portal, true).await, Err(SigningKeyError::NoStandby)));
    let first = use_new_key(portal).await;
    assert!(matches!(revoke(portal, first, true).await, Err(SigningKeyError::Active)));
    let standby = create(portal).await.unwrap();
    assert!(
        matches!(create(portal).await, Err(SigningKeyError::StandbyExists(id)) if id == standby)
    );
    revoke(portal, standby, false).await.unwrap();
    assert!(matches!(revoke(portal, standby, true).await, Err(SigningKeyError::NotFound(_))));
    use_new_key(portal).await;
    portal.advance(SignedDuration::from_hours(1));
    revoke(portal, first, false).await.unwrap();
});

portal_test!(changes_of_signing_keys_are_audit_events, async |portal| {
    let ana = portal.admin().await;
    let key = use_new_key(portal).await;
    let back = |tx: &mut Tx<'_>, app: &Arc<App>| signing_keys::rotate_to_secret(tx, app);
    portal.app.write(back).await.unwrap();
    revoke(portal, key, true).await.unwrap();
    let path = "/rest/v1/activity?event=like.signing_key.*&order=number";
    let found = portal.get(path).auth(&ana).send().await.is(200).json();
    let found = found.as_array().unwrap().iter().map(|row| {
        assert_eq!((&row["actor"], &row["subject_id"]), (&json!("program"), &json!(key)));
        (row["event"].as_str().unwrap(), row["detail"]["algorithm"].as_str().unwrap())
    });
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ("signing_key.created", "ES256"),
            ("signing_key.rotated", "ES256"),
            ("signing_key.rotated", "HS256"),
            ("signing_key.revoked", "ES256"),
        ]
    );
    assert_eq!(audit::ChainVerifier::run(&portal.app).await.unwrap().breaks, []);
});

portal_test!(forged_token_of_a_signing_key_is_refused, async |portal| {
    let joao = portal.client("joao").await;
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    let kid = use_new_key(portal).await.to_string();
    let joao = portal.sign_in(&joao.email).await;
    let [header, payload, signature] = joao.token.split('.').collect::<Vec<_>>()[..] else {
        panic!()
    };
    let claims: Value = serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap();
    let jwk = key_set(portal).await.remove(0);
    let coordinate = |name: &str| BASE64.decode(jwk[name].as_str().unwrap()).unwrap();
    let point = [vec![4], coordinate("x"), coordinate("y")].concat();
    let spki = [
        // SubjectPublicKeyInfo of a point on P-256 (RFC 5480).
        &b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00"[..],
        &point,
    ]
    .concat();

    let mut forged = Vec::new();
    // Algorithm confusion: the public key, in every form that a library might read, as the secret of HS256.
    let published = [
        point.clone(),
        point[1..].to_vec(),
        spki,
        jwk.to_string().into_bytes(),
        json!({"keys": [jwk]}).to_string().into_bytes(),
        kid.clone().into_bytes(),
        Vec::new(),
    ];
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        for key_id in [Some(kid.clone()), None] {
            let header = Header { kid: key_id, ..Header::new(algorithm) };
            forged.extend(published.iter().map(|secret| {
                encode(&header, &claims, &EncodingKey::from_secret(secret)).unwrap()
            }));
        }
    }

    // Another key of ES256, under the id of the portal's key, under an unknown id, and in the header itself.
    let own = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
    let own = EncodingKey::from_ec_der(&own.serialize_der());
    let own_jwk = Jwk::from_encoding_key(&own, Algorithm::ES256).unwrap();
    let unknown = SigningKeyId::new(portal.now()).to_string();
    let invalid_ids = ["", "../../dev/null", "' OR 1=1 --", "00000000-0000-0000-0000-000000000000"];
    for key_id in
        [Some(kid.as_str()), Some(unknown.as_str()), None].into_iter().chain(invalid_ids.map(Some))
    {
        let key_id = key_id.map(str::to_owned);
        let header = Header { kid: key_id.clone(), ..Header::new(Algorithm::ES256) };
        forged.push(encode(&header, &claims, &own).unwrap());
        let header = Header {
            jwk: Some(own_jwk.clone()),
            jku: Some("https://evil.com/jwks.json".into()),
            ..header
        };
        forged.push(encode(&header, &claims, &own).unwrap());
    }

    // The genuine signature under another header, and signatures that are none.
    let relabeled = |header: Value| BASE64.encode(header.to_string());
    for algorithm in ["none", "None", "HS256", "ES384", "ES256K", "EdDSA", "RS256", "es256"] {
        let header = relabeled(json!({"alg": algorithm, "typ": "JWT", "kid": kid}));
        forged.extend([format!("{header}.{payload}.{signature}"), format!("{header}.{payload}.")]);
    }
    let zero = BASE64.encode([0; 64]);
    for signature in ["", "AA", &zero, &BASE64.encode(&point), &signature[..signature.len() - 2]] {
        forged.push(format!("{header}.{payload}.{signature}"));
    }
    let other = BASE64.encode(claims.to_string().replace(&joao.id, &uuid::Uuid::nil().to_string()));
    forged.push(format!("{header}.{other}.{signature}"));

    is_accepted(portal, &joao.token).await;
    for token in &forged {
        is_refused_everywhere(portal, token, &path).await;
        portal.get("/rest/v1/documents").header("apikey", token).send().await.is(401);
    }
});

portal_test!(extension_that_the_portal_does_not_know_is_refused, async |portal| {
    let joao = portal.client("joao").await;
    let payload = joao.token.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap();
    let secret = EncodingKey::from_secret(crate::harness::SECRET.as_bytes());
    let header = Header { crit: Some(vec!["b64".into()]), ..Header::new(Algorithm::HS256) };
    is_refused(portal, &encode(&header, &claims, &secret).unwrap()).await;
    is_accepted(portal, &encode(&Header::default(), &claims, &secret).unwrap()).await;
});

portal_test!(stolen_signing_key_grants_no_right_without_a_session, async |portal| {
    let joao = portal.client("joao").await;
    use_new_key(portal).await;
    let sign = async |claims: Value| {
        let sign = move |tx: &mut Tx<'_>, app: &Arc<App>| app.keys.sign_access_token(tx, &claims);
        portal.app.write::<_, db::Error, _>(sign).await.unwrap()
    };
    let session = uuid::Uuid::nil();
    for claims in [
        json!({"role": "service_role"}),
        json!({"role": "supabase_admin"}),
        json!({"role": "authenticated", "sub": joao.id}),
        json!({"role": "authenticated", "sub": joao.id, "session_id": session}),
        json!({"role": "viewer", "sub": joao.id, "session_id": session, "client_id": joao.id}),
    ] {
        let token = sign(claims.clone()).await;
        assert_eq!(decode_header(&token).unwrap().alg, Algorithm::ES256);
        let answer = portal.get("/rest/v1/documents").bearer(&token).send().await;
        assert_eq!(answer.status.as_u16(), 401, "{claims}");
        let answer = portal.get("/auth/v1/admin/users").bearer(&token).send().await;
        assert_eq!(answer.status.as_u16(), 403, "{claims}");
    }
});

portal_test!(key_of_another_secret_is_not_used_and_fsck_names_it, async |portal| {
    let joao = portal.client("joao").await;
    let id = use_new_key(portal).await;
    assert_eq!(algorithm(&portal.sign_in(&joao.email).await), Algorithm::ES256);
    // A person who can write to the database puts a key of their own in its place.
    let other = Keys::from_secret("another secret of thirty-two bytes").signing_keys().generate(id);
    let replace = move |tx: &mut Tx<'_>| {
        let mut update = Query::update();
        update.table("signing_keys").value("private_key", other);
        tx.execute(update.and_where(Expr::col("id").eq(id)))
    };
    portal.app.db.write(replace).await.unwrap();
    portal.restart();
    assert_eq!(key_ids(portal).await, Vec::<String>::new());
    // People still sign in, with tokens of the portal secret.
    let joao = portal.sign_in(&joao.email).await;
    assert_eq!(algorithm(&joao), Algorithm::HS256);
    is_accepted(portal, &joao.token).await;
    assert_eq!(fsck::run(&portal.app).await.unwrap().unreadable_keys, [id]);
});
