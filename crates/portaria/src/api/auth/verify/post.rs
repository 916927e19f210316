//! `POST /verify`: exchange the token of a mailed link, or the code beside it, for a session.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{
        confirmation::confirm,
        one_time_token::{self, TokenPurpose},
        session, validation,
    },
    api::auth::{AuthError, extract::Json, user_agent},
};
use crate::{app::App, db::Tx, security::rate_limit::ClientAddr};

/// Said when a change of address waits for its other half.
pub(crate) const HALF: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// Either a token from a link, or a code and the address that it was mailed to.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    token_hash: Option<String>,
    #[serde(default)]
    token: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
}

enum Given {
    Token(String),
    Code { email: String, code: String },
}

/// Answers with a session. The token is spent, and the address it was mailed to is proved.
///
/// # Errors
/// `otp_expired` for what is wrong, spent, replaced or too old, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.verify(origin)?;
    let kind = body.kind.clone().filter(|kind| !kind.is_empty());
    let kind = kind.ok_or_else(|| AuthError::validation("Verify requires a verification type"))?;
    let given = body.given()?;
    let purposes = TokenPurpose::of_type(&kind)
        .ok_or_else(|| AuthError::validation("Invalid email verification type"))?;
    let agent = user_agent(&headers);
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let (spent, refused) = match &given {
            Given::Token(token) => {
                (one_time_token::consume(tx, &inner, token, purposes)?, AuthError::link_expired())
            }
            Given::Code { email, code } => (
                one_time_token::consume_code(tx, &inner, email, code, purposes)?,
                AuthError::code_expired(),
            ),
        };
        // That a wrong code was tried must be kept.
        let Some(spent) = spent else { return Ok::<_, AuthError>(Err(refused)) };
        Ok(Ok(match confirm(tx, &inner, &spent)? {
            Some(mut user) => {
                session::create_session(tx, &inner, &mut user, "otp", agent.as_deref())?
            }
            None => json!({"msg": HALF, "code": "200"}),
        }))
    };
    app.db.write(write).await?.map(Answer)
}

impl Body {
    fn given(self) -> Result<Given, AuthError> {
        let given = |field: Option<String>| field.filter(|text| !text.is_empty());
        match (given(self.token_hash), given(self.token), given(self.email), given(self.phone)) {
            (Some(token), None, None, None) => Ok(Given::Token(token)),
            (Some(_), None, _, _) => {
                Err(AuthError::validation("Only the token_hash and type should be provided"))
            }
            (None, Some(code), Some(email), None) => {
                Ok(Given::Code { email: validation::email(&email)?, code })
            }
            (None, Some(_), None, Some(phone)) => {
                validation::phone(&phone)?;
                // Nobody is ever sent a code by phone.
                Err(AuthError::code_expired())
            }
            (None, Some(_), _, _) => Err(AuthError::validation(
                "Only an email address or phone number should be provided on verify",
            )),
            _ => Err(AuthError::validation("Verify requires either a token or a token hash")),
        }
    }
}
