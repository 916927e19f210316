//! The commands `portaria admin …`. The doc comments of the arguments are the help texts.

use std::{
    io::{self, Read},
    sync::Arc,
};

use anyhow::{Context, anyhow, bail};
use clap::Subcommand;

use crate::cli::{print, runtime};
use crate::{
    accounts::{user, validation},
    api::{auth::mfa, setup},
    app::App,
    clock::Clock,
    config::Config,
    db::Tx,
};

#[derive(Subcommand)]
pub(crate) enum Admin {
    /// Create an administrator, or give the role to an existing account. Lifts a ban of the account.
    Add {
        /// The e-mail address to sign in with.
        #[arg(long)]
        email: String,
        /// Read the password from standard input. It ends the sessions of an existing account, and removes its
        /// passkeys.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Remove the MFA of a person who lost it. Ends all their sessions and notifies them by mail.
    ResetSecondStep {
        /// The e-mail address that they sign in with.
        #[arg(long)]
        email: String,
    },
}

pub(crate) fn run(config: Config, given: Admin) -> anyhow::Result<()> {
    match given {
        Admin::Add { email, password_stdin } => add_admin(config, &email, password_stdin),
        Admin::ResetSecondStep { email } => reset_second_step(config, &email),
    }
}

fn add_admin(config: Config, email: &str, password_stdin: bool) -> anyhow::Result<()> {
    let email = validation::email(email)?;
    let password = if password_stdin {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("cannot read the password")?;
        let password = text.trim_end_matches(['\r', '\n']).to_owned();
        validation::password(&password, &config)?;
        Some(password)
    } else {
        None
    };

    let app = App::open(config, Clock::system())?;
    runtime()?.block_on(async {
        let hash = match password {
            Some(password) => {
                Some(app.passwords.hash(password).await.map_err(|_| anyhow!("try again"))?)
            }
            None => None,
        };
        let address = email.clone();
        let create = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            // Without a password, an existing account keeps its own, and a new account would have none.
            if hash.is_none() && user::by_email(tx, &address)?.is_none() {
                return Ok(None);
            }
            setup::create_admin(tx, app, address, hash, "").map(Some)
        };
        let Some(was_banned) = app.write(create).await? else {
            bail!("{email} has no account yet: give a password with --password-stdin")
        };
        let ban = if was_banned { "The ban of this account was lifted.\n" } else { "" };
        print(&format!("{email} is an administrator.\n{ban}"))
    })
}

fn reset_second_step(config: Config, email: &str) -> anyhow::Result<()> {
    let address = validation::email(email)?;
    let app = App::open(config, Clock::system())?;
    let reset = move |tx: &mut Tx<'_>, app: &Arc<App>| match user::by_email(tx, &address)? {
        Some(user) => mfa::reset_mfa(tx, app, &user).map(Some),
        None => Ok(None),
    };
    match runtime()?.block_on(app.write(reset))? {
        Some(true) => print(&format!("{email} signs in with the password alone.\n")),
        Some(false) => bail!("{email} has no MFA"),
        None => bail!("{email} has no account"),
    }
}
