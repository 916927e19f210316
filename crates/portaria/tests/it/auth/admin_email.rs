//! Addresses assigned by the office: the owner receives a welcome mail, and a mistyped address can be corrected.

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};

const USERS: &str = "/auth/v1/admin/users";
const WRONG: &str = "joao@padraia.com.br";
const RIGHT: &str = "joao@padaria.com.br";

async fn create(portal: &TestPortal, ana: &TestUser, email: &str) -> Value {
    let body = json!({
        "email": email, "password": PASSWORD, "email_confirm": true, "user_metadata": {"full_name": "João"},
    });
    portal.post(USERS).auth(ana).json(&body).send().await.is(200).json()
}

async fn correct_email(portal: &TestPortal, ana: &TestUser, id: &str, email: &str) {
    let request = portal.put(&format!("{USERS}/{id}")).auth(ana).json(&json!({"email": email}));
    assert_eq!(request.send().await.is(200).json()["email"], email);
}

/// The queued mails and their recipients, sorted, because the clock of the test does not advance.
async fn queued_mails(portal: &TestPortal) -> Vec<(String, String)> {
    let mut queued_mails: Vec<_> =
        portal.mails().await.into_iter().map(|mail| (mail.event, mail.to)).collect();
    queued_mails.sort();
    queued_mails
}

fn one(event: &str, to: &str) -> (String, String) {
    (event.to_owned(), to.to_owned())
}

portal_test!(created_account_gets_a_welcome_mail, async |portal| {
    let ana = portal.admin().await;
    create(portal, &ana, RIGHT).await;
    let mail = portal.mail("welcome", RIGHT).await;
    assert_eq!(mail.subject, "Seu acesso ao portal está pronto");
    assert_eq!(mail.path(), "/login");
    assert!(mail.html.contains("Olá, João.") && mail.html.contains(RIGHT), "{}", mail.html);
    // The address is not proven, so the mail contains no personal data.
    assert!(!mail.html.contains(PASSWORD));
    // Accounts created with the service key get no mail.
    portal.create_user(json!({"email": "outra@cliente.com.br"})).await;
    assert_eq!(queued_mails(portal).await, [one("welcome", RIGHT)]);
});

portal_test!(mistyped_address_is_corrected, async |portal| {
    let ana = portal.admin().await;
    let id = create(portal, &ana, WRONG).await["id"].as_str().unwrap().to_owned();
    correct_email(portal, &ana, &id, RIGHT).await;
    // Nothing is mailed to the wrong address.
    assert_eq!(queued_mails(portal).await, [one("welcome", RIGHT), one("welcome", WRONG)]);
    portal.try_sign_in(WRONG, PASSWORD).await.refused(400, "invalid_credentials");
    portal.sign_in(RIGHT).await;
    let events = portal.get("/rest/v1/activity?event=eq.account.changed").auth(&ana).send().await;
    assert_eq!(events.is(200).json()[0]["detail"]["columns"], json!(["email"]));
});

portal_test!(address_change_by_admin_notifies_the_old_address_and_ends_sessions, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await.is(201);
    correct_email(portal, &ana, &joao.id, RIGHT).await;
    // Queued mails are redirected to the new address.
    let expected = [
        one("email_changed", &joao.email),
        one("email_set", RIGHT),
        one("ticket_created_user", RIGHT),
    ];
    assert_eq!(queued_mails(portal).await, expected);
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "session_not_found");
    portal.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    portal.sign_in(RIGHT).await;

    // Setting the same address again has no effect.
    correct_email(portal, &ana, &joao.id, RIGHT).await;
    assert_eq!(queued_mails(portal).await.len(), expected.len());
    // An address in use is rejected without effect.
    let maria = portal.client("maria").await;
    let taken = portal.put(&format!("{USERS}/{}", joao.id)).auth(&ana);
    taken.json(&json!({"email": maria.email})).send().await.refused(422, "email_exists");
    assert_eq!(queued_mails(portal).await.len(), expected.len());
});

portal_test!(corrected_invitation_is_sent_to_the_new_address, async |portal| {
    let ana = portal.admin().await;
    let body = json!({"email": WRONG, "data": {"full_name": "João"}});
    let user = portal.post("/auth/v1/invite").auth(&ana).json(&body).send().await.is(200).json();
    let old = portal.mail("invite", WRONG).await.token();
    correct_email(portal, &ana, user["id"].as_str().unwrap(), RIGHT).await;
    let verify = |token: String| {
        portal.post("/auth/v1/verify").json(&json!({"token_hash": token, "type": "invite"}))
    };
    verify(old).send().await.refused(403, "otp_expired");
    let mail = portal.mail("invite", RIGHT).await;
    verify(mail.token()).send().await.is(200);
    assert_eq!(queued_mails(portal).await, [one("invite", RIGHT), one("invite", WRONG)]);
});

portal_test!(queued_mails_follow_a_change_by_the_user, async |portal| {
    let joao = portal.client("joao").await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await.is(201);
    let change = portal.put("/auth/v1/user").auth(&joao).json(&json!({"email": RIGHT}));
    change.send().await.is(200);
    for address in [&joao.email, RIGHT] {
        assert!(queued_mails(portal).await.contains(&one("ticket_created_user", &joao.email)));
        let mail = portal.mail("email_change", address).await;
        portal.get(&mail.path()).without("apikey").send().await.is(303);
    }
    assert!(queued_mails(portal).await.contains(&one("ticket_created_user", RIGHT)));
});
