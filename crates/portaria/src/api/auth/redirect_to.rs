//! Extractor for the requested target of a mailed link: the header or parameter `redirect_to`, or else the referer
//! (`docs/protocol/auth.md`, section 5.5).

use std::{convert::Infallible, sync::Arc};

use axum::{
    extract::FromRequestParts,
    http::{header::REFERER, request::Parts},
};

use crate::{accounts::redirect_to::Redirect, api::auth::extract::query_param, app::App};

const PARAMETER: &str = "redirect_to";

impl FromRequestParts<Arc<App>> for Redirect {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Infallible> {
        let header = |name: &str| {
            parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let requested = header(PARAMETER).or_else(|| query_param(parts.uri.query(), PARAMETER));
        let allowed = |text: String| Self::parse(&app.config, &text);
        let target = requested.and_then(allowed);
        Ok(target.or_else(|| header(REFERER.as_str()).and_then(allowed)).unwrap_or_default())
    }
}
