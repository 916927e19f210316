//! `POST /verify`: exchanges the token of a link, or a mailed code, for a session.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{
        confirmation::apply_token,
        one_time_token::{self, TokenPurpose},
        session, validation,
    },
    api::auth::{AuthError, extract::Json, token::session_response, user_agent},
};
use crate::{app::App, security::rate_limit::ClientAddr};

/// Message while an e-mail change waits for the confirmation of its other side.
pub(crate) const OTHER_SIDE_PENDING: &str =
    "Confirmation link accepted. Please proceed to confirm link sent to the other email";

/// Request body: either the token of a link, or a code and the address that it was mailed to.
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

enum VerificationProof {
    Token(String),
    Code { email: String, code: String },
}

/// Returns a session. The token is consumed and its address is confirmed.
///
/// # Errors
/// `otp_expired` alike for a token that is wrong, consumed, replaced or expired.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.verify(origin)?;
    let kind = body.kind.clone().filter(|kind| !kind.is_empty());
    let kind = kind.ok_or_else(|| AuthError::validation("Verify requires a verification type"))?;
    let proof = body.proof()?;
    let purposes = TokenPurpose::of_type(&kind)
        .ok_or_else(|| AuthError::validation("Unsupported verification type"))?;

    let agent = user_agent(&headers);
    app.write(move |tx, app| {
        let (consumed, refused) = match &proof {
            VerificationProof::Token(token) => {
                (one_time_token::consume(tx, app, token, purposes)?, AuthError::link_expired())
            }
            VerificationProof::Code { email, code } => (
                one_time_token::consume_code(tx, app, email, code, purposes)?,
                AuthError::code_expired(),
            ),
        };
        // The transaction must commit, because it recorded the failure.
        let Some(consumed) = consumed else { return Ok::<_, AuthError>(Err(refused)) };
        Ok(Ok(match apply_token(tx, app, &consumed)? {
            Some(mut user) => {
                let tokens = session::create_session(tx, app, &mut user, "otp", agent.as_deref())?;
                session_response(tx, &user, &tokens)?
            }
            None => json!({"msg": OTHER_SIDE_PENDING, "code": "200"}),
        }))
    })
    .await?
    .map(Answer)
}

impl Body {
    fn proof(self) -> Result<VerificationProof, AuthError> {
        let non_empty = |field: Option<String>| field.filter(|text| !text.is_empty());
        match (
            non_empty(self.token_hash),
            non_empty(self.token),
            non_empty(self.email),
            non_empty(self.phone),
        ) {
            (Some(token), None, None, None) => Ok(VerificationProof::Token(token)),
            (Some(_), None, _, _) => {
                Err(AuthError::validation("Only the token_hash and type should be provided"))
            }
            (None, Some(code), Some(email), None) => {
                let email = validation::email(&email).map_err(|_| {
                    AuthError::unprocessable("validation_failed", "Invalid email format")
                })?;
                Ok(VerificationProof::Code { email, code })
            }
            (None, Some(_), None, Some(phone)) => {
                validation::phone(&phone)?;
                // Codes are never sent by phone.
                Err(AuthError::code_expired())
            }
            (None, Some(_), _, _) => Err(AuthError::validation(
                "Only an email address or phone number should be provided on verify",
            )),
            _ => Err(AuthError::validation("Verify requires either a token or a token hash")),
        }
    }
}
