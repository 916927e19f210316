//! `GET /verify`: consumes the token of an opened link and redirects to a page, with the result in its address
//! (`docs/protocol/auth.md`, section 5.4).

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
};
use url::{Url, form_urlencoded};

use crate::{
    accounts::{
        confirmation::apply_token,
        one_time_token::{self, TokenPurpose},
        pkce,
        redirect_to::Redirect,
        session::{self, SessionTokens},
    },
    api::auth::{AuthError, extract::query_param, user_agent, verify::post},
};
use crate::{app::App, db::Tx, security::rate_limit::ClientAddr};

/// Result of an opened link.
enum VerifyOutcome {
    /// A session, and the `type` for the page.
    Session(SessionTokens, &'static str),
    /// A PKCE code.
    Code(String),
    /// An e-mail change waits for the confirmation of its other side.
    AwaitingOtherSide,
}

/// Returns 303, whether or not the token is valid.
///
/// # Errors
/// `validation_failed` for a malformed link; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AuthError> {
    app.limits.verify(origin)?;
    let param = |name| query_param(query.as_deref(), name);
    let kind = param("type");
    let kind = kind.ok_or_else(|| AuthError::validation("Verify requires a verification type"))?;
    let token = param("token").or_else(|| param("token_hash"));
    let token =
        token.ok_or_else(|| AuthError::validation("Verify requires a token or a token hash"))?;
    let purposes = TokenPurpose::of_type(&kind)
        .ok_or_else(|| AuthError::validation("Invalid email verification type"))?;

    let target = redirect.target(&app.config);
    let is_pkce = one_time_token::is_pkce(&token);
    let agent = user_agent(&headers);
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let consumed = one_time_token::consume(tx, app, &token, purposes)?;
        let consumed = consumed.ok_or_else(AuthError::link_expired)?;
        let Some(mut user) = apply_token(tx, app, &consumed)? else {
            return Ok(VerifyOutcome::AwaitingOtherSide);
        };
        Ok::<_, AuthError>(match &consumed.challenge {
            Some(challenge) => {
                VerifyOutcome::Code(pkce::issue(tx, app, user.id, consumed.purpose, challenge)?)
            }
            None => VerifyOutcome::Session(
                session::create_session(tx, app, &mut user, "otp", agent.as_deref())?,
                consumed.purpose.verification_type(),
            ),
        })
    };

    let outcome = app.write(write).await;
    see_other(&redirect_url(target, &outcome, is_pkce))
}

/// `HEAD /verify`: returns 200 and consumes nothing, for programs that inspect links in mails.
pub async fn head() -> StatusCode {
    StatusCode::OK
}

/// Adds the result to the target, in the form that the client library expects: keys in alphabetical order.
fn redirect_url(mut target: Url, outcome: &Result<VerifyOutcome, AuthError>, is_pkce: bool) -> Url {
    let params = match outcome {
        Ok(VerifyOutcome::Code(code)) => {
            with_query(&mut target, &[("code", code)]);
            return target;
        }
        Ok(VerifyOutcome::Session(tokens, kind)) => vec![
            ("access_token", tokens.access_token.clone()),
            ("expires_at", tokens.expires_at.to_string()),
            ("expires_in", tokens.expires_in.to_string()),
            ("refresh_token", tokens.refresh_token.clone()),
            ("sb", String::new()),
            ("token_type", "bearer".into()),
            ("type", (*kind).into()),
        ],
        Ok(VerifyOutcome::AwaitingOtherSide) => {
            vec![("message", post::OTHER_SIDE_PENDING.into()), ("sb", String::new())]
        }
        Err(failure) => {
            let (status, code, message) = failure.parts();
            let mut params =
                Vec::from_iter(oauth_error(status).map(|error| ("error", error.into())));
            params.extend([("error_code", code.into()), ("error_description", message.into())]);
            params.push(("sb", String::new()));
            params
        }
    };
    if is_pkce {
        // PKCE clients read the query.
        let query_params: Vec<_> = params
            .iter()
            .filter(|(name, _)| *name != "sb")
            .map(|(n, v)| (*n, v.as_str()))
            .collect();
        with_query(&mut target, &query_params);
    }

    let fragment = form_urlencoded::Serializer::new(String::new()).extend_pairs(params).finish();
    target.set_fragment(Some(&fragment));
    target
}

/// Adds query parameters, and replaces those of the same name.
fn with_query(target: &mut Url, added: &[(&str, &str)]) {
    let kept: Vec<(String, String)> = target
        .query_pairs()
        .filter(|(name, _)| !added.iter().any(|(other, _)| name == other))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    target.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(added);
}

/// Maps a status to an error code of OAuth 2.0 (RFC 6749, section 4.1.2.1).
fn oauth_error(status: StatusCode) -> Option<&'static str> {
    Some(match status {
        StatusCode::BAD_REQUEST => "invalid_request",
        StatusCode::UNAUTHORIZED => "unauthorized_client",
        StatusCode::FORBIDDEN => "access_denied",
        StatusCode::INTERNAL_SERVER_ERROR => "server_error",
        StatusCode::SERVICE_UNAVAILABLE => "temporarily_unavailable",
        _ => return None,
    })
}

fn see_other(redirect_url: &Url) -> Result<Response, AuthError> {
    let location = HeaderValue::from_str(redirect_url.as_str())
        .map_err(|_| AuthError::validation("The link leads nowhere"))?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response())
}
