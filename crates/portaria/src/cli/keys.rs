//! The command `portaria keys`. The doc comments of the arguments are the help texts.

use std::sync::Arc;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::cli::{office::Office, print, runtime};
use crate::{
    accounts::signing_keys,
    app::App,
    clock::Clock,
    db::{self, Tx},
    security::{ids::SigningKeyId, keys},
};

#[derive(Args)]
pub(crate) struct Keys {
    #[command(subcommand)]
    command: Option<KeyCommand>,
}

/// Without a subcommand the public key and the service key are printed as JSON.
#[derive(Subcommand)]
enum KeyCommand {
    /// List the keys that sign access tokens.
    List,
    /// Create a key for ES256 and publish its public half. It signs nothing until `rotate`.
    Create,
    /// Sign access tokens with the created key. Tokens of the previous key are valid until they expire.
    Rotate {
        /// Do not wait until programs that cache the key set know the new key.
        #[arg(long)]
        now: bool,
        /// Sign with the portal secret (HS256) again.
        #[arg(long, conflicts_with = "now")]
        hs256: bool,
    },
    /// Delete a key that signs no tokens any more, and refuse the tokens that it signed.
    Revoke {
        /// The id of the key, which `list` prints.
        id: SigningKeyId,
        /// Do not wait until the tokens that it signed have expired.
        #[arg(long)]
        now: bool,
    },
}

/// The advice to an operator whose database is unavailable.
const DATABASE_UNAVAILABLE: &str = "o banco de dados não responde, e as chaves de assinatura estão nele: confira se o servidor \
    está no ar, e o endereço, o usuário e a senha em database_url, e rode o comando de novo (`portaria keys`, sem mais \
    nada, não precisa do banco)";

pub(crate) fn run(office: Office, given: &Keys) -> anyhow::Result<()> {
    let Some(command) = &given.command else { return print_api_keys(&office) };
    let app = open(office).map_err(|error| match error.downcast_ref() {
        Some(db::Error::Unavailable(_)) => error.context(DATABASE_UNAVAILABLE),
        _ => error,
    })?;
    runtime()?.block_on(async {
        match *command {
            KeyCommand::List => list(&app).await,
            KeyCommand::Create => create(&app).await,
            KeyCommand::Rotate { hs256: true, .. } => rotate_to_secret(&app).await,
            KeyCommand::Rotate { now, .. } => rotate(&app, now).await,
            KeyCommand::Revoke { id, now } => revoke(&app, id, now).await,
        }
    })
}

fn open(office: Office) -> anyhow::Result<Arc<App>> {
    office.require()?;
    App::open(office.config, Clock::system())
}

/// Prints the keys that are derived from the portal secret. The database is not needed.
fn print_api_keys(office: &Office) -> anyhow::Result<()> {
    let config = &office.config;
    if config.portal_secret().is_none() && !config.data_dir.join(keys::SECRET_FILE).exists() {
        office.require()?;
    }
    let keys = keys::Keys::open(config.portal_secret(), &config.data_dir, || Ok(false))?;
    print(&format!("{}\n", json!({"anon_key": keys.anon, "service_role_key": keys.service_role})))
}

async fn list(app: &Arc<App>) -> anyhow::Result<()> {
    let keys = app.db.read(signing_keys::list).await?;
    let line = |key: &signing_keys::StoredKey| {
        format!("{} ES256 {} since {}\n", key.id, key.state, key.since)
    };
    let mut lines: String = keys.iter().map(line).collect();
    if !keys.iter().any(|key| key.state == "active") {
        lines.push_str("The portal secret signs access tokens (HS256).\n");
    }
    print(&lines)
}

async fn create(app: &Arc<App>) -> anyhow::Result<()> {
    let id = app.write(|tx: &mut Tx<'_>, app| signing_keys::create(tx, app)).await?;
    print(&format!("{id} is in standby. In ten minutes `portaria keys rotate` puts it into use.\n"))
}

async fn rotate(app: &Arc<App>, now: bool) -> anyhow::Result<()> {
    let id = app.write(move |tx: &mut Tx<'_>, app| signing_keys::rotate(tx, app, now)).await?;
    print(&format!("{id} signs access tokens (ES256).\n"))
}

async fn rotate_to_secret(app: &Arc<App>) -> anyhow::Result<()> {
    app.write(|tx: &mut Tx<'_>, app| signing_keys::rotate_to_secret(tx, app)).await?;
    print("The portal secret signs access tokens (HS256).\n")
}

async fn revoke(app: &Arc<App>, id: SigningKeyId, now: bool) -> anyhow::Result<()> {
    app.write(move |tx: &mut Tx<'_>, app| signing_keys::revoke(tx, app, id, now)).await?;
    print(&format!("{id} is revoked: tokens that it signed are refused.\n"))
}
