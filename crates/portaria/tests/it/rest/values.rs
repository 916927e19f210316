//! Values of columns: timestamps, dates, numbers, texts.

use serde_json::json;

use crate::harness::portal_test;
use crate::rest::{read, rows};

portal_test!(date_means_the_day_in_the_portal_time_zone, async |portal| {
    let ana = portal.admin().await;
    let row = json!({
        "name": "a", "folder_id_supabase": "contratos", "created_at": "2026-11-30", "expires_at": "2026-11-30",
    });
    portal.insert("documents", row).await;
    assert_eq!(
        read(portal, &ana, "documents?select=created_at,expires_at").await,
        json!([{"created_at": "2026-11-30T03:00:00+00:00", "expires_at": "2026-12-01T02:59:59+00:00"}])
    );
    // Filters interpret a date like inserts: the filter for a day finds what expires on that day.
    for (filter, expected) in [
        ("expires_at=lte.2026-11-30", 1),
        ("expires_at=gt.2026-11-30", 0),
        ("created_at=gte.2026-11-30", 1),
        ("created_at=gt.2026-11-30", 0),
    ] {
        let found = read(portal, &ana, &format!("documents?select=id&{filter}")).await;
        assert_eq!(found.as_array().unwrap().len(), expected, "{filter}");
    }
});

portal_test!(date_depends_on_the_time_zone_setting, async |portal| {
    portal.set("time_zone", "America/Manaus");
    let ana = portal.admin().await;
    let row = json!({"name": "a", "folder_id_supabase": "contratos", "expires_at": "2026-11-30"});
    portal.insert("documents", row).await;
    let found = read(portal, &ana, "documents?select=expires_at").await;
    assert_eq!(found, json!([{"expires_at": "2026-12-01T03:59:59+00:00"}]));
});

portal_test!(timestamps_keep_microseconds, async |portal| {
    let ana = portal.admin().await;
    for (sent, kept) in [
        ("2026-11-21T04:26:16.123456Z", "2026-11-21T04:26:16.123456+00:00"),
        ("2026-11-21T04:26:16.120-03:00", "2026-11-21T07:26:16.12+00:00"),
        ("2026-11-21 04:26:16+00", "2026-11-21T04:26:16+00:00"),
        // A time without an offset is in the portal's time zone.
        ("2026-11-21 09:30:00", "2026-11-21T12:30:00+00:00"),
    ] {
        let row = json!({"name": sent, "folder_id_supabase": "contratos", "expires_at": sent});
        let request = portal.post("/rest/v1/documents?select=expires_at").auth(&ana).single();
        let row = request.json(&row).send().await.is(201).json();
        assert_eq!(row, json!({"expires_at": kept}), "{sent}");
    }
});

portal_test!(invalid_timestamp_is_rejected, async |portal| {
    let ana = portal.admin().await;
    for (text, code) in [
        ("2026-02-30", "22008"),
        ("0000-01-01", "22008"),
        ("-5000-01-01", "22007"),
        ("10000-01-01", "22007"),
        ("1899-12-30", "22008"),
        ("2200-01-02", "22008"),
        ("2026-13-01T00:00:00Z", "22008"),
        ("2026-01-01T24:00:00Z", "22008"),
        ("2026-01-01T23:59:60Z", "22008"),
        ("2026-01-01T00:00:00+99:00", "22008"),
        ("infinity", "22007"),
        ("now", "22007"),
        ("", "22007"),
        ("21/11/2026", "22007"),
    ] {
        let row = json!({"name": "a", "folder_id_supabase": "contratos", "expires_at": text});
        portal.post("/rest/v1/documents").auth(&ana).json(&row).send().await.refused(400, code);
        if text == "now" {
            continue;
        }
        let filter = rows(portal, &ana, "documents").query("expires_at", &format!("lt.{text}"));
        filter.send().await.refused(400, code);
    }
    assert_eq!(read(portal, &ana, "documents").await, json!([]));
});

portal_test!(words_in_filters_name_times_in_the_portal_time_zone, async |portal| {
    let ana = portal.admin().await;
    // It is noon in the portal's zone. Some of these times are on another day in UTC.
    for (name, moment) in [
        ("anteontem", "2026-11-20T02:59:59Z"),
        ("ontem", "2026-11-20T03:00:00Z"),
        ("hoje cedo", "2026-11-21T03:00:00Z"),
        ("agora", "2026-11-21T15:00:00Z"),
        ("hoje à noite", "2026-11-22T02:59:59Z"),
        ("amanhã", "2026-11-22T03:00:00Z"),
    ] {
        let row = json!({
            "name": name, "folder_id_supabase": "contratos", "created_at": moment, "expires_at": moment,
        });
        portal.insert("documents", row).await;
    }
    for (filter, expected) in [
        ("created_at=lt.now", 3),
        ("created_at=lte.now()", 4),
        ("created_at=eq.NOW", 1),
        ("created_at=lt.yesterday", 1),
        ("created_at=gte.today", 4),
        ("created_at=in.(tomorrow,now)", 2),
        ("and=(created_at.gte.today,created_at.lt.tomorrow)", 3),
        // A day of an expiry is its end, as for a date.
        ("expires_at=lte.today", 5),
        ("expires_at=gt.yesterday", 4),
    ] {
        let found = read(portal, &ana, &format!("documents?select=id&{filter}")).await;
        assert_eq!(found.as_array().unwrap().len(), expected, "{filter}");
    }
    for word in ["infinity", "-infinity", "epoch", "nowish"] {
        let filter = rows(portal, &ana, &format!("documents?created_at=lt.{word}")).send().await;
        filter.refused(400, "22007");
    }
});

