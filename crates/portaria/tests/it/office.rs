//! The office's settings: who sees and changes them, and where name, logo, color, hours and holidays take effect.

use base64::{Engine, prelude::BASE64_STANDARD};
use jiff::{SignedDuration, Timestamp};
use portaria::jobs::send_reminders;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

const ROW: &str = "/rest/v1/office_settings?id=eq.office";
/// A burgundy that is readable on light grounds, and its form for dark grounds.
const COLORS: (&str, &str) = ("#7a1f3d", "#e08aa5");

/// A PNG file of 64 by 32 pixels in one color, as the web app sends it.
fn logo() -> String {
    let mut png = std::io::Cursor::new(Vec::new());
    let pixels = image::RgbaImage::from_pixel(64, 32, image::Rgba([122, 31, 61, 255]));
    pixels.write_to(&mut png, image::ImageFormat::Png).unwrap();
    format!("data:image/png;base64,{}", BASE64_STANDARD.encode(png.into_inner()))
}

async fn try_change(portal: &TestPortal, ana: &TestUser, changes: &Value) -> Answer {
    portal.patch(ROW).auth(ana).json(changes).send().await
}

async fn change(portal: &TestPortal, ana: &TestUser, changes: &Value) {
    try_change(portal, ana, changes).await.is(204);
}

async fn public(portal: &TestPortal) -> Value {
    portal.get("/config.json").without("apikey").send().await.is(200).json()
}

portal_test!(everybody_sees_the_public_part, async |portal| {
    let ana = portal.admin().await;
    assert_eq!(public(portal).await["product_name"], "Portaria");
    let hours = json!([{"weekday": 1, "opens": "09:00", "closes": "17:00"}]);
    let changes = json!({
        "name": "Prado Contábil", "logo": logo(), "color": COLORS.0, "dark_color": COLORS.1,
        "phone": "(11) 3333-4444", "whatsapp": "5511987654321", "email": "contato@prado.com.br",
        "address": "Rua A, 1\nSão Paulo", "welcome_text": "Bem-vindo.", "opening_hours": hours,
        "holidays": [{"on": "2026-12-24", "name": "Recesso"}],
        "mail_footer": "Rodapé interno", "mail_sender_name": "Remetente interno",
    });
    change(portal, &ana, &changes).await;
    let config = public(portal).await;
    assert_eq!(config["product_name"], "Prado Contábil");
    let office = &config["office"];
    for column in [
        "color",
        "dark_color",
        "phone",
        "whatsapp",
        "email",
        "address",
        "welcome_text",
        "opening_hours",
    ] {
        assert_eq!(office[column], changes[column], "{column}");
    }
    assert!(!config.to_string().contains("interno"), "{config}");

    let address = office["logo"].as_str().unwrap();
    let png = portal.get(address).without("apikey").send().await.is(200);
    assert_eq!(png.header("content-type"), "image/png");
    assert_eq!(png.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(format!("data:image/png;base64,{}", BASE64_STANDARD.encode(&png.body)), logo());
    let etag = png.header("etag").to_owned();
    let known = portal.get("/office/logo.png").header("if-none-match", &etag).send().await;
    assert_eq!(known.is(304).header("cache-control"), "no-cache");

    let manifest = portal.get("/manifest.webmanifest").send().await.is(200).json();
    assert_eq!(
        (&manifest["name"], &manifest["theme_color"]),
        (&json!("Prado Contábil"), &json!(COLORS.0))
    );
    for icon in manifest["icons"].as_array().unwrap() {
        let png = portal.get(icon["src"].as_str().unwrap()).without("apikey").send().await.is(200);
        let drawn = image::load_from_memory(&png.body).unwrap();
        assert_eq!(format!("{0}x{0}", drawn.width()), icon["sizes"].as_str().unwrap());
    }
    portal.get("/office/icons/outro.png").send().await.is(404);

    let nothing = json!({"name": null, "logo": null, "color": null, "dark_color": null});
    change(portal, &ana, &nothing).await;
    assert_eq!(public(portal).await["product_name"], "Portaria");
    portal.get("/office/logo.png").send().await.is(404);
});

portal_test!(invalid_settings_are_refused_with_a_sentence, async |portal| {
    let ana = portal.admin().await;
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let as_svg = format!("data:image/svg+xml;base64,{}", BASE64_STANDARD.encode(svg));
    let disguised = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(svg));
    for changes in [
        json!({"logo": as_svg}),
        json!({"logo": disguised}),
        json!({"logo": "https://exemplo.com.br/logo.png"}),
        json!({"color": "#ffd600", "dark_color": "#ffd600"}),
        json!({"color": COLORS.0}),
        json!({"name": " "}),
        json!({"opening_hours": [{"weekday": 1, "opens": "17:00", "closes": "09:00"}]}),
        json!({"holidays": [{"on": "2026-02-30", "name": "Não existe"}]}),
        json!({"day_off_rules": {"payslip": "later"}}),
    ] {
        let answer = try_change(portal, &ana, &changes).await.refused(422, "office_settings");
        assert!(answer.json()["message"].as_str().unwrap().ends_with('.'), "{changes}");
    }
    try_change(portal, &ana, &json!({"name": "a".repeat(81)})).await.refused(400, "22001");
    try_change(portal, &ana, &json!({"id": "outro"})).await.refused(400, "23514");
    assert_eq!(public(portal).await["office"]["logo"], Value::Null);
});

