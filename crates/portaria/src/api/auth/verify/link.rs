//! `GET /verify`: a mailed link is opened. It goes on to a page, which learns from its own address how it went.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, StatusCode, header::LOCATION},
    response::{IntoResponse, Response},
};
use serde_json::Value;
use url::{Url, form_urlencoded};

use crate::{
    accounts::{
        confirmation::confirm,
        one_time_token::{self, TokenPurpose},
        pkce, session,
    },
    api::auth::{AuthError, query, redirect_to::Redirect, user_agent, verify::post},
};
use crate::{app::App, db::Tx, security::rate_limit::ClientAddr};

/// How it went.
enum Opened {
    /// A session, and the `type` that the page must hear.
    Session(Value, &'static str),
    /// A code that the asking program trades for a session.
    Code(String),
    /// The other half of a change of address is still missing.
    Half,
}

/// Answers 303, whatever happens to the token.
///
/// # Errors
/// `validation_failed` for what is no such link; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, AuthError> {
    app.limits.verify(origin)?;
    let param = |name| query::param(query.as_deref(), name);
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
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let spent = one_time_token::consume(tx, &inner, &token, purposes)?;
        let spent = spent.ok_or_else(AuthError::link_expired)?;
        let Some(mut user) = confirm(tx, &inner, &spent)? else { return Ok(Opened::Half) };
        Ok::<_, AuthError>(match &spent.challenge {
            Some(challenge) => {
                Opened::Code(pkce::issue(tx, &inner, user.id, spent.purpose, challenge)?)
            }
            None => Opened::Session(
                session::create_session(tx, &inner, &mut user, "otp", agent.as_deref())?,
                spent.purpose.verification_type(),
            ),
        })
    };
    let opened = app.db.write(write).await;
    see_other(&address(target, &opened, is_pkce))
}

/// `HEAD /verify`: programs that look at links in mails spend nothing.
pub async fn look() -> StatusCode {
    StatusCode::OK
}

/// The page's address with the news, as the client library reads it: keys in alphabetical order.
fn address(mut target: Url, opened: &Result<Opened, AuthError>, is_pkce: bool) -> Url {
    let news = match opened {
        Ok(Opened::Code(code)) => {
            with_query(&mut target, &[("code", code)]);
            return target;
        }
        Ok(Opened::Session(session, kind)) => {
            let text = |name: &str| match &session[name] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let mut news: Vec<_> = ["access_token", "expires_at", "expires_in", "refresh_token"]
                .map(|name| (name, text(name)))
                .into();
            news.extend([
                ("sb", String::new()),
                ("token_type", "bearer".into()),
                ("type", (*kind).into()),
            ]);
            news
        }
        Ok(Opened::Half) => vec![("message", post::HALF.into()), ("sb", String::new())],
        Err(refused) => {
            let (status, code, message) = refused.parts();
            let mut news = Vec::from_iter(oauth_error(status).map(|error| ("error", error.into())));
            news.extend([("error_code", code.into()), ("error_description", message.into())]);
            news.push(("sb", String::new()));
            news
        }
    };
    if is_pkce {
        // Such programs read the query.
        let shown: Vec<_> =
            news.iter().filter(|(name, _)| *name != "sb").map(|(n, v)| (*n, v.as_str())).collect();
        with_query(&mut target, &shown);
    }
    let fragment = form_urlencoded::Serializer::new(String::new()).extend_pairs(news).finish();
    target.set_fragment(Some(&fragment));
    target
}

/// Adds parameters to those that the address has, in place of those of the same name.
fn with_query(target: &mut Url, added: &[(&str, &str)]) {
    let kept: Vec<(String, String)> = target
        .query_pairs()
        .filter(|(name, _)| !added.iter().any(|(other, _)| name == other))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    target.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(added);
}

/// OAuth's word for a status.
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

fn see_other(address: &Url) -> Result<Response, AuthError> {
    let location = HeaderValue::from_str(address.as_str())
        .map_err(|_| AuthError::validation("The link leads nowhere"))?;
    Ok((StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response())
}
