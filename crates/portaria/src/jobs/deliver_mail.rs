//! Delivery of the outbox by SMTP. No other code sends mail.
//!
//! A worker wakes when a transaction commits a mail, and when the next mail is due. Claims are rows of the database, so
//! any number of nodes can deliver at once. No transaction is open while a worker waits for the network.

use anyhow::anyhow;
use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};

use crate::{
    app::App,
    db::{self, Tx},
    jobs::delivery_workers::{self, Outbox, record_delivery},
    mail::{
        MailFrom,
        mime::{self, MessageContent, MimeMessage},
        smtp::{SendError, SmtpClient, SmtpTimeouts, TlsSettingsError},
    },
    notifications::{
        mail_status,
        outbox::{self, ClaimResult, ClaimedMail, MailText},
        staff_mail, unsubscribe_token,
    },
    office::OfficeProfile,
    security::rate_limit::RateLimited,
    tickets::reply_address::{self, ReplySide},
};

/// Interval between renewals of a claim while the server answers.
const CLAIM_RENEWAL_INTERVAL: Duration = Duration::from_secs(30);
/// Seconds without a connection to the server after one, two, and three or more consecutive failures. Each failure
/// counts as an attempt of one mail.
const SERVER_BACKOFF: [i64; 3] = [10, 30, 60];
/// Delivers the mails of the outbox.
#[derive(Debug)]
pub struct Delivery {
    app: Arc<App>,
    smtp: SmtpClient,
    /// Held by the worker that claims its next mail.
    claim_lock: tokio::sync::Mutex<()>,
    failures: Mutex<Failures>,
}

/// Result of an attempt to send a mail.
enum Attempt {
    /// The server accepted the mail with this reply.
    Sent(String),
    /// The mail's reason is gone, or another worker has claimed it.
    Canceled,
    Failed(SendError),
}

/// Recent failures of the SMTP server.
#[derive(Debug, Default)]
struct Failures {
    consecutive: usize,
    until: Option<Timestamp>,
}