portal_test!(change_is_an_audit_event_with_its_columns, async |portal| {
    let ana = portal.admin().await;
    change(portal, &ana, &json!({"name": "Prado Contábil", "phone": "(11) 3333-4444"})).await;
    let path = "/rest/v1/activity?event=eq.office.changed&select=actor_id,subject,detail";
    let events = portal.get(path).auth(&ana).send().await.is(200).json();
    assert_eq!(events[0]["actor_id"], json!(ana.id));
    assert_eq!(events[0]["subject"], "Prado Contábil");
    assert_eq!(events[0]["detail"]["columns"], json!(["name", "phone"]));
    assert!(!events.to_string().contains("3333"), "{events}");
});

portal_test!(mail_shows_name_color_logo_and_footer, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let changes = json!({
        "name": "Prado <Contábil>", "logo": logo(), "color": COLORS.0, "dark_color": COLORS.1,
        "mail_footer": "Rua A, 1\nSão Paulo",
    });
    change(portal, &ana, &changes).await;
    let body = json!({"email": joao.email});
    portal.post("/auth/v1/recover").json(&body).send().await.is(200);
    let html = portal.mail("recovery", &joao.email).await.html;
    for text in [
        "Prado &lt;Contábil&gt;</td>",
        "<img src=\"/office/logo.png\"",
        "background:#7a1f3d;color:#FFFFFF",
        "Rua A, 1<br>São Paulo</div>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    assert!(!html.contains("#0E5A6B"), "{html}");

    let office = portal.app.office().await;
    assert_eq!(office.sender_name("Portaria", "Portaria"), "Prado <Contábil>");
    assert_eq!(office.sender_name("Portal do Prado", "Portaria"), "Portal do Prado");
    change(portal, &ana, &json!({"mail_sender_name": "Equipe Prado"})).await;
    let office = portal.app.office().await;
    assert_eq!(office.sender_name("Portal do Prado", "Portaria"), "Equipe Prado");
});

portal_test!(other_nodes_learn_of_a_change_within_seconds, async |portal| {
    let ana = portal.admin().await;
    let other = portal.another_node();
    assert_eq!(other.office().await.name, "Portaria");
    change(portal, &ana, &json!({"name": "Prado Contábil"})).await;
    assert_eq!(portal.app.office().await.name, "Prado Contábil");
    portal.advance(SignedDuration::from_secs(2));
    assert_eq!(other.office().await.name, "Prado Contábil");
});

