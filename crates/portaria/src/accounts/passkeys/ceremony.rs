//! WebAuthn ceremonies. The crate `webauthn-rs` creates the options and verifies the answers; this module is the only
//! place that names it.

use std::{fmt::Display, time::Duration};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use url::Url;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Webauthn, WebauthnBuilder, WebauthnError,
};

use crate::{
    accounts::{passkeys::challenge::CHALLENGE_TTL, user::User},
    config::Config,
    db::Error,
    security::ids::UserId,
};

/// The portal as a relying party.
pub(crate) struct RelyingParty(Webauthn);

/// Public key, counter and flags of a credential.
#[derive(Debug, Clone)]
pub(crate) struct Credential(Passkey);

/// The options for the browser, and the state with which the answer is verified.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) options: Value,
    pub(crate) state: String,
}

/// Reasons to refuse an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The answer is malformed, for another challenge or origin, wrongly signed, or without user verification.
    Invalid,
    /// The signature counter did not advance: the credential may exist twice.
    CounterRegressed,
}

impl Credential {
    /// The id that the authenticator chose.
    pub(crate) fn id(&self) -> &[u8] {
        self.0.cred_id()
    }

    pub(crate) fn to_json(&self) -> Result<String, Error> {
        to_json(&self.0)
    }

    pub(crate) fn from_json(text: &str) -> Result<Self, Error> {
        from_json(text).map(Self)
    }
}

impl RelyingParty {
    /// Returns the relying party whose id is the host of `site_url`. Browsers accept no IP address as an id: `None`.
    pub(crate) fn new(config: &Config) -> Option<Self> {
        let origin = Url::parse(&config.site_url).ok()?;
        let builder = WebauthnBuilder::new(origin.domain()?, &origin).ok()?;
        let timeout = Duration::from_secs(CHALLENGE_TTL.as_secs().unsigned_abs());
        builder.rp_name(&config.product_name).timeout(timeout).build().ok().map(Self)
    }

    /// Begins the registration of a credential. With a `discoverable` credential a person signs in without naming an
    /// account.
    pub(crate) fn start_registration(
        &self,
        user: &User,
        registered: &[Credential],
        discoverable: bool,
    ) -> Result<Started, Error> {
        let exclude = registered.iter().map(|credential| credential.0.cred_id().clone()).collect();
        // A display name must not be empty.
        let name = Some(user.full_name()).filter(|name| !name.trim().is_empty());
        let name = name.unwrap_or(&user.email);
        let (response, state) = self
            .0
            .start_passkey_registration(user.id.0, &user.email, name, Some(exclude))
            .map_err(internal)?;
        let mut options = to_value(&response.public_key)?;
        let resident_key = if discoverable { "required" } else { "discouraged" };
        options["authenticatorSelection"]["residentKey"] = json!(resident_key);
        options["authenticatorSelection"]["requireResidentKey"] = json!(discoverable);
        Ok(Started { options, state: to_json(&state)? })
    }

    /// Completes a registration.
    pub(crate) fn finish_registration(
        &self,
        state: &str,
        answer: Value,
    ) -> Result<Result<Credential, Refused>, Error> {
        let state: PasskeyRegistration = from_json(state)?;
        let Ok(answer) = serde_json::from_value::<RegisterPublicKeyCredential>(answer) else {
            return Ok(Err(Refused::Invalid));
        };
        let result = self.0.finish_passkey_registration(&answer, &state);
        Ok(result.map(Credential).map_err(|error| refused(&error)))
    }

    /// Begins an authentication with one of the `allowed` credentials. An empty list permits any discoverable
    /// credential, for a person who is not known yet.
    pub(crate) fn start_authentication(&self, allowed: &[&Credential]) -> Result<Started, Error> {
        let (response, state) = self.0.start_discoverable_authentication().map_err(internal)?;
        let mut options = to_value(&response.public_key)?;
        let describe = |credential: &&Credential| json!({"type": "public-key", "id": BASE64.encode(credential.id())});
        options["allowCredentials"] = allowed.iter().map(describe).collect();
        Ok(Started { options, state: to_json(&state)? })
    }

    /// Completes an authentication with the credential that the answer names. Updates its counter and flags.
    pub(crate) fn finish_authentication(
        &self,
        state: &str,
        answer: &Assertion,
        credential: &mut Credential,
    ) -> Result<Result<(), Refused>, Error> {
        let state: DiscoverableAuthentication = from_json(state)?;
        let result = self.0.finish_discoverable_authentication_v2(&answer.0, state, &credential.0);
        let result = match result {
            Ok(result) if result.user_verified() => result,
            Ok(_) => return Ok(Err(Refused::Invalid)),
            Err(error) => return Ok(Err(refused(&error))),
        };
        Ok(credential.0.update_credential(&result).map(drop).ok_or(Refused::Invalid))
    }
}

/// The browser's answer to an authentication.
pub(crate) struct Assertion(PublicKeyCredential);

impl Assertion {
    pub(crate) fn parse(answer: Value) -> Option<Self> {
        serde_json::from_value(answer).ok().map(Self)
    }

    /// The id of the credential that signed.
    pub(crate) fn credential_id(&self) -> &[u8] {
        self.0.get_credential_id()
    }

    /// The person to whom the authenticator assigned the credential.
    pub(crate) fn user(&self) -> Option<UserId> {
        let handle = self.0.get_user_unique_id()?;
        uuid::Uuid::from_slice(handle).ok().map(UserId)
    }
}

fn refused(error: &WebauthnError) -> Refused {
    match error {
        WebauthnError::CredentialPossibleCompromise => Refused::CounterRegressed,
        _ => Refused::Invalid,
    }
}

fn internal(error: impl Display) -> Error {
    Error::Internal(format!("webauthn: {error}"))
}

fn to_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(internal)
}

fn to_value(value: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(internal)
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(internal)
}
