//! Authentication of a request: parses the bearer token into a [`Credential`], which `accounts/resolve.rs` resolves to a
//! caller.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::{
    app::App,
    db,
    security::{
        ids::{SessionId, UserId},
        keys::{Claims, Keys},
    },
};

/// Tolerated difference between the clocks of two machines, in seconds.
const LEEWAY: i64 = 30;

/// Lifetime of a session, regardless of its use (OWASP: absolute timeout).
pub const ABSOLUTE_TIMEOUT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Time without a refresh after which a session ends (OWASP: idle timeout).
pub const IDLE_TIMEOUT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Role in the token of an administrator who impersonates a client. Other servers of the protocol do not define it, so
/// the token passes neither as the client's nor as the administrator's.
pub const VIEWER: &str = "viewer";

/// Credential of a request, before it is resolved against the database.
#[derive(Debug, Clone)]
pub enum Credential {
    /// No bearer token. The request may still carry the public key as its API key.
    Nothing,
    /// The public key in the `Authorization` header.
    Anon,
    /// The service key.
    Service,
    /// An access token. Whether its session is still active is read from the database.
    Person {
        /// Subject of the token.
        user: UserId,
        /// Session of the token. A token that a program signed with the portal's secret has none.
        session: Option<SessionId>,
        /// Whether the account had the role `admin` when the token was issued. Whether it has it now is read from the
        /// database.
        was_admin: bool,
    },
    /// A token for impersonation (`docs/protocol/auth.md`, section 7.5).
    Viewer {
        /// The impersonating administrator.
        admin: UserId,
        /// The administrator's own session. The token expires with it.
        session: SessionId,
        /// The client whose data the viewer reads.
        client: UserId,
    },
    /// A token that could not be accepted.
    Invalid(TokenError),
}

/// Reasons to reject a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum TokenError {
    Missing,
    Malformed,
    Signature,
    Expired,
    NotYetValid,
    Audience,
    NoRole,
    NoSubject,
}

/// Reasons why a valid token grants no access at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionError {
    /// The session was signed out, revoked or has expired.
    SessionEnded,
    /// The account does not exist.
    UserNotFound,
    /// The account is banned.
    Banned,
    /// The session is active, but the user must verify an MFA factor first, or a member of the staff must enroll one.
    MfaRequired {
        /// Subject of the session.
        user: UserId,
        /// Whether the user has a verified factor.
        enrolled: bool,
    },
    /// The session is active, but the user must replace a password that the office set.
    PasswordChangeRequired {
        /// Subject of the session.
        user: UserId,
    },
}

/// Reasons why a credential resolves to no caller.
#[derive(Debug)]
pub enum AuthenticationError {
    /// The session grants no access.
    Session(SessionError),
    /// The database failed.
    Database(db::Error),
}

impl From<SessionError> for AuthenticationError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<db::Error> for AuthenticationError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

impl Credential {
    /// Parses a bearer token or an API key, as [`Credential::from_token`]. The signing key that it names may be one that
    /// this node does not know yet.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) async fn read(app: &App, token: &str) -> Result<Self, db::Error> {
        let now = app.clock.now();
        app.keys.signing_keys().load_for(token, &app.db, now).await?;
        Ok(Self::from_token(token, &app.keys, now))
    }

    /// Parses a bearer token or an API key. Verifies the signature and the times, and reads nothing from the database.
    #[must_use]
    pub fn from_token(token: &str, keys: &Keys, now: Timestamp) -> Self {
        if token == keys.anon {
            return Self::Anon;
        }
        if token == keys.service_role {
            return Self::Service;
        }
        if token.split('.').count() != 3 {
            return Self::Invalid(TokenError::Malformed);
        }
        let Ok(token) = keys.verify_token(token) else {
            return Self::Invalid(TokenError::Signature);
        };
        match Self::from_claims(&token.claims, now) {
            // Signing keys sign the tokens of sessions. With a stolen one a person invents neither the service key nor
            // a token without a session to check.
            Ok(Self::Anon | Self::Service | Self::Person { session: None, .. })
                if token.has_signing_key =>
            {
                Self::Invalid(TokenError::Signature)
            }
            Ok(credential) => credential,
            Err(error) => Self::Invalid(error),
        }
    }

    /// Returns the person who sends the request. The service key and the public key belong to no person.
    pub(crate) fn person(&self) -> Option<UserId> {
        match self {
            Self::Person { user, .. } => Some(*user),
            Self::Viewer { admin, .. } => Some(*admin),
            Self::Nothing | Self::Anon | Self::Service | Self::Invalid(_) => None,
        }
    }

    fn from_claims(claims: &Claims, now: Timestamp) -> Result<Self, TokenError> {
        let now = now.as_second();
        if claims.exp.is_some_and(|exp| exp.saturating_add(LEEWAY) <= now) {
            return Err(TokenError::Expired);
        }
        if [claims.nbf, claims.iat]
            .into_iter()
            .flatten()
            .any(|from| from.saturating_sub(LEEWAY) > now)
        {
            return Err(TokenError::NotYetValid);
        }
        let audience_is_valid = match &claims.aud {
            None | Some(Value::Null) => true,
            Some(Value::String(value)) => value == "authenticated",
            Some(Value::Array(values)) => values.iter().any(|value| value == "authenticated"),
            Some(_) => false,
        };
        match claims.role.as_deref() {
            Some("anon") => Ok(Self::Anon),
            Some("service_role" | "supabase_admin") => Ok(Self::Service),
            Some("authenticated") if !audience_is_valid => Err(TokenError::Audience),
            Some("authenticated") => {
                let user =
                    parse_id(claims.sub.as_deref()).ok().flatten().ok_or(TokenError::NoSubject)?;
                let session =
                    parse_id(claims.session_id.as_deref()).map_err(|_| TokenError::Malformed)?;
                Ok(Self::Person { user, session, was_admin: claims.was_admin() })
            }
            Some(VIEWER) => {
                let ids = (
                    parse_id(claims.sub.as_deref()),
                    parse_id(claims.session_id.as_deref()),
                    parse_id(claims.client_id.as_deref()),
                );
                let (Ok(Some(admin)), Ok(Some(session)), Ok(Some(client))) = ids else {
                    return Err(TokenError::NoSubject);
                };
                Ok(Self::Viewer { admin, session, client })
            }
            _ => Err(TokenError::NoRole),
        }
    }
}

