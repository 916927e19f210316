//! Sends what waits in the outbox: the one place from which mails leave.
//!
//! It is woken by whoever commits a mail, and by the time at which the next one is due. A mail is claimed in the database,
//! so any number of nodes may do this at once; the network is waited for between transactions, never in one.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use tokio::{sync::watch, time::sleep};

use crate::{
    app::App,
    db::{self, Tx},
    mail::{
        mime::{self, MessageContent},
        smtp::{SendError, Smtp, SmtpTimeouts},
    },
    notifications::{
        outbox::{self, ClaimResult, ClaimedMail},
        unsubscribe_token,
    },
    security::rate_limit::RateLimited,
};

/// Mails under way at once.
const WORKERS: usize = 4;
/// How often to look though nobody rang: another node may have died with a mail.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// How often a claim is renewed while the server takes its time.
const RENEW_EVERY: Duration = Duration::from_secs(30);
/// How long the server is left alone after one, two and more failures in a row. Each of them is one mail's attempt.
const SERVER_BACKOFF: [i64; 3] = [10, 30, 60];
/// After a fault of ours.
const AFTER_FAULT: Duration = Duration::from_secs(5);

/// The delivery of mails.
#[derive(Debug)]
pub struct Delivery {
    app: Arc<App>,
    smtp: Smtp,
    /// One lane at a time looks for its next mail.
    turn: tokio::sync::Mutex<()>,
    failures: Mutex<Failures>,
}

/// What went wrong with the server lately.
#[derive(Debug)]
struct Failures {
    in_a_row: usize,
    until: Option<Timestamp>,
    /// Whether the database may say that no mail leaves: at first by what happened before this process began.
    are_told: bool,
}

