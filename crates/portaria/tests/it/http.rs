//! The HTTP layer: response headers, API keys, CORS, and the static files of the web app.

use portaria::db;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::harness::{
    TestPortal, object, portal_test,
    request::{Answer, Request},
};

const PROTECTION: [&str; 7] = [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "permissions-policy",
    "cache-control",
    "x-request-id",
];

/// One request per kind of response.
async fn one_request_of_each_kind(portal: &TestPortal) -> Vec<Request> {
    let joao = portal.client("joao").await;
    let file = portal.document(&joao, "contratos", "a.pdf").await.path;
    vec![
        portal.get("/health"),
        portal.get("/ready"),
        portal.get("/config.json"),
        portal.get("/documents"),
        portal.get("/nada.txt"),
        portal.get("/assets/nada.js"),
        portal.post("/documents"),
        portal.get("/setup"),
        portal.post("/health"),
        portal.get("/auth/v1/health"),
        portal.get("/auth/v1/user").auth(&joao),
        portal.get("/auth/v1/user"),
        portal.get("/auth/v1/nada"),
        portal.delete("/auth/v1/token"),
        portal.post("/auth/v1/logout").auth(&portal.sign_in(&joao.email).await),
        portal.get("/rest/v1/documents").auth(&joao),
        portal.get("/rest/v1/documents"),
        portal.get("/rest/v1/documents").without("apikey"),
        portal.get("/rest/v1/nada"),
        portal.get("/rest/v1/nada/nada"),
        portal.request("TRACE", "/rest/v1/documents").auth(&joao),
        portal.post("/rest/v1/tickets").auth(&joao).bytes("application/json", "{"),
        portal.get(&object(&file)).auth(&joao),
        portal.get(&object("nada.pdf")).auth(&joao),
        portal.get("/storage/v1/nada"),
        portal.patch(&object("nada.pdf")).auth(&joao),
        portal.get("/%ff"),
        portal
            .request("OPTIONS", "/rest/v1/documents")
            .header("access-control-request-method", "GET"),
    ]
}

