//! Outgoing connections: only to the database and the mail server, never to addresses from user input.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::json;

use crate::harness::portal_test;
use crate::process::{
    Start,
    log_privacy::{Traffic, live},
    wait_until,
};

/// A documentation address (RFC 5737), which all user input contains.
const STRANGER: &str = "http://192.0.2.7:8007/a.png";

/// An address on which nothing listens, so that mails are retried.
const MAIL: &str = "127.0.0.1:2";

/// Everything that contains a URL which a vulnerable server would fetch.
async fn tempt(traffic: &mut Traffic<'_>) {
    let (service, anon) = (traffic.service.clone(), traffic.anon.clone());
    let page =
        format!("<p>{{{{client.name}}}}</p><img src=\"{STRANGER}\"><a href=\"{STRANGER}\">a</a>");
    let user = json!({
        "email": "maria@cliente.com.br", "password": "uma-senha-longa", "email_confirm": true,
        "user_metadata": {"full_name": STRANGER, "avatar_url": STRANGER, "picture": STRANGER},
    });
    for (method, path, token, body) in [
        ("POST", "/auth/v1/admin/users".to_owned(), &service, user),
        (
            "POST",
            format!("/auth/v1/recover?redirect_to={STRANGER}"),
            &anon,
            json!({"email": "maria@cliente.com.br"}),
        ),
        (
            "POST",
            format!("/auth/v1/otp?redirect_to={STRANGER}"),
            &anon,
            json!({"email": "maria@cliente.com.br"}),
        ),
        (
            "GET",
            format!("/auth/v1/verify?token=a&type=recovery&redirect_to={STRANGER}"),
            &anon,
            json!(null),
        ),
        (
            "POST",
            format!("/auth/v1/invite?redirect_to={STRANGER}"),
            &service,
            json!({"email": "novo@cliente.com.br"}),
        ),
        (
            "POST",
            "/rest/v1/email_templates".to_owned(),
            &service,
            json!({"name": "Aviso", "subject": "Aviso", "html_content": page, "event_trigger": "contrato_new"}),
        ),
        (
            "POST",
            "/rest/v1/rpc/preview_template".to_owned(),
            &service,
            json!({"subject": "Aviso", "html_content": page, "event_trigger": "contrato_new"}),
        ),
        (
            "POST",
            "/rest/v1/documents".to_owned(),
            &service,
            json!({"name": "a", "folder_id_supabase": "contratos", "type": "pdf", "file_url": STRANGER}),
        ),
        (
            "POST",
            "/storage/v1/bucket".to_owned(),
            &service,
            json!({"name": "fotos", "public": true}),
        ),
        (
            "POST",
            "/storage/v1/object/copy".to_owned(),
            &service,
            json!({"bucketId": "fotos", "sourceKey": STRANGER, "destinationKey": "a.png"}),
        ),
    ] {
        let (status, answer) = traffic.json(method, &path, token, body).await;
        assert!(status < 500, "{path}: {answer}");
    }
    let svg =
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\"><image href=\"{STRANGER}\"/></svg>");
    let entity = format!("<!DOCTYPE a [<!ENTITY b SYSTEM \"{STRANGER}\">]><a>&b;</a>");
    for (name, kind, body) in [("a.svg", "image/svg+xml", svg), ("a.xml", "text/xml", entity)] {
        let path = format!("/storage/v1/object/fotos/{name}");
        traffic.send("POST", &path, &service, kind, body.as_bytes()).await;
        traffic
            .json(
                "GET",
                &format!("/storage/v1/render/image/public/fotos/{name}"),
                &anon,
                json!(null),
            )
            .await;
    }
}

portal_test!(portal_connects_to_database_and_mail_server_only, async |portal| {
    let works = Command::new("strace").args(["-f", "-e", "trace=connect", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        crate::harness::skipped("strace is not installed");
        return;
    }
    let start = Start::traced("connect").with("PORTARIA_DATABASE_URL", portal.database_url());
    let program = start
        .with("PORTARIA_SMTP_URL", &format!("smtp://{MAIL}"))
        .with("PORTARIA_MAIL_FROM", "Escritório <portal@escritorio.com.br>")
        .serve()
        .await;
    let mut traffic = Traffic::over(&program);
    live(&mut traffic).await;
    tempt(&mut traffic).await;
    let called = || {
        let trace = fs::read_to_string(program.file("trace")).unwrap();
        let address = |line: &str| {
            let port = line.split_once("port=htons(")?.1.split_once(')')?.0.to_owned();
            let host = line.split_once("inet_addr(\"").or_else(|| line.split_once("AF_INET6, \""));
            Some(format!("{}:{port}", host?.1.split_once('"')?.0))
        };
        let calls = trace.lines().filter(|line| line.contains("sa_family=AF_INET"));
        calls.map(|line| address(line).unwrap_or(line.to_owned())).collect::<BTreeSet<_>>()
    };
    wait_until("mails are attempted", async || called().contains(MAIL)).await;
    let database = portal
        .database_url()
        .split(['@', '/'])
        .find(|part| part.contains(':') && part.contains('.'));
    let expected = [Some(MAIL), database].into_iter().flatten().map(str::to_owned).collect();
    assert_eq!(called(), expected);
});