/// The Unix time from which the token that decides the [`Credential`] of a request is refused; `None` if it does not
/// expire.
#[derive(Clone, Copy)]
pub struct CredentialExpiry(pub Option<i64>);

/// Returns the Unix time from which a token is refused; `None` for one that does not expire.
pub(crate) fn token_expiry(token: &str, keys: &Keys) -> Option<i64> {
    keys.verify_token(token).ok()?.claims.exp.map(|exp| exp.saturating_add(LEEWAY))
}

/// Parses the id in a claim. Returns `Ok(None)` for a missing claim.
fn parse_id<T: FromStr>(claim: Option<&str>) -> Result<Option<T>, T::Err> {
    claim.map(str::parse).transpose()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use crate::accounts::authenticate::{Credential, TokenError};
    use crate::security::keys::Keys;

    #[test]
    fn token_requires_role_subject_and_valid_times() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let second = now.as_second();
        let id = "019b7600-0000-7000-8000-000000000001";
        for (claims, expected) in [
            (json!({"role": "authenticated", "sub": id, "exp": second + 1}), None),
            (json!({"role": "authenticated", "sub": id, "exp": second - 29}), None),
            (
                json!({"role": "authenticated", "sub": id, "exp": second - 30}),
                Some(TokenError::Expired),
            ),
            (
                json!({"role": "authenticated", "sub": id, "nbf": second + 31}),
                Some(TokenError::NotYetValid),
            ),
            (
                json!({"role": "authenticated", "sub": id, "aud": "other"}),
                Some(TokenError::Audience),
            ),
            (json!({"role": "authenticated", "sub": "x"}), Some(TokenError::NoSubject)),
            (json!({"role": "authenticated"}), Some(TokenError::NoSubject)),
            (json!({"role": "root", "sub": id}), Some(TokenError::NoRole)),
            (json!({"sub": id}), Some(TokenError::NoRole)),
            (
                json!({"role": "authenticated", "sub": id, "exp": "soon"}),
                Some(TokenError::Signature),
            ),
        ] {
            let token = keys.sign_token(&claims);
            // The second pass reads the token cache.
            for _ in 0..2 {
                let error = match Credential::from_token(&token, &keys, now) {
                    Credential::Invalid(error) => Some(error),
                    _ => None,
                };
                assert_eq!(error, expected, "{claims}");
            }
        }
        assert!(matches!(
            Credential::from_token(&keys.service_role, &keys, now),
            Credential::Service
        ));
        assert!(matches!(
            Credential::from_token("a.b", &keys, now),
            Credential::Invalid(TokenError::Malformed)
        ));
    }

    #[test]
    fn cached_token_is_checked_for_expiry_and_signature() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let claims = json!({
            "role": "authenticated", "sub": "019b7600-0000-7000-8000-000000000001", "exp": now.as_second() + 60,
        });
        let token = keys.sign_token(&claims);
        let parse_at = |now| Credential::from_token(&token, &keys, now);
        assert!(matches!(parse_at(now), Credential::Person { .. }));
        let later = now + SignedDuration::from_secs(60 + 30);
        assert!(matches!(parse_at(later), Credential::Invalid(TokenError::Expired)));
        assert!(matches!(parse_at(now), Credential::Person { .. }));
        // The same claims with another signature are another token.
        let (head, _) = token.rsplit_once('.').unwrap();
        let other = Keys::from_secret("another secret of thirty-two bytes").sign_token(&claims);
        let forged = format!("{head}.{}", other.rsplit_once('.').unwrap().1);
        let forged = Credential::from_token(&forged, &keys, now);
        assert!(matches!(forged, Credential::Invalid(TokenError::Signature)));
    }
}