portal_test!(document_expires_at_its_timestamp, async |portal| {
    let ana = portal.admin().await;
    let moments = [
        ("vencido há um segundo", "2026-11-21T14:59:59Z"),
        ("vencido agora", "2026-11-21T15:00:00Z"),
        ("vence em um segundo", "2026-11-21T15:00:01Z"),
        ("vence em sete dias", "2026-11-28T15:00:00Z"),
        ("vence um segundo depois", "2026-11-28T15:00:01Z"),
    ];
    for (name, moment) in moments {
        let row = json!({"name": name, "folder_id_supabase": "contratos", "expires_at": moment});
        portal.insert("documents", row).await;
    }
    let soon = "documents?select=name&order=expires_at&expires_at=gt.2026-11-21T15:00:00Z\
                &expires_at=lte.2026-11-28T15:00:00Z";
    assert_eq!(
        read(portal, &ana, soon).await,
        json!([{"name": "vence em um segundo"}, {"name": "vence em sete dias"}])
    );
});

portal_test!(text_is_stored_unchanged_up_to_its_length_limit, async |portal| {
    let ana = portal.admin().await;
    let text = "😀 \u{FFFF} «ação» \\ \" ' % _ \t\n";
    let path = "/rest/v1/email_templates?select=description";
    let template = |description: String| json!({"name": "n", "subject": "s", "html_content": "h", "event_trigger": "fatura_new", "description": description});
    let request = |row| portal.post(path).auth(&ana).single().json(&row).send();
    let row = request(template(text.into())).await.is(201).json();
    assert_eq!(row, json!({"description": text}));
    request(template("ã".repeat(10_000))).await.is(201);
    request(template("a".repeat(10_001))).await.refused(400, "22001");
    request(template("a\0b".into())).await.refused(400, "22P05");
});

portal_test!(text_is_compared_in_one_unicode_form, async |portal| {
    let joao = portal.client("joao").await;
    let (composed, decomposed) = ("Declaração", "Declarac\u{327}a\u{303}o");
    for subject in [composed, decomposed] {
        // The length differs, because equal tickets count as a repetition.
        let row =
            json!({"subject": subject, "message": format!("Recebi {} bytes.", subject.len())});
        portal.post("/rest/v1/tickets").auth(&joao).json(&row).send().await.is(201);
    }
    for (operator, count) in [("eq.{}", 2), ("ilike.*{}*", 2), ("in.({})", 2), ("neq.{}", 0)] {
        for word in [composed, decomposed] {
            let request = rows(portal, &joao, "tickets?select=subject");
            let found = request.query("subject", &operator.replace("{}", word)).send().await;
            let expected = vec![json!({"subject": composed}); count];
            assert_eq!(found.is(200).json(), json!(expected), "{operator} {word}");
        }
    }
    // Names of accounts are in the same form.
    let named = json!({"data": {"full_name": decomposed, "cargo": decomposed}});
    portal.put("/auth/v1/user").auth(&joao).json(&named).send().await.is(200);
    let ana = portal.admin().await;
    for key in ["full_name", "cargo"] {
        let request = rows(portal, &ana, "clients?select=id");
        let found = request.query(&format!("user_metadata->>{key}"), "ilike.*ação").send().await;
        assert_eq!(found.json(), json!([{"id": joao.id}]), "{key}");
    }
});

portal_test!(bidirectional_controls_are_removed_from_names, async |portal| {
    let ana = portal.admin().await;
    let row = json!({"name": "nota\u{202E}fdp.exe\u{7}", "folder_id_supabase": "contratos"});
    let request = portal.post("/rest/v1/documents?select=name").auth(&ana).single();
    assert_eq!(request.json(&row).send().await.is(201).json(), json!({"name": "notafdp.exe"}));
    let row = json!({"id_supabase": "notas", "name": "\u{200f}Notas\u{61c}", "icon": "folder"});
    let request = portal.post("/rest/v1/folders?select=name").auth(&ana).single();
    assert_eq!(request.json(&row).send().await.is(201).json(), json!({"name": "Notas"}));
    let joao = portal.client("joao").await;
    let body = json!({"data": {"full_name": "João\u{202E}fdp"}});
    let user = portal.put("/auth/v1/user").auth(&joao).json(&body).send().await.is(200).json();
    assert_eq!(user["user_metadata"]["full_name"], "Joãofdp");
});
