//! A sequence of correct and incorrect requests, with a marker that must not appear in the log.

use portaria::security::keys::Keys;
use serde_json::{Value, json};

use crate::harness::{PDF, SECRET};
use crate::process::Program;

/// Marker in all user input.
pub(crate) const MARK: &str = "zq7marca";
const PASSWORD: &str = "zq7marca-senha";

/// A user who sends many requests.
pub(crate) struct Traffic<'a> {
    program: &'a Program,
    pub(crate) anon: String,
    pub(crate) service: String,
    pub(crate) ids: Vec<String>,
    /// Secrets that the server issued, which must not appear in the log.
    pub(crate) secrets: Vec<String>,
}

impl<'a> Traffic<'a> {
    pub(crate) fn over(program: &'a Program) -> Self {
        let keys = Keys::from_secret(SECRET);
        let secrets = vec![keys.anon.clone(), keys.service_role.clone()];
        Self { program, anon: keys.anon, service: keys.service_role, ids: Vec::new(), secrets }
    }

    pub(crate) async fn json(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Value,
    ) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.send(method, path, token, "application/json", body.as_bytes()).await
    }

    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        kind: &str,
        body: &[u8],
    ) -> (u16, Value) {
        let headers = format!(
            "apikey: {}\r\nauthorization: Bearer {token}\r\ncontent-type: {kind}\r\nuser-agent: {MARK}\r\n\
             referer: https://{MARK}/\r\nprefer: return=representation\r\n",
            self.anon
        );
        let answer = self.program.ask(method, path, &headers, body).await;
        self.ids.push(answer.header("x-request-id").unwrap_or_else(|| panic!("{path}")).to_owned());
        (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
    }
}

/// Sends requests of all kinds, some of them invalid, with the marker in every possible place.
pub(crate) async fn live(traffic: &mut Traffic<'_>) {
    let (service, anon) = (traffic.service.clone(), traffic.anon.clone());
    let email = format!("{MARK}@cliente.com.br");
    let account = json!({"email": email, "password": PASSWORD, "email_confirm": true, "user_metadata": {"full_name": MARK}});
    let (status, user) = traffic.json("POST", "/auth/v1/admin/users", &service, account).await;
    assert_eq!(status, 200, "{user}");
    let sign_in = "/auth/v1/token?grant_type=password";
    let body = json!({"email": email, "password": PASSWORD});
    let (status, session) = traffic.json("POST", sign_in, &anon, body).await;
    assert_eq!(status, 200, "{session}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (token, refresh) = (text(&session["access_token"]), text(&session["refresh_token"]));
    let id = text(&user["id"]);
    traffic.secrets.extend([token.clone(), refresh.clone()]);
    for (method, path, token, body) in [
        ("POST", sign_in, &anon, json!({"email": email, "password": format!("{MARK}-errada")})),
        ("POST", "/auth/v1/recover", &anon, json!({"email": email})),
        ("POST", "/auth/v1/verify", &anon, json!({"type": "recovery", "token_hash": MARK})),
        ("PUT", "/auth/v1/user", &token, json!({"data": {"full_name": MARK}, "password": MARK})),
        ("GET", &format!("/auth/v1/admin/users/{id}"), &service, Value::Null),
        (
            "POST",
            "/rest/v1/tickets",
            &token,
            json!({"subject": MARK, "message": format!("{MARK} e mais {MARK}")}),
        ),
        ("POST", "/rest/v1/tickets", &token, json!({MARK: MARK})),
        (
            "GET",
            &format!("/rest/v1/tickets?subject=eq.{MARK}&message=ilike.*{MARK}*"),
            &token,
            Value::Null,
        ),
        ("GET", &format!("/rest/v1/tickets?{MARK}=gt.{MARK}"), &token, Value::Null),
        ("GET", &format!("/rest/v1/{MARK}?select={MARK}"), &token, Value::Null),
        ("POST", &format!("/rest/v1/rpc/{MARK}"), &token, json!({MARK: MARK})),
        ("GET", "/rest/v1/tickets", &format!("{token}{MARK}"), Value::Null),
        ("POST", "/account/v1/calendar", &token, Value::Null),
        ("GET", "/account/v1/export", &token, Value::Null),
        ("GET", &format!("/calendario/{MARK}.ics"), &anon, Value::Null),
        ("POST", &format!("/cancelar-avisos/{MARK}"), &anon, Value::Null),
        (
            "POST",
            "/setup",
            &anon,
            json!({"token": MARK, "email": email, "password": PASSWORD, "full_name": MARK}),
        ),
        ("GET", &format!("/{MARK}/{MARK}?{MARK}={MARK}"), &anon, Value::Null),
        ("GET", &format!("/assets/{MARK}.js"), &anon, Value::Null),
        (&MARK.to_uppercase(), "/health", &anon, Value::Null),
        (
            "POST",
            &format!("/storage/v1/object/list/{MARK}"),
            &token,
            json!({"prefix": MARK, "search": MARK}),
        ),
        (
            "POST",
            "/auth/v1/token?grant_type=refresh_token",
            &anon,
            json!({"refresh_token": refresh}),
        ),
    ] {
        let (status, answer) = traffic.json(method, path, token, body).await;
        assert!(status < 500, "{path}: {answer}");
    }
    let object = format!("/storage/v1/object/client-documents/public/{id}/contratos/{MARK}.pdf");
    for (token, kind, body) in [
        (&service, "application/pdf", PDF),
        (&service, "text/html", MARK.as_bytes()),
        (&token, "application/pdf", PDF),
    ] {
        traffic.send("POST", &object, token, kind, body).await;
    }
    let signed = object.replace("/object/", "/object/sign/");
    let (_, link) = traffic.json("POST", &signed, &service, json!({"expiresIn": 60})).await;
    let link = text(&link["signedURL"]);
    traffic.secrets.push(link.split_once("token=").unwrap().1.to_owned());
    traffic.json("GET", &format!("/storage/v1{link}"), &anon, Value::Null).await;
    traffic.json("POST", "/auth/v1/logout", &token, Value::Null).await;
}
