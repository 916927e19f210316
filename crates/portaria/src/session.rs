//! From a bearer token to a [`Caller`]: what a token says, and whether its session still stands.

use std::{collections::HashMap, sync::Mutex};

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, IntoColumnRef, JoinType, Query};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::{
    clock::stamp,
    db::{self, Tx},
    keys::Keys,
    policy::Caller,
};

/// How far two machines' clocks may differ. Seconds.
const LEEWAY: i64 = 30;

/// A session ends so long after it began, however busy.
pub const TIMEBOX: SignedDuration = SignedDuration::from_hours(30 * 24);
/// A session ends when it was not refreshed for so long.
pub const INACTIVITY: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The claims of an access token that we read (RFC 7519 and the contract name them); the others are for the client
/// library.
#[derive(Debug, Deserialize)]
struct Claims {
    sub: Option<String>,
    aud: Option<Value>,
    exp: Option<i64>,
    iat: Option<i64>,
    nbf: Option<i64>,
    role: Option<String>,
    session_id: Option<String>,
}

/// So many tokens are remembered at most.
const KNOWN: usize = 10_000;

/// The claims of tokens whose signature was found right, by the tokens' hash: the same token comes with each of a
/// person's requests. Only that the portal signed it is remembered, which never changes; what it is worth now, by its
/// times and its session, is asked with every request.
#[derive(Debug, Default)]
pub struct Known(Mutex<HashMap<[u8; 32], Claims>>);

/// What a request showed for itself.
#[derive(Debug, Clone)]
pub enum Credential {
    /// Nothing but, at most, the public key beside the request.
    Nothing,
    /// The public key in the place of a token.
    Anon,
    /// The office's own key.
    Service,
    /// The token of a signed-in person; whether it still stands is asked of the database.
    Person {
        /// Whose it is.
        user: Uuid,
        /// The session that it was issued for; a token minted by the office's own programs has none.
        session: Option<Uuid>,
    },
    /// A token that proves nothing.
    Invalid(Invalid),
}

/// Why a token proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Invalid {
    Malformed,
    Signature,
    Expired,
    NotYetValid,
    Audience,
    NoRole,
    NoSubject,
}

/// The session is over, or the person is gone or banned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Signed out, revoked or expired.
    Session,
    /// The account no longer exists.
    User,
    /// The account is banned.
    Banned,
}

impl Credential {
    /// Reads a bearer token (or API key).
    #[must_use]
    pub fn from_token(token: &str, keys: &Keys, known: &Known, now: Timestamp) -> Self {
        if token == keys.anon {
            return Self::Anon;
        }
        if token == keys.service_role {
            return Self::Service;
        }
        if token.split('.').count() != 3 {
            return Self::Invalid(Invalid::Malformed);
        }
        known.credential(token, keys, now).unwrap_or_else(Self::Invalid)
    }

    /// Who that is at this moment: roles and sessions are read from the database, never from the token.
    ///
    /// # Errors
    /// [`Ended`] inside, the database's own error outside.
    pub fn caller(
        &self,
        tx: &mut Tx<'_>,
        now: Timestamp,
    ) -> Result<Result<Caller, Ended>, db::Error> {
        let (user, session) = match self {
            Self::Nothing | Self::Anon | Self::Invalid(_) => return Ok(Ok(Caller::Anon)),
            Self::Service => return Ok(Ok(Caller::Service)),
            Self::Person { user, session } => (user, session),
        };
        let mut query = Query::select();
        query.columns([("users", "is_admin"), ("users", "banned_until")]).from("users");
        query.and_where(Expr::col(("users", "id").into_column_ref()).eq(user.to_string()));
        if let Some(session) = session {
            // A left join tells a signed-out session from a deleted account in one statement.
            query.column(("sessions", "id"));
            query.join(
                JoinType::LeftJoin,
                "sessions",
                Expr::col(("sessions", "user_id").into_column_ref())
                    .equals(("users", "id"))
                    .and(Expr::col(("sessions", "id").into_column_ref()).eq(session.to_string())),
            );
        }
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else {
            // A token without a session was minted with the portal's secret: its subject need not have an account.
            return Ok(if session.is_none() {
                Ok(Caller::Client(*user))
            } else {
                Err(Ended::User)
            });
        };
        if session.is_some() && row.opt_text(2)?.is_none() {
            return Ok(Err(Ended::Session));
        }
        if row.opt_text(1)?.is_some_and(|until| until > stamp(now).as_str()) {
            return Ok(Err(Ended::Banned));
        }
        Ok(Ok(if row.bool(0)? { Caller::Admin(*user) } else { Caller::Client(*user) }))
    }
}

