//! Unsubscribe tokens: the signed part of the link in a notification that ends notifications of its topic without a
//! sign-in (RFC 8058).
//!
//! A token names an account and a topic, signed with a key of its own. It contains no secret, permits nothing else, and
//! does not expire, because people search for the link in old mails.

use subtle::ConstantTimeEq;

use crate::{
    app::App,
    security::{ids::UserId, keys::HmacKey},
};

/// The topics that a recipient can mute, with their names in mails. Account mails have no topic.
pub const TOPICS: [(&str, &str); 4] = [
    ("documents", "novos documentos"),
    ("expiries", "vencimentos de documentos"),
    ("tickets", "tickets"),
    ("requests", "solicitações"),
];

/// Length of the signature in hexadecimal digits: 128 bits of an HMAC-SHA-256.
const TAG_HEX_DIGITS: usize = 32;

/// Returns the URL at which a recipient ends the notifications of a topic.
#[must_use]
pub fn link(app: &App, user_id: UserId, topic: &str) -> String {
    let token = token(app.keys.unsubscribe(), user_id, topic);
    format!("{}/cancelar-avisos/{token}", app.config.site_url)
}

/// Returns the account and the topic of a token, or `None` for a text that this portal did not sign.
#[must_use]
pub fn verify(app: &App, text: &str) -> Option<(UserId, &'static str)> {
    let (topic, rest) = text.split_once('.')?;
    let (user, _) = rest.split_once('.')?;
    let user: UserId = user.parse().ok()?;
    let (topic, _) = TOPICS.into_iter().find(|(name, _)| *name == topic)?;
    let expected = token(app.keys.unsubscribe(), user, topic);
    bool::from(expected.as_bytes().ct_eq(text.as_bytes())).then_some((user, topic))
}

fn token(key: HmacKey, user: UserId, topic: &str) -> String {
    let payload = format!("{topic}.{user}");
    let hash = key.hmac_hex(&payload);
    format!("{payload}.{}", hash.get(..TAG_HEX_DIGITS).unwrap_or(&hash))
}
