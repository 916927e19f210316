//! Tokens of signed URLs.
//!
//! A token names its issuer, whose permission, session and password are checked when the URL is used, and the client
//! whose document it opens. A document that was deleted or withdrawn is therefore unreachable through older URLs, and
//! so is every file after a sign-out (`docs/decisions/0014-signed-urls-check-their-issuer.md`).

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::api::storage::{
    StorageError, extract::ObjectPath, images::transform::Transform, signed_url::issuer::Issuer,
};
use crate::{app::App, security::ids::UserId};

/// Maximum lifetime of a download URL that a person signs. Seconds.
const PERSON_DOWNLOAD_LIFETIME: i64 = 3600;
/// Maximum lifetime of a download URL that a program with the service key signs. Seconds.
const PROGRAM_DOWNLOAD_LIFETIME: i64 = 7 * 24 * 3600;
/// Lifetime of an upload URL, which the client library documents. Seconds.
const UPLOAD_LIFETIME: i64 = 2 * 3600;

/// Purpose of a signed URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    Download,
    Upload,
}

/// Claims of a signed URL. `iat` and `exp` are Unix seconds.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SignedUrlToken {
    url: String,
    scope: Scope,
    #[serde(flatten)]
    issuer: Issuer,
    /// Client whose document the file belongs to, if any.
    #[serde(default)]
    owner: Option<UserId>,
    iat: i64,
    /// The exact time of the signature. Tokens of earlier releases have only `iat`.
    #[serde(default)]
    signed_at: Option<Timestamp>,
    exp: i64,
    /// Whether an upload may replace an existing file.
    #[serde(default)]
    upsert: bool,
    /// Transformation of the image that a download shows.
    #[serde(default, skip_serializing_if = "Transform::is_identity")]
    transform: Transform,
}

impl SignedUrlToken {
    /// Builds a token for the download of a file. It is valid for `life` seconds, at most an hour for a person and a
    /// week for a program.
    pub(crate) fn download(
        app: &App,
        issuer: Issuer,
        path: &ObjectPath,
        owner: Option<UserId>,
        life: i64,
    ) -> Self {
        Self { owner, ..Self::new(app, issuer, path, Scope::Download, life) }
    }

    /// Restricts a download to a transformed image.
    pub(crate) fn with_transform(self, transform: Transform) -> Self {
        Self { transform, ..self }
    }

    /// Builds a token for an upload, which may replace an existing file if `upsert` is true.
    pub(crate) fn upload(app: &App, issuer: Issuer, path: &ObjectPath, upsert: bool) -> Self {
        Self { upsert, ..Self::new(app, issuer, path, Scope::Upload, UPLOAD_LIFETIME) }
    }

    fn new(app: &App, issuer: Issuer, path: &ObjectPath, scope: Scope, life: i64) -> Self {
        let now = app.clock.now();
        let iat = now.as_second();
        let url = format!("{}/{}", path.bucket, path.name);
        let exp = iat.saturating_add(life.min(max_lifetime(scope, issuer)));
        Self {
            url,
            scope,
            issuer,
            owner: None,
            iat,
            signed_at: Some(now),
            exp,
            upsert: false,
            transform: Transform::default(),
        }
    }

    /// Signs the token. Returns the URL relative to `/storage/v1`, and the token.
    pub(crate) fn sign(&self, app: &App) -> (String, String) {
        let token = app.keys.sign_link(self);
        let route = match self.scope {
            Scope::Download if self.transform.is_identity() => "object/sign",
            Scope::Download => "render/image/sign",
            Scope::Upload => "object/upload/sign",
        };
        (format!("/{route}/{}?token={token}", self.url), token)
    }

    /// Verifies the token of a request for a file.
    ///
    /// # Errors
    /// `InvalidRequest` without a token; `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is
    /// for another file or purpose.
    pub(crate) fn read(
        app: &App,
        token: Option<&str>,
        path: &ObjectPath,
        scope: Scope,
    ) -> Result<Self, StorageError> {
        let missing = "querystring must have required property 'token'";
        let token = token.ok_or_else(|| StorageError::invalid_request(missing))?;
        let claims = Self::verify(app, Some(token), scope)?;
        claims.check_path(&path.bucket, &path.name)?;
        Ok(claims)
    }

    /// Verifies a token before its file is known. The caller checks the file with [`Self::check_path`].
    ///
    /// # Errors
    /// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another purpose.
    pub(crate) fn verify(
        app: &App,
        token: Option<&str>,
        scope: Scope,
    ) -> Result<Self, StorageError> {
        let claims: Self = app
            .keys
            .verify_link(token.unwrap_or_default())
            .map_err(|_| StorageError::invalid_url_token("signature verification failed"))?;
        // Earlier releases signed URLs for a longer time.
        let latest = claims.iat.saturating_add(max_lifetime(claims.scope, claims.issuer));
        if claims.exp.min(latest) <= app.clock.now().as_second() {
            return Err(StorageError::url_token_expired());
        }
        if claims.scope != scope {
            let message = match scope {
                Scope::Download => "Token is not scoped for download",
                Scope::Upload => "Token is not scoped for upload",
            };
            return Err(StorageError::invalid_signature(message));
        }
        Ok(claims)
    }

    /// Checks that the token is for this file.
    ///
    /// # Errors
    /// `InvalidSignature`.
    pub(crate) fn check_path(&self, bucket: &str, name: &str) -> Result<(), StorageError> {
        if self.url == format!("{bucket}/{name}") {
            return Ok(());
        }
        Err(StorageError::invalid_signature("Invalid signature"))
    }

    /// Returns the issuer.
    pub(crate) fn issuer(&self) -> Issuer {
        self.issuer
    }

    /// Returns the transformation of the image that a download shows.
    pub(crate) fn transform(&self) -> &Transform {
        &self.transform
    }

    /// Returns the time of the signature.
    pub(crate) fn signed_at(&self) -> Timestamp {
        let iat = || Timestamp::from_second(self.iat).unwrap_or(Timestamp::MIN);
        self.signed_at.unwrap_or_else(iat)
    }

    /// Returns the client whose document the file belonged to when the URL was signed.
    pub(crate) fn owner(&self) -> Option<UserId> {
        self.owner
    }

    /// Expiry in Unix seconds.
    pub(crate) fn exp(&self) -> i64 {
        self.exp
    }

    /// Whether an upload may replace an existing file.
    pub(crate) fn upsert(&self) -> bool {
        self.upsert
    }
}

/// Maximum lifetime of a URL, in seconds.
fn max_lifetime(scope: Scope, issuer: Issuer) -> i64 {
    match scope {
        Scope::Upload => UPLOAD_LIFETIME,
        Scope::Download if issuer.is_program() => PROGRAM_DOWNLOAD_LIFETIME,
        Scope::Download => PERSON_DOWNLOAD_LIFETIME,
    }
}
