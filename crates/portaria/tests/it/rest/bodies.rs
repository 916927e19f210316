//! Bodies of writes in CSV and as forms, and the arguments that an unknown function names.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::read;

const CSV: &str = "text/csv; charset=utf-8";
const FORM: &str = "application/x-www-form-urlencoded";

portal_test!(csv_and_forms_insert_rows, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let csv = "name,folder_id_supabase,size,expires_at\r\n\
               \"Balanço, 2026\",contratos,12,NULL\r\nGuia,faturas,NULL,2026-12-01\r\n";
    let insert = portal.post("/rest/v1/documents").auth(&ana).bytes(CSV, csv);
    insert.send().await.is(201);
    let path = "documents?select=name,folder_id_supabase,size,expires_at&order=name";
    assert_eq!(
        read(portal, &ana, path).await,
        json!([
            {"name": "Balanço, 2026", "folder_id_supabase": "contratos", "size": 12, "expires_at": null},
            {"name": "Guia", "folder_id_supabase": "faturas", "size": null, "expires_at": "2026-12-02T02:59:59+00:00"},
        ])
    );
    let form = "subject=D%C3%BAvida+fiscal&message=Como+pago+a+guia%3F";
    let insert = portal.post("/rest/v1/tickets").auth(&joao).bytes(FORM, form);
    insert.send().await.is(201);
    let change = portal.patch("/rest/v1/tickets?status=eq.open").auth(&joao);
    change.bytes(FORM, "status=closed").send().await.is(204);
    assert_eq!(
        read(portal, &joao, "tickets?select=subject,message,status").await,
        json!([{"subject": "Dúvida fiscal", "message": "Como pago a guia?", "status": "closed"}])
    );
});

portal_test!(malformed_or_large_bodies_are_refused, async |portal| {
    let ana = portal.admin().await;
    let many_rows = format!("name,folder_id_supabase\n{}", "a,contratos\n".repeat(501));
    let many_values = format!("name\n{}", "a\n".repeat(25_001));
    let many_bytes = format!("name,folder_id_supabase\n{},contratos", "a".repeat(1 << 20));
    for (kind, body, status, code) in [
        (CSV, "", 400, "PGRST102"),
        (CSV, "name,folder_id_supabase\nx", 400, "PGRST102"),
        (CSV, "name,name\nx,y", 400, "PGRST102"),
        (CSV, "name,nonesuch\nx,y", 400, "PGRST204"),
        (CSV, "name,folder_id_supabase\n\0,contratos", 400, "22P05"),
        (CSV, &many_rows, 400, "PGRST102"),
        (CSV, &many_values, 413, "PGRST102"),
        (CSV, &many_bytes, 413, "PGRST102"),
        (FORM, "name=a&name=b", 400, "PGRST102"),
        (FORM, "name=%FF", 400, "PGRST102"),
        (FORM, "name=a&size=x&folder_id_supabase=contratos", 400, "22P02"),
        ("text/plain", "name=a", 400, "PGRST102"),
    ] {
        let insert =
            portal.post("/rest/v1/documents").auth(&ana).bytes(kind, body.as_bytes().to_vec());
        insert.send().await.refused(status, code);
    }
    assert_eq!(read(portal, &ana, "documents").await, json!([]));
});

portal_test!(unknown_function_names_the_arguments_of_the_call, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let refusal = |message: &str, details: &str| {
        json!({
            "code": "PGRST202",
            "message": format!("Could not find the function public.{message} in the schema cache"),
            "details": format!("Searched for the function public.{details}, but no matches were found in the schema cache."),
            "hint": null,
        })
    };
    for (function, body, message, details) in [
        ("nada", json!({}), "nada without parameters", "nada without parameters"),
        ("nada", json!({"a": 1}), "nada(a)", "nada with parameter a"),
        (
            "delete_folder",
            json!({"pasta": 1, "alvo": 2}),
            "delete_folder(alvo, pasta)",
            "delete_folder with parameters alvo, pasta",
        ),
    ] {
        let call = portal.post(&format!("/rest/v1/rpc/{function}")).auth(&ana).json(&body);
        let details = format!("{details} or with a single unnamed json/jsonb parameter");
        assert_eq!(call.send().await.refused(404, "PGRST202").json(), refusal(message, &details));
    }
    let get = portal.get("/rest/v1/rpc/nada?b=1&a=2&select=c").auth(&ana).send().await;
    let expected = refusal("nada(a, b)", "nada with parameters a, b");
    assert_eq!(get.refused(404, "PGRST202").json(), expected);
    // A function for staff looks to a client like one that does not exist.
    let mut seen = Vec::new();
    for function in ["mail_status", "nonesuch_fn"] {
        for body in [json!({}), json!({"a": 1})] {
            let call = portal.post(&format!("/rest/v1/rpc/{function}")).auth(&joao).json(&body);
            let text = call.send().await.refused(404, "PGRST202").text();
            seen.push(text.replace(function, "FUNCTION"));
        }
    }
    assert_eq!(seen[..2], seen[2..]);
    let long = json!({"x".repeat(100_000): 1});
    let call = portal.post("/rest/v1/rpc/nada").auth(&ana).json(&long).send().await;
    assert!(call.refused(404, "PGRST202").text().len() < 2_000);
});

portal_test!(function_without_a_body_is_called_without_arguments, async |portal| {
    let ana = portal.admin().await;
    let status = portal.post("/rest/v1/rpc/mail_status").auth(&ana).send().await.is(200).json();
    assert_eq!(status["failed"], 0);
    let missing = portal.post("/rest/v1/rpc/delete_folder").auth(&ana).send().await;
    missing.refused(404, "PGRST202");
});