impl Delivery {
    /// Prepares delivery. Returns `None` if no server is configured; mails then stay queued.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(app: &Arc<App>) -> anyhow::Result<Option<Self>> {
        Self::with_timeouts(app, SmtpTimeouts::default())
    }

    /// Does the same as [`Self::open`], with the given timeouts.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn with_timeouts(app: &Arc<App>, timeouts: SmtpTimeouts) -> anyhow::Result<Option<Self>> {
        let Some(server) = &app.config.mail_server else { return Ok(None) };
        if server.exposes_login() {
            tracing::warn!(
                host = server.host,
                "smtp connection is not encrypted, as configured in smtp_url"
            );
        }
        let smtp = SmtpClient::new(server, &app.config.site_url, timeouts).map_err(|error| {
            let setting = match error {
                TlsSettingsError::CaFile(_) => "smtp_ca",
                TlsSettingsError::Host(_) => "smtp_url",
            };
            anyhow!("{setting}: {error}")
        })?;
        let failures = Mutex::default();
        let claim_lock = tokio::sync::Mutex::default();
        Ok(Some(Self { app: Arc::clone(app), smtp, claim_lock, failures }))
    }

    /// Sends mails until `stop` becomes true. Mails that are being sent at that time are completed first.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let delivery = Arc::new(self);
        delivery_workers::run(&delivery, &stop).await;
        delivery.smtp.close(true).await;
    }

    /// Sends mails one after the other until none is due, and returns the time at which the next one will be.
    ///
    /// # Errors
    /// Database errors. A claimed mail is sent by a later run, or by another node.
    pub async fn run_once(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Result<Option<Timestamp>, db::Error> {
        loop {
            let claim_lock = self.claim_lock.lock().await;
            let now = self.app.clock.now();
            if let Some(until) = self.backoff_until(now) {
                return Ok(Some(until));
            }

            let next = self.app.db.read(outbox::next_due_at).await?;
            // After the read, so that a mail that was queued after the signal to stop waits for the next start.
            if *stop.borrow() {
                return Ok(None);
            }
            if next.is_none_or(|next| next > now) {
                return Ok(next);
            }
            if let Err(RateLimited(wait)) = self.app.limits.outgoing() {
                return Ok(now.checked_add(wait).ok());
            }

            let claim_result = self
                .app
                .write(move |tx, app| {
                    outbox::requeue_expired(tx, now)?;
                    outbox::claim(tx, app, now)
                })
                .await?;
            drop(claim_lock);

            match claim_result {
                ClaimResult::Mail(mail) => {
                    // Wakes another worker: more mails may be due.
                    self.app.outbox_notify.notify_one();
                    self.deliver(*mail).await?;
                }
                ClaimResult::Rescheduled => {}
                ClaimResult::Nothing => return self.app.db.read(outbox::next_due_at).await,
            }
        }
    }

    /// Sends a claimed mail and records the result.
    async fn deliver(&self, mail: ClaimedMail) -> Result<(), db::Error> {
        let mail = Arc::new(mail);
        let attempt = self.attempt(&mail).await?;
        let now = self.app.clock.now();
        match attempt {
            Attempt::Canceled => {
                tracing::info!(mail = mail.id.to_string(), "mail not sent, its reason is gone");
                Ok(())
            }
            Attempt::Sent(reply) => {
                *self.failures() = Failures::default();
                tracing::info!(mail = mail.id.to_string(), attempts = mail.attempts, "mail sent");
                record_delivery(&self.app, move |tx| {
                    outbox::mark_sent(tx, &mail, &reply, now)?;
                    // Another node may have recorded the outage.
                    mail_status::record_outage(tx, None)
                })
                .await
            }
            Attempt::Failed(SendError::Transient(why)) => {
                // The server's reply may contain the recipient, so it is stored in the outbox and not logged.
                tracing::info!(
                    mail = mail.id.to_string(),
                    attempts = mail.attempts,
                    "mail delivery deferred"
                );
                self.app.db.write(move |tx| outbox::retry_later(tx, &mail, &why, now)).await
            }
            Attempt::Failed(SendError::Permanent(why)) => {
                tracing::warn!(mail = mail.id.to_string(), "mail delivery failed permanently");
                self.app.db.write(move |tx| outbox::mark_failed(tx, &mail, &why)).await
            }
            Attempt::Failed(SendError::ServerUnavailable(why)) => {
                tracing::warn!(
                    mail = mail.id.to_string(),
                    attempts = mail.attempts,
                    why,
                    "SMTP server unavailable"
                );
                self.record_failure(now);
                let write = move |tx: &mut Tx<'_>| {
                    outbox::retry_later(tx, &mail, &why, now)?;
                    mail_status::record_outage(tx, Some(&why))
                };
                self.app.db.write(write).await
            }
        }
    }

    /// Attempts to send a mail, and renews its claim meanwhile.
    async fn attempt(&self, mail: &Arc<ClaimedMail>) -> Result<Attempt, db::Error> {
        let mut sending = std::pin::pin!(self.send(mail));
        loop {
            tokio::select! {
                result = &mut sending => return result,
                () = sleep(CLAIM_RENEWAL_INTERVAL) => {
                    let (mail, now) = (Arc::clone(mail), self.app.clock.now());
                    let renewed = self.app.db.write(move |tx| outbox::renew(tx, &mail, now)).await;
                    if let Err(error) = renewed {
                        tracing::warn!(%error, "mail claim renewal failed");
                    }
                }
            }
        }
    }

    /// Sends a mail. Its text is read when the connection is open, because its reason may be gone since the claim.
    async fn send(&self, mail: &Arc<ClaimedMail>) -> Result<Attempt, db::Error> {
        if mime::check_recipient(&mail.recipient).is_err() {
            return Ok(Attempt::Failed(invalid_recipient()));
        }
        let connection = match self.smtp.open().await {
            Ok(connection) => connection,
            Err(error) => return Ok(Attempt::Failed(error)),
        };
        let (claimed, now) = (Arc::clone(mail), self.app.clock.now());
        let text =
            move |tx: &mut Tx<'_>, app: &Arc<App>| outbox::text_to_send(tx, app, &claimed, now);
        let Some(text) = self.app.write(text).await? else {
            self.smtp.release(connection).await;
            return Ok(Attempt::Canceled);
        };
        let office = self.app.office().await;
        let message = match self.compose(mail, &text, &office) {
            Ok(message) => message,
            Err(error) => {
                self.smtp.release(connection).await;
                return Ok(Attempt::Failed(error));
            }
        };
        Ok(match self.smtp.send(connection, &message).await {
            Ok(reply) => Attempt::Sent(reply),
            Err(error) => Attempt::Failed(error),
        })
    }

    /// Builds the message of a mail.
    ///
    /// # Errors
    /// [`SendError::Permanent`] for an invalid address.
    fn compose(
        &self,
        mail: &ClaimedMail,
        text: &MailText,
        office: &OfficeProfile,
    ) -> Result<MimeMessage, SendError> {
        let config = &self.app.config;
        let link = match (mail.user_id, &mail.topic) {
            (Some(user), Some(topic)) => Some(unsubscribe_token::link(&self.app, user, topic)),
            _ => None,
        };
        let is_to_staff = staff_mail::events().any(|event| event == mail.event);
        let side = if is_to_staff { ReplySide::Staff } else { ReplySide::Client };
        let reply_to = match (mail.user_id, mail.ticket_id) {
            (Some(person), Some(ticket)) => reply_address::address(&self.app, person, ticket, side),
            _ => None,
        };
        let id = mail.id.to_string();
        let content = MessageContent {
            id: &id,
            recipient: &mail.recipient,
            name: mail.name.as_deref(),
            subject: &text.subject,
            html: &text.html,
            logo: office.logo.as_ref().map(|logo| logo.png.as_slice()),
            unsubscribe: link.as_deref(),
            reply_to: reply_to.as_deref(),
        };
        let sender = config.mail_from.as_ref().expect("mail_from is set whenever mail_server is");
        let name = office.sender_name(&sender.name, &config.product_name).to_owned();
        let sender = &MailFrom { name, address: sender.address.clone() };
        let message = mime::compose(&content, sender, &config.site_url, self.app.clock.now());
        message.map_err(|_| invalid_recipient())
    }

    /// Records a failure of the server and starts the next backoff.
    fn record_failure(&self, now: Timestamp) {
        let mut failures = self.failures();
        // Mails that were being sent at the same time fail for the same reason and count once.
        if failures.until.is_none_or(|until| until <= now) {
            let seconds = SERVER_BACKOFF.get(failures.consecutive).or(SERVER_BACKOFF.last());
            let pause = SignedDuration::from_secs(seconds.copied().unwrap_or_default());
            failures.consecutive += 1;
            failures.until = now.checked_add(pause).ok();
        }
    }

    fn backoff_until(&self, now: Timestamp) -> Option<Timestamp> {
        self.failures().until.filter(|until| *until > now)
    }

    fn failures(&self) -> MutexGuard<'_, Failures> {
        self.failures.lock().expect("no holder of the lock panics")
    }
}

impl Outbox for Delivery {
    const NAME: &'static str = "mail";

    fn app(&self) -> &App {
        &self.app
    }

    fn wake(&self) -> &Notify {
        &self.app.outbox_notify
    }

    async fn deliver_due(
        &self,
        stop: &watch::Receiver<bool>,
    ) -> Result<Option<Timestamp>, db::Error> {
        self.run_once(stop).await
    }

    async fn release(&self) {
        self.smtp.close(false).await;
    }
}

fn invalid_recipient() -> SendError {
    SendError::Permanent("O destinatário não é um endereço de e-mail válido.".to_owned())
}
