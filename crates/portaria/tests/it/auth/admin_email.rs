//! The address that the office gives somebody: whoever reads there is welcomed, and a wrong one is corrected (behaviour
//! F5, F7).

use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};

const USERS: &str = "/auth/v1/admin/users";
const WRONG: &str = "joao@padraia.com.br";
const RIGHT: &str = "joao@padaria.com.br";

async fn create(world: &TestPortal, ana: &TestUser, email: &str) -> Value {
    let body = json!({
        "email": email, "password": PASSWORD, "email_confirm": true, "user_metadata": {"full_name": "João"},
    });
    world.post(USERS).as_(ana).json(&body).send().await.is(200).json()
}

async fn correct(world: &TestPortal, ana: &TestUser, id: &str, email: &str) {
    let request = world.put(&format!("{USERS}/{id}")).as_(ana).json(&json!({"email": email}));
    assert_eq!(request.send().await.is(200).json()["email"], email);
}

/// What waits, and for whom. The clock stands, so which came first is not told.
async fn waiting(world: &TestPortal) -> Vec<(String, String)> {
    let mut waiting: Vec<_> =
        world.mails().await.into_iter().map(|mail| (mail.event, mail.to)).collect();
    waiting.sort();
    waiting
}

fn one(event: &str, to: &str) -> (String, String) {
    (event.to_owned(), to.to_owned())
}

portal_test!(who_is_given_an_account_is_welcomed, async |world| {
    let ana = world.admin().await;
    create(world, &ana, RIGHT).await;
    let mail = world.mail("welcome", RIGHT).await;
    assert_eq!(mail.subject, "Seu acesso ao portal está pronto");
    assert_eq!(mail.path(), "/login");
    assert!(mail.html.contains("Olá, João.") && mail.html.contains(RIGHT), "{}", mail.html);
    // Whoever reads it could be anybody.
    assert!(!mail.html.contains(PASSWORD));
    // A program of the office has its own words.
    world.create_user(json!({"email": "outra@cliente.com.br"})).await;
    assert_eq!(waiting(world).await, [one("welcome", RIGHT)]);
});

portal_test!(an_address_that_was_mistyped_is_corrected, async |world| {
    let ana = world.admin().await;
    let id = create(world, &ana, WRONG).await["id"].as_str().unwrap().to_owned();
    correct(world, &ana, &id, RIGHT).await;
    // Nothing of it concerns whoever reads at the wrong one.
    assert_eq!(waiting(world).await, [one("welcome", RIGHT), one("welcome", WRONG)]);
    world.try_sign_in(WRONG, PASSWORD).await.refused(400, "invalid_credentials");
    world.sign_in(RIGHT).await;
    let told = world.get("/rest/v1/activity?event=eq.account.changed").as_(&ana).send().await;
    assert_eq!(told.is(200).json()[0]["detail"]["columns"], json!(["email"]));
});

portal_test!(who_used_the_old_address_is_told_and_signs_in_anew, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    world.post("/rest/v1/tickets").as_(&joao).json(&ticket).send().await.is(201);
    correct(world, &ana, &joao.id, RIGHT).await;
    // What waited for them goes along.
    let expected = [
        one("email_changed", &joao.email),
        one("email_set", RIGHT),
        one("ticket_created_user", RIGHT),
    ];
    assert_eq!(waiting(world).await, expected);
    world.get("/auth/v1/user").as_(&joao).send().await.refused(403, "session_not_found");
    world.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    world.sign_in(RIGHT).await;

    // The same address again is no correction.
    correct(world, &ana, &joao.id, RIGHT).await;
    assert_eq!(waiting(world).await.len(), expected.len());
    // A taken one is refused, and nothing happens.
    let maria = world.client("maria").await;
    let taken = world.put(&format!("{USERS}/{}", joao.id)).as_(&ana);
    taken.json(&json!({"email": maria.email})).send().await.refused(422, "email_exists");
    assert_eq!(waiting(world).await.len(), expected.len());
});

portal_test!(who_was_invited_at_the_wrong_address_is_invited_anew, async |world| {
    let ana = world.admin().await;
    let body = json!({"email": WRONG, "data": {"full_name": "João"}});
    let user = world.post("/auth/v1/invite").as_(&ana).json(&body).send().await.is(200).json();
    let old = world.mail("invite", WRONG).await.token();
    correct(world, &ana, user["id"].as_str().unwrap(), RIGHT).await;
    let verify = |token: String| {
        world.post("/auth/v1/verify").json(&json!({"token_hash": token, "type": "invite"}))
    };
    verify(old).send().await.refused(403, "otp_expired");
    let mail = world.mail("invite", RIGHT).await;
    verify(mail.token()).send().await.is(200);
    assert_eq!(waiting(world).await, [one("invite", RIGHT), one("invite", WRONG)]);
});

portal_test!(what_waits_follows_a_change_of_ones_own, async |world| {
    let joao = world.client("joao").await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    world.post("/rest/v1/tickets").as_(&joao).json(&ticket).send().await.is(201);
    let change = world.put("/auth/v1/user").as_(&joao).json(&json!({"email": RIGHT}));
    change.send().await.is(200);
    for address in [&joao.email, RIGHT] {
        assert!(waiting(world).await.contains(&one("ticket_created_user", &joao.email)));
        let mail = world.mail("email_change", address).await;
        world.get(&mail.path()).without("apikey").send().await.is(303);
    }
    assert!(waiting(world).await.contains(&one("ticket_created_user", RIGHT)));
});
