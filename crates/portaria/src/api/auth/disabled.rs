//! Features of the protocol that the portal does not offer. Their endpoints answer like GoTrue where these features are
//! off (`docs/protocol/auth.md`, section 9).

use std::sync::Arc;

use axum::{Extension, extract::State, http::StatusCode};

use crate::{
    accounts::authenticate::Credential,
    api::auth::{AuthError, require_user, require_user_admin},
    app::App,
};

/// `GET /authorize`: the sign-in at another provider. A browser opens it without an API key.
pub async fn external_provider() -> AuthError {
    AuthError::validation("Unsupported provider: provider is not enabled")
}

/// `/sso`: SAML.
pub async fn saml() -> AuthError {
    saml_disabled()
}

/// `/oauth`, and the metadata of the authorization server (RFC 8414).
pub async fn oauth_server() -> AuthError {
    oauth_server_disabled()
}

/// `/user/identities`: linked identities.
pub async fn identities(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> AuthError {
    let refusal = disabled("manual_linking_disabled", "Manual linking is disabled");
    refuse_user(app, credential, refusal).await
}

/// `/user/oauth/grants`: programs that a person authorized.
pub async fn oauth_grants(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> AuthError {
    refuse_user(app, credential, oauth_server_disabled()).await
}

/// `/admin/sso/providers`: SAML providers.
pub async fn saml_providers(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> AuthError {
    refuse_admin(app, credential, saml_disabled()).await
}

/// `/admin/oauth/clients`: programs that the authorization server knows.
pub async fn oauth_clients(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> AuthError {
    refuse_admin(app, credential, oauth_server_disabled()).await
}

/// `/admin/custom-providers`: OAuth providers.
pub async fn custom_providers(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> AuthError {
    let refusal = disabled("feature_disabled", "Custom OAuth providers are disabled");
    refuse_admin(app, credential, refusal).await
}

/// Answers `refusal` to a signed-in person, and to every other caller what is missing.
async fn refuse_user(app: Arc<App>, credential: Credential, refusal: AuthError) -> AuthError {
    let user = app.read(move |tx, app| require_user(tx, app, &credential)).await;
    user.err().unwrap_or(refusal)
}

/// Answers `refusal` to a caller who may manage accounts, and `not_admin` to every other one.
async fn refuse_admin(app: Arc<App>, credential: Credential, refusal: AuthError) -> AuthError {
    let caller = app.read(move |tx, app| require_user_admin(tx, app, &credential)).await;
    caller.err().unwrap_or(refusal)
}

fn saml_disabled() -> AuthError {
    disabled("saml_provider_disabled", "SAML 2.0 is disabled")
}

fn oauth_server_disabled() -> AuthError {
    disabled("feature_disabled", "OAuth server is disabled")
}

fn disabled(code: &'static str, message: &str) -> AuthError {
    AuthError::new(StatusCode::NOT_FOUND, code, message)
}