impl Known {
    fn credential(&self, token: &str, keys: &Keys, now: Timestamp) -> Result<Credential, Invalid> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let known = || self.0.lock().expect("nobody panics while they hold it");
        if let Some(claims) = known().get(&hash) {
            return claims.credential(now);
        }
        let claims: Claims = keys.verify_token(token).map_err(|_| Invalid::Signature)?;
        let credential = claims.credential(now)?;
        let mut known = known();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(hash, claims);
        Ok(credential)
    }
}

impl Claims {
    fn credential(&self, now: Timestamp) -> Result<Credential, Invalid> {
        let now = now.as_second();
        if self.exp.is_some_and(|exp| exp.saturating_add(LEEWAY) <= now) {
            return Err(Invalid::Expired);
        }
        if [self.nbf, self.iat].into_iter().flatten().any(|from| from.saturating_sub(LEEWAY) > now)
        {
            return Err(Invalid::NotYetValid);
        }
        let audience = match &self.aud {
            None | Some(Value::Null) => true,
            Some(Value::String(one)) => one == "authenticated",
            Some(Value::Array(many)) => many.iter().any(|one| one == "authenticated"),
            Some(_) => false,
        };
        match self.role.as_deref() {
            Some("anon") => Ok(Credential::Anon),
            Some("service_role" | "supabase_admin") => Ok(Credential::Service),
            Some("authenticated") if !audience => Err(Invalid::Audience),
            Some("authenticated") => {
                let id = |text: &Option<String>| text.as_deref().map(Uuid::parse_str).transpose();
                let user = id(&self.sub).ok().flatten().ok_or(Invalid::NoSubject)?;
                let session = id(&self.session_id).map_err(|_| Invalid::Malformed)?;
                Ok(Credential::Person { user, session })
            }
            _ => Err(Invalid::NoRole),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use super::{Credential, Invalid, Known};
    use crate::keys::Keys;

    #[test]
    fn a_token_counts_only_with_role_subject_and_time() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let second = now.as_second();
        let id = "019b7600-0000-7000-8000-000000000001";
        for (claims, expected) in [
            (json!({"role": "authenticated", "sub": id, "exp": second + 1}), None),
            (json!({"role": "authenticated", "sub": id, "exp": second - 29}), None),
            (
                json!({"role": "authenticated", "sub": id, "exp": second - 30}),
                Some(Invalid::Expired),
            ),
            (
                json!({"role": "authenticated", "sub": id, "nbf": second + 31}),
                Some(Invalid::NotYetValid),
            ),
            (json!({"role": "authenticated", "sub": id, "aud": "other"}), Some(Invalid::Audience)),
            (json!({"role": "authenticated", "sub": "x"}), Some(Invalid::NoSubject)),
            (json!({"role": "authenticated"}), Some(Invalid::NoSubject)),
            (json!({"role": "root", "sub": id}), Some(Invalid::NoRole)),
            (json!({"sub": id}), Some(Invalid::NoRole)),
            (json!({"role": "authenticated", "sub": id, "exp": "soon"}), Some(Invalid::Signature)),
        ] {
            let (token, known) = (keys.sign_token(&claims), Known::default());
            // The second time it is known.
            for _ in 0..2 {
                let found = match Credential::from_token(&token, &keys, &known, now) {
                    Credential::Invalid(why) => Some(why),
                    _ => None,
                };
                assert_eq!(found, expected, "{claims}");
            }
        }
        assert!(matches!(
            Credential::from_token(&keys.service_role, &keys, &Known::default(), now),
            Credential::Service
        ));
        assert!(matches!(
            Credential::from_token("a.b", &keys, &Known::default(), now),
            Credential::Invalid(Invalid::Malformed)
        ));
    }

    #[test]
    fn a_known_token_is_worth_what_it_is_worth_now() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let claims = json!({
            "role": "authenticated", "sub": "019b7600-0000-7000-8000-000000000001", "exp": now.as_second() + 60,
        });
        let (token, known) = (keys.sign_token(&claims), Known::default());
        let at = |now| Credential::from_token(&token, &keys, &known, now);
        assert!(matches!(at(now), Credential::Person { .. }));
        let later = now + SignedDuration::from_secs(60 + 30);
        assert!(matches!(at(later), Credential::Invalid(Invalid::Expired)));
        assert!(matches!(at(now), Credential::Person { .. }));
        // Another signature makes it another token.
        let (head, _) = token.rsplit_once('.').unwrap();
        let other = Keys::from_secret("another secret of thirty-two bytes").sign_token(&claims);
        let forged = format!("{head}.{}", other.rsplit_once('.').unwrap().1);
        let forged = Credential::from_token(&forged, &keys, &known, now);
        assert!(matches!(forged, Credential::Invalid(Invalid::Signature)));
    }
}