portal_test!(every_response_has_security_headers_and_a_request_id, async |portal| {
    let mut ids = Vec::new();
    for request in one_request_of_each_kind(portal).await {
        let answer = request.send().await;
        for name in PROTECTION {
            assert!(!answer.header(name).is_empty(), "{name} on {answer:?}");
        }
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        ids.push(answer.header("x-request-id").to_owned());
        let api = !answer.header("content-type").starts_with("text/html");
        let file = answer.header("content-type") == "application/pdf";
        if api && !file {
            assert_eq!(answer.header("cache-control"), "no-store", "{answer:?}");
        }
        if !answer.status.is_success() {
            assert!(answer.json().is_object(), "{answer:?}");
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
});

portal_test!(fault_and_overload_responses_have_security_headers, async |portal| {
    portal.set("uploads_at_once", "1");
    let joao = portal.client("joao").await;
    let user = joao.id.clone();
    // Data that no version of the program writes.
    let write = move |tx: &mut db::Tx<'_>| {
        let mut spoil = Query::update();
        spoil.table("users").value("user_metadata", "no JSON");
        tx.execute(spoil.and_where(Expr::col("id").eq(user)))
    };
    portal.app.db.write(write).await.unwrap();
    let fault = portal.get("/auth/v1/user").auth(&joao).send().await.is(500);
    let _place = portal.app.upload_permits.try_acquire().unwrap();
    let upload = portal.post(&object("a.pdf")).bearer(&portal.app.keys.service_role);
    let busy = upload.bytes("application/pdf", crate::harness::PDF).send().await.is(503);
    for answer in [fault, busy] {
        for name in PROTECTION {
            assert!(!answer.header(name).is_empty(), "{name} on {answer:?}");
        }
    }
});

portal_test!(api_key_is_checked_before_everything_else, async |portal| {
    let joao = portal.client("joao").await;
    let no_key = json!({
        "message": "No API key found in request", "hint": "No `apikey` request header or url param was found.",
    });
    let wrong_key = json!({"message": "Invalid API key", "hint": "Double check the API key."});
    for path in ["/auth/v1/user", "/rest/v1/documents", &object("a.pdf")] {
        let request = || portal.get(path).without("apikey");
        let nothing = request().send().await;
        // Clients of the storage API expect its own error messages.
        if path.starts_with("/storage") {
            let refusal = nothing.refused(400, "NoSuchBucket").json();
            assert_eq!(refusal["message"], "Bucket not found");
        } else {
            assert_eq!(nothing.is(401).json(), no_key);
        }
        for key in ["", "x", "a.b.c", &joao.token[1..]] {
            let answer = request().header("apikey", key).send().await;
            assert_eq!(answer.is(401).json(), wrong_key, "{key}");
        }
    }
    // The key is accepted in the query string too, where it is not treated as a filter.
    let anon = &portal.app.keys.anon;
    let request = portal.get(&format!("/rest/v1/documents?apikey={anon}")).without("apikey");
    request.auth(&joao).send().await.is(200);
    // Addresses that browsers open without a key do not require one.
    for path in ["/config.json", "/health", "/auth/v1/health"] {
        portal.get(path).without("apikey").send().await.is(200);
    }
});

portal_test!(cors_allows_only_configured_origins, async |portal| {
    portal.set("site_url", "https://portal.escritorio.com.br");
    let preflight = |origin: &str| {
        let request = portal
            .request("OPTIONS", "/rest/v1/documents")
            .without("apikey")
            .header("origin", origin);
        let request = request.header("access-control-request-method", "GET");
        request.header("access-control-request-headers", "authorization,x-client-info").send()
    };
    let own = preflight("https://portal.escritorio.com.br").await.is(200);
    assert_eq!(own.header("access-control-allow-origin"), "https://portal.escritorio.com.br");
    assert_eq!(own.header("access-control-allow-headers"), "authorization,x-client-info");
    assert!(own.header("access-control-allow-methods").contains("PATCH"));
    for origin in [
        "https://evil.com",
        "null",
        "https://portal.escritorio.com.br.evil.com",
        "http://portal.escritorio.com.br",
    ] {
        let answer = preflight(origin).await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        let answer = portal.get("/config.json").header("origin", origin).send().await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        assert_eq!(answer.header("access-control-allow-credentials"), "");
    }
    let answer = portal
        .get("/config.json")
        .header("origin", "https://portal.escritorio.com.br")
        .send()
        .await;
    assert!(answer.header("access-control-expose-headers").contains("content-range"));
});

portal_test!(allowed_origins_call_the_shared_apis_only, async |portal| {
    const APP: &str = "https://app.exemplo.com.br";
    let token_path = "/auth/v1/token?grant_type=password";
    let joao = portal.client("joao").await;
    let shared = [
        ("GET", "/rest/v1/documents"),
        ("POST", token_path),
        ("POST", "/storage/v1/object/list/client-documents"),
        ("POST", "/storage/v1/upload/resumable"),
        ("POST", "/realtime/v1/api/broadcast"),
    ];
    let preflight = |origin: &str, (method, path): (&str, &str)| {
        let request = portal.request("OPTIONS", path).without("apikey").header("origin", origin);
        let request = request.header("access-control-request-method", method);
        request.header("access-control-request-headers", "apikey,authorization,prefer").send()
    };
    // Off by default.
    for api in shared {
        assert_eq!(preflight(APP, api).await.header("access-control-allow-origin"), "", "{api:?}");
    }

    portal.set("allowed_origins", "https://app.exemplo.com.br, http://localhost:5173");
    let preflight = |origin: &str, (method, path): (&str, &str)| {
        let request = portal.request("OPTIONS", path).without("apikey").header("origin", origin);
        let request = request.header("access-control-request-method", method);
        request.header("access-control-request-headers", "apikey,authorization,prefer").send()
    };
    for (method, path) in shared {
        for origin in [APP, "http://localhost:5173"] {
            let answer = preflight(origin, (method, path)).await.is(200);
            assert_eq!(answer.header("access-control-allow-origin"), origin, "{path}");
            assert!(answer.header("access-control-allow-methods").contains(method), "{path}");
            assert_eq!(
                answer.header("access-control-allow-headers"),
                "apikey,authorization,prefer"
            );
            assert_eq!(answer.header("access-control-max-age"), "86400");
            assert!(answer.header("vary").contains("origin"), "{path}");
        }
        // Answers and refusals can be read, and no cache gives them to another origin.
        let request = portal.request(method, path).auth(&joao).header("origin", APP);
        let answer = request.json(&json!({"prefix": ""})).send().await;
        assert_eq!(answer.header("access-control-allow-origin"), APP, "{path}");
        for name in [
            "content-range",
            "x-supabase-api-version",
            "upload-offset",
            "x-sb-error-code",
            "x-transformations",
        ] {
            let exposed = answer.header("access-control-expose-headers");
            assert!(exposed.contains(name), "{path}: {exposed}");
        }
        assert!(answer.header("vary").contains("origin"), "{path}");
        assert_eq!(answer.header("access-control-allow-credentials"), "", "{path}");
    }

    for origin in [
        "null",
        "*",
        "https://evil.com",
        "https://app.exemplo.com.br.evil.com",
        "https://evil.com/https://app.exemplo.com.br",
        "https://sub.app.exemplo.com.br",
        "http://app.exemplo.com.br",
        "https://app.exemplo.com.br:8443",
        "https://app.exemplo.com.br/",
        "HTTPS://APP.EXEMPLO.COM.BR",
        "http://localhost:5174",
    ] {
        for api in shared {
            let answer = preflight(origin, api).await;
            assert_eq!(answer.header("access-control-allow-origin"), "", "{origin} {api:?}");
        }
        let answer = portal.get("/rest/v1/documents").auth(&joao).header("origin", origin);
        let answer = answer.send().await.is(200);
        assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
        assert!(answer.header("vary").contains("origin"), "{origin}");
    }

    // The routes of the portal's own web app stay closed.
    for path in ["/setup", "/config.json", "/account/v1/export", "/", "/rest/v10/documents"] {
        let answer = preflight(APP, ("GET", path)).await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
        let answer = portal.get(path).header("origin", APP).send().await;
        assert_eq!(answer.header("access-control-allow-origin"), "", "{path}");
    }
    // An allowed page must not hold the service key either.
    let request = portal.get("/rest/v1/documents").bearer(&portal.app.keys.service_role);
    request.header("origin", APP).send().await.is(401);
});

portal_test!(unknown_routes_answer_in_the_error_format_of_their_api, async |portal| {
    portal.get("/auth/v1/nada").send().await.refused(404, "not_found");
    portal.delete("/auth/v1/token").send().await.refused(405, "method_not_allowed");
    portal.get("/rest/v1/nada/nada").send().await.refused(404, "PGRST125");
    portal.request("TRACE", "/rest/v1/folders").send().await.refused(405, "PGRST117");
    portal.get("/storage/v1/nada").send().await.refused(404, "NotFound");
    portal.patch(&object("a.pdf")).send().await.refused(405, "MethodNotAllowed");
    for path in ["/auth/v1/", "/storage/v1/"] {
        let answer = portal.get(path).send().await.is(404);
        assert!(answer.json().is_object());
    }
});

portal_test!(missing_static_file_is_not_found, async |portal| {
    for path in [
        "/assets/",
        "/assets/index-old.js",
        "/assets/../../etc/passwd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/%00",
        "/.env",
        "/.git/config",
        "/data/portaria.db",
        "/index.html.br",
        "/nada.php",
        "/functions/v1/resumo",
        "/graphql/v1",
    ] {
        let answer = portal.get(path).send().await;
        assert_eq!(answer.is(404).json(), json!({"message": "Not found"}), "{path}");
    }
    for path in ["//evil.com/%2f..", "/%5cevil.com", "/https://evil.com"] {
        let answer = portal.get(path).send().await;
        assert!(!answer.status.is_redirection(), "{path}");
        assert_eq!(answer.header("location"), "");
    }
});

/// The page of the web app, if the app was built.
async fn page(portal: &TestPortal, path: &str) -> Option<Answer> {
    let answer = portal.get(path).without("apikey").send().await;
    (answer.status == 200).then_some(answer)
}

portal_test!(unknown_page_addresses_serve_the_web_app, async |portal| {
    // Without `npm run build` the binary contains no web app. The browser tests always build it.
    let Some(index) = page(portal, "/").await else { return };
    assert_eq!(index.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(index.header("cache-control"), "no-cache");
    let policy = index.header("content-security-policy");
    let (before, styles) = policy.split_once("style-src 'self' ").unwrap();
    assert_eq!(before, "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; ");
    let (sheets, after) = styles.split_once("; ").unwrap();
    assert_eq!(sheets.split(' ').filter(|one| one.starts_with("'sha256-")).count(), 2);
    assert!(!sheets.contains("unsafe"), "{policy}");
    assert_eq!(
        after,
        "style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         frame-ancestors 'none'; form-action 'self'"
    );
    for path in ["/documents", "/admin/clients/new", "/documents/view/1", "/nada"] {
        assert_eq!(page(portal, path).await.unwrap().body, index.body, "{path}");
    }
    let html = index.text();
    let script =
        html.split('"').find(|text| text.starts_with("/assets/") && text.contains(".js")).unwrap();
    let plain = page(portal, script).await.unwrap();
    assert_eq!(plain.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(plain.header("cache-control"), "public, max-age=31536000, immutable");
    let packed = portal.get(script).header("accept-encoding", "gzip, br").send().await.is(200);
    assert_eq!(packed.header("content-encoding"), "br");
    assert_eq!(packed.header("vary"), "accept-encoding");
    assert!(packed.body.len() < plain.body.len());
    let etag = packed.header("etag").to_owned();
    let again = portal.get(script).header("accept-encoding", "br").header("if-none-match", &etag);
    assert!(again.send().await.is(304).body.is_empty());
});

portal_test!(public_settings_contain_only_public_values, async |portal| {
    portal.set("product_name", "Portal do Escritório");
    portal.set("password_min", "8");
    portal.set("max_upload", "1 MiB");
    let mut config = portal.get("/config.json").without("apikey").send().await.is(200).json();
    // Two months before today and thirteen after.
    let holidays = config["holidays"].take();
    assert_eq!(holidays[0], json!({"on": "2026-10-12", "name": "Nossa Senhora Aparecida"}));
    assert_eq!(holidays.as_array().unwrap().last().unwrap()["on"], "2027-12-25");
    assert_eq!(
        config,
        json!({
            "anon_key": portal.app.keys.anon, "product_name": "Portal do Escritório", "password_min": 8,
            "max_upload_bytes": 1_048_576, "signup": false, "secure_email_change": true,
            "require_current_password": false, "require_second_step": false, "passkeys": false, "time_zone": "America/Sao_Paulo",
            "holidays": null,
            "day_off_rules": {
                "boleto": "later", "dae": "earlier", "darf": "earlier", "das": "later", "fgts": "earlier", "gps": "earlier",
            },
            "office": {
                "logo": null, "color": null, "dark_color": null, "phone": null, "whatsapp": null, "email": null,
                "address": null, "welcome_text": null, "opening_hours": [],
            },
        })
    );
    // Autoconfirmed accounts have no proven address, so one confirmation of a change is enough.
    portal.set("autoconfirm", "true");
    let config = portal.get("/config.json").send().await.is(200).json();
    assert_eq!(config["secure_email_change"], json!(false));
    let manifest = portal.get("/manifest.webmanifest").without("apikey").send().await.is(200);
    assert_eq!(manifest.header("content-type"), "application/manifest+json");
    assert_eq!(manifest.json()["name"], "Portal do Escritório");
    assert_eq!(portal.get("/health").send().await.is(200).json(), json!({"status": "ok"}));
    assert_eq!(portal.get("/ready").send().await.is(200).json(), json!({"status": "ready"}));
});

portal_test!(service_key_is_refused_from_browsers, async |portal| {
    let service = portal.app.keys.service_role.clone();
    let asked = portal.get("/rest/v1/folders").bearer(&service);
    asked.send().await.is(200);
    let leaked = portal.get("/rest/v1/folders").bearer(&service);
    leaked.header("origin", "https://portal.escritorio.com.br").send().await.is(401);
});

portal_test!(long_addresses_and_large_headers_are_refused, async |portal| {
    let joao = portal.client("joao").await;
    // The client library warns from 8,000 characters on. Its filter with 200 ids is shorter.
    let ids = vec![joao.id.as_str(); 200].join("%2C");
    let listed = portal.get(&format!("/rest/v1/documents?select=id&id=in.%28{ids}%29"));
    listed.auth(&joao).send().await.is(200);
    for path in ["/rest/v1/documents", "/auth/v1/user", "/storage/v1/bucket", "/config.json"] {
        let long = portal.get(&format!("{path}?x={}", "a".repeat(9_000))).auth(&joao);
        long.send().await.refused(414, "uri_too_long");
        let mut large = portal.get(path).auth(&joao);
        for name in ["x-a", "x-b", "x-c", "x-d"] {
            large = large.header(name, &"a".repeat(9_000));
        }
        large.send().await.refused(431, "headers_too_large");
        let fits = portal.get(path).auth(&joao).header("x-a", &"a".repeat(30_000)).send().await;
        assert!(!fits.status.is_server_error() && fits.status != 431, "{fits:?}");
    }
});

portal_test!(https_portal_sends_strict_transport_security, async |portal| {
    assert_eq!(portal.get("/health").send().await.header("strict-transport-security"), "");
    portal.set("site_url", "https://portal.escritorio.com.br");
    let answer = portal.get("/health").send().await;
    assert_eq!(answer.header("strict-transport-security"), "max-age=31536000; includeSubDomains");
});