impl Delivery {
    /// Makes ready to send; `None` where no server is named, and mails wait.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(app: &Arc<App>) -> Result<Option<Self>, String> {
        Self::with(app, SmtpTimeouts::default())
    }

    /// As [`Self::open`], with a server that may take only so long.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn with(app: &Arc<App>, patience: SmtpTimeouts) -> Result<Option<Self>, String> {
        let Some(server) = &app.config.mail_server else { return Ok(None) };
        let smtp = Smtp::new(server, &app.config.site_url, patience)?;
        let failures = Mutex::new(Failures { in_a_row: 0, until: None, are_told: true });
        let turn = tokio::sync::Mutex::default();
        Ok(Some(Self { app: Arc::clone(app), smtp, turn, failures }))
    }

    /// Sends whatever waits until it is told to stop. Mails under way then are finished first.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let delivery = Arc::new(self);
        // Each lane looks by itself: while one waits for the server's verdict, the others hear the bell.
        join_all((0..WORKERS).map(|_| delivery.worker(stop.clone()))).await;
        delivery.smtp.close(true).await;
    }

    async fn worker(self: &Arc<Self>, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let (round, stopping) = (Arc::clone(self), stop.clone());
            // A panic ends the round, not the delivery.
            let wait = match tokio::spawn(async move { round.run_once(&stopping).await }).await {
                Ok(Ok(next)) => self.until(next),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "mails could not be looked for");
                    AFTER_FAULT
                }
                Err(error) => {
                    tracing::error!(%error, "the delivery of mails failed and begins again");
                    AFTER_FAULT
                }
            };
            tokio::select! {
                () = self.app.outbox_notify.notified() => {}
                () = sleep(wait) => self.smtp.close(false).await,
                _ = stop.changed() => {}
            }
        }
    }

    /// Sends one mail after the other until nothing is due, and says when there will be something to do again.
    ///
    /// # Errors
    /// The database's. What was claimed is sent by a later round, or by another node.
    pub async fn run_once(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Result<Option<Timestamp>, db::Error> {
        loop {
            let turn = self.turn.lock().await;
            let now = self.app.clock.now();
            if *stop.borrow() {
                return Ok(None);
            }
            if let Some(until) = self.left_alone(now) {
                return Ok(Some(until));
            }
            let next = self.app.db.read(outbox::next).await?;
            if next.is_none_or(|next| next > now) {
                return Ok(next);
            }
            if let Err(RateLimited(wait)) = self.app.limits.outgoing() {
                return Ok(now.checked_add(wait).ok());
            }
            let app = Arc::clone(&self.app);
            let claim = move |tx: &mut Tx<'_>| {
                outbox::release(tx, now)?;
                outbox::claim(tx, &app, now)
            };
            let look = self.app.db.write(claim).await?;
            drop(turn);
            match look {
                ClaimResult::Mail(mail) => {
                    // There may be more, for a lane that sleeps.
                    self.app.outbox_notify.notify_one();
                    self.deliver(*mail).await?;
                }
                ClaimResult::Again => {}
                ClaimResult::Nothing => return self.app.db.read(outbox::next).await,
            }
        }
    }

    /// Sends a claimed mail and writes down what became of it.
    async fn deliver(&self, mail: ClaimedMail) -> Result<(), db::Error> {
        let mail = Arc::new(mail);
        let result = self.send(&mail).await;
        let now = self.app.clock.now();
        match result {
            Ok(()) => {
                let were_told = self.works();
                tracing::info!(mail = mail.id, attempts = mail.attempts, "sent");
                // It is the truth whatever becomes of the database meanwhile, and nobody but us knows.
                self.retry_commit(move |tx| {
                    outbox::sent(tx, &mail, now)?;
                    if were_told { outbox::record_outage(tx, None) } else { Ok(()) }
                })
                .await
            }
            Err(SendError::Transient(why)) => {
                // The server's own words name the recipient: they stand in the outbox alone.
                tracing::info!(mail = mail.id, attempts = mail.attempts, "not sent yet");
                self.app.db.write(move |tx| outbox::retry_later(tx, &mail, &why, now)).await
            }
            Err(SendError::Permanent(why)) => {
                tracing::warn!(
                    mail = mail.id,
                    "a mail cannot be sent; the administrator is told why"
                );
                self.app.db.write(move |tx| outbox::give_up(tx, &mail, &why)).await
            }
            Err(SendError::ServerUnavailable(why)) => {
                tracing::warn!(mail = mail.id, attempts = mail.attempts, why, "no mail leaves");
                self.fails(now);
                let write = move |tx: &mut Tx<'_>| {
                    outbox::retry_later(tx, &mail, &why, now)?;
                    outbox::record_outage(tx, Some(&why))
                };
                self.app.db.write(write).await
            }
        }
    }

    /// Gives a mail to the server, keeping the claim on it.
    async fn send(&self, mail: &Arc<ClaimedMail>) -> Result<(), SendError> {
        let config = &self.app.config;
        let link = match (&mail.user_id, &mail.topic) {
            (Some(user), Some(topic)) => Some(unsubscribe_token::link(&self.app, user, topic)),
            _ => None,
        };
        let content = MessageContent {
            id: &mail.id,
            recipient: &mail.recipient,
            name: mail.name.as_deref(),
            subject: &mail.subject,
            html: &mail.html,
            unsubscribe: link.as_deref(),
        };
        let sender = config.mail_from.as_ref().expect("there is one wherever there is a server");
        let letter = mime::compose(&content, sender, &config.site_url, self.app.clock.now());
        let letter = letter.map_err(|_| {
            SendError::Permanent("O destinatário não é um endereço de e-mail válido.".to_owned())
        })?;
        let mut sending = std::pin::pin!(self.smtp.send(&letter));
        loop {
            tokio::select! {
                result = &mut sending => return result,
                () = sleep(RENEW_EVERY) => {
                    let (mail, now) = (Arc::clone(mail), self.app.clock.now());
                    let renewed = self.app.db.write(move |tx| outbox::renew(tx, &mail, now)).await;
                    if let Err(error) = renewed {
                        tracing::warn!(%error, "the claim on a mail could not be renewed");
                    }
                }
            }
        }
    }

    /// Writes what must not be lost, for as long as it takes. Should this process die before, the mail goes out twice.
    async fn retry_commit(
        &self,
        write: impl Fn(&mut Tx<'_>) -> Result<(), db::Error> + Clone + Send + 'static,
    ) -> Result<(), db::Error> {
        loop {
            match self.app.db.write(write.clone()).await {
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "a mail was sent, which cannot be written down yet");
                    sleep(Duration::from_secs(1)).await;
                }
                other => return other,
            }
        }
    }

    /// The server does its part. Says whether the database may still say that it does not.
    fn works(&self) -> bool {
        let mut failures = self.failures();
        std::mem::replace(&mut *failures, Failures { in_a_row: 0, until: None, are_told: false })
            .are_told
    }

    /// The server does not do its part: it is left alone for a while, the longer the more often that happened.
    fn fails(&self, now: Timestamp) {
        let mut failures = self.failures();
        failures.are_told = true;
        // Mails that were under way at the same time found out the same.
        if failures.until.is_none_or(|until| until <= now) {
            let pause = SERVER_BACKOFF.get(failures.in_a_row).or(SERVER_BACKOFF.last());
            let pause = SignedDuration::from_secs(pause.copied().unwrap_or_default());
            failures.in_a_row += 1;
            failures.until = now.checked_add(pause).ok();
        }
    }

    fn left_alone(&self, now: Timestamp) -> Option<Timestamp> {
        self.failures().until.filter(|until| *until > now)
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().expect("no holder of the lock panics")
    }

    /// How long to wait for a moment.
    fn until(&self, next: Option<Timestamp>) -> Duration {
        /// Clocks differ by less, and nothing is in such a hurry.
        const AT_LEAST: Duration = Duration::from_millis(20);
        let now = self.app.clock.now();
        let wait = next.map(|next| next.duration_since(now));
        let wait = wait.map(|wait| Duration::try_from(wait).unwrap_or_default());
        wait.unwrap_or(POLL_INTERVAL).clamp(AT_LEAST, POLL_INTERVAL)
    }
}
