//! The link in a notice that ends such notices, without a sign-in.
//!
//! It says whose they are and which, signed by a key of its own. It holds nothing secret, opens nothing but the page
//! that ends them, and is good for ever: people look for it in old mails.

use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::{app::App, security::keys::HmacKey};

/// What can be turned off, as people call it. What concerns an account cannot be.
pub const TOPICS: [(&str, &str); 3] = [
    ("documents", "novos documentos"),
    ("expiries", "vencimentos de documentos"),
    ("tickets", "tickets"),
];

/// Half of an HMAC-SHA-256: more than anybody can try.
const TAG: usize = 32;

/// The address at which a person ends the notices of a topic.
#[must_use]
pub fn link(app: &App, user_id: &str, topic: &str) -> String {
    let token = token(app.keys.unsubscribe(), user_id, topic);
    format!("{}/cancelar-avisos/{token}", app.config.site_url)
}

/// Whose notices of which topic a token is about; `None` for any text that this portal did not sign.
#[must_use]
pub fn read(app: &App, text: &str) -> Option<(Uuid, &'static str)> {
    let (topic, rest) = text.split_once('.')?;
    let (user, _) = rest.split_once('.')?;
    let user = Uuid::parse_str(user).ok()?;
    let (topic, _) = TOPICS.into_iter().find(|(name, _)| *name == topic)?;
    let ours = token(app.keys.unsubscribe(), &user.to_string(), topic);
    bool::from(ours.as_bytes().ct_eq(text.as_bytes())).then_some((user, topic))
}

fn token(seal: HmacKey, user: &str, topic: &str) -> String {
    let said = format!("{topic}.{user}");
    let hash = seal.sha256_hex(&said);
    format!("{said}.{}", hash.get(..TAG).unwrap_or(&hash))
}