portal_test!(own_holiday_moves_a_reminder, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    portal.insert("reminder_rules", json!({"days": 1})).await;
    let fields = json!({"expires_at": "2026-12-10", "name": "guia"});
    portal.document_with(&joao, "faturas", "guia.pdf", fields).await;
    let holiday = json!({"holidays": [{"on": "2026-12-09", "name": "Aniversário da cidade"}]});
    change(portal, &ana, &holiday).await;
    // The business day before the 10th is the 8th, and no reminder leaves on the holiday.
    for (day, sent) in [("2026-12-08", 1), ("2026-12-09", 1), ("2026-12-10", 1)] {
        let moment: Timestamp = format!("{day}T08:00:00-03:00").parse().unwrap();
        portal.advance(moment.duration_since(portal.now()));
        send_reminders::run(&portal.app).await.unwrap();
        assert_eq!(portal.mails_about("document_reminder").await, sent, "{day}");
    }
});

portal_test!(own_rule_for_days_off_moves_a_reminder, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    portal.insert("reminder_rules", json!({"days": 0})).await;
    change(portal, &ana, &json!({"day_off_rules": {"iss": "later", "das": null}})).await;
    let rules = &public(portal).await["day_off_rules"];
    assert_eq!(
        json!([rules["iss"], rules["das"], rules["darf"]]),
        json!(["later", null, "earlier"])
    );
    for category in ["iss", "das"] {
        let fields = json!({"expires_at": "2026-12-27", "name": category, "category": category});
        portal.document_with(&joao, "faturas", &format!("{category}.pdf"), fields).await;
    }
    for (day, sent) in [("2026-12-24", 1), ("2026-12-26", 1), ("2026-12-28", 2)] {
        let moment: Timestamp = format!("{day}T08:00:00-03:00").parse().unwrap();
        portal.advance(moment.duration_since(portal.now()));
        send_reminders::run(&portal.app).await.unwrap();
        assert_eq!(portal.mails_about("document_reminder").await, sent, "{day}");
    }
});

portal_test!(opening_hours_move_deadlines_of_tickets, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let due = async |ticket: &str| {
        let path = format!("/rest/v1/tickets?id=eq.{ticket}&select=due_at");
        portal.get(&path).auth(&ana).send().await.is(200).json()[0]["due_at"].clone()
    };
    let waiting = portal.ticket(&joao, "Dúvida").await;
    assert_eq!(due(&waiting).await, "2026-11-24T03:00:00+00:00");
    // Eight hours a day: 24 hours from a Saturday end on Wednesday at 17:00 in São Paulo.
    let hours: Vec<Value> = (1..=5)
        .map(|weekday| json!({"weekday": weekday, "opens": "09:00", "closes": "17:00"}))
        .collect();
    change(portal, &ana, &json!({"opening_hours": hours})).await;
    assert_eq!(due(&waiting).await, "2026-11-25T20:00:00+00:00");
    let new = portal.ticket(&joao, "Outra dúvida").await;
    assert_eq!(due(&new).await, "2026-11-25T20:00:00+00:00");
    change(portal, &ana, &json!({"holidays": [{"on": "2026-11-24", "name": "Recesso"}]})).await;
    assert_eq!(due(&waiting).await, "2026-11-26T20:00:00+00:00");
    change(portal, &ana, &json!({"opening_hours": [], "holidays": []})).await;
    assert_eq!(due(&waiting).await, "2026-11-24T03:00:00+00:00");
});

portal_test!(proof_of_delivery_shows_the_logo, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "contrato.pdf").await.id;
    let issue = async || {
        let path = format!("/account/v1/documents/{document}/proof");
        portal.post(&path).auth(&ana).send().await.is(200).body
    };
    let images = |pdf: &[u8]| pdf.windows(14).filter(|part| part == b"/Subtype/Image").count();
    assert_eq!(images(&issue().await), 0);
    change(portal, &ana, &json!({"logo": logo()})).await;
    assert!(images(&issue().await) > 0);
});
