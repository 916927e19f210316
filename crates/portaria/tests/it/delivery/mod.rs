//! Mail delivery through a fake SMTP server: no mail is lost, and duplicates occur only where they cannot be prevented.

mod admin_actions;
mod cancellation;
mod crashes;
mod digest;
mod erasure_mail;
pub(crate) mod fake_smtp;
mod happy_path;
mod held_mail;
mod message;
mod requests;
mod smtp_errors;
mod timeouts;

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use jiff::Timestamp;
use portaria::{
    clock::format_timestamp,
    db::{Error, Tx},
    jobs::deliver_mail::Delivery,
    security::keys,
};
use sea_query::{Order, Query};
use tokio::sync::watch;

use crate::delivery::fake_smtp::Server;
use crate::harness::{TestPortal, TestUser};

/// The time in which the workers find no mail and fall asleep. The sleep itself cannot be observed. A time that is too
/// short lets a test pass that should fail, and never the reverse.
const FALL_ASLEEP: Duration = Duration::from_millis(200);
/// Maximum time until woken workers deliver: half of the interval at which they poll.
const WAKE: Duration = Duration::from_secs(15);
/// The recipient of a mail.
const SENDER: &str = "Prado Contábil <portal@escritorio.com.br>";

/// A row of the outbox.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    id: String,
    event: String,
    state: String,
    attempts: i64,
    last_error: Option<String>,
    next_attempt_at: Timestamp,
    html: String,
    digest_id: Option<String>,
    sent_at: Option<Timestamp>,
}

impl TestPortal {
    /// Starts the portal with an SMTP server.
    fn mails_by(&mut self, url: &str) {
        self.set("mail_from", SENDER);
        self.set("smtp_url", url);
    }

    pub(crate) fn delivery(&self) -> Delivery {
        Delivery::open(&self.app).unwrap().expect("smtp_url is set")
    }

    /// Sends the due mails once.
    pub(crate) async fn deliver(&self) {
        send(&self.delivery()).await;
    }

    /// Adds a mail to the outbox.
    async fn queue(&self, to: &Recipient<'_>, subject: &str) -> String {
        let now = self.now();
        let id = keys::new_id(now).to_string();
        let (key, recipient, subject) = (id.clone(), to.address.to_owned(), subject.to_owned());
        let (user, topic) = (to.user.map(str::to_owned), to.topic.map(str::to_owned));
        let (document, ticket) = (to.document.map(str::to_owned), to.ticket.map(str::to_owned));
        let write = move |tx: &mut Tx<'_>| {
            tx.insert(
                "outbox",
                [
                    ("id", key.clone().into()),
                    ("event", "event".into()),
                    ("dedupe_key", key.into()),
                    ("user_id", user.into()),
                    ("recipient", recipient.into()),
                    ("html", format!("<p>{subject}</p>").into()),
                    ("subject", subject.into()),
                    ("topic", topic.into()),
                    ("document_id", document.into()),
                    ("ticket_id", ticket.into()),
                    ("state", "queued".into()),
                    ("next_attempt_at", format_timestamp(now).into()),
                    ("created_at", format_timestamp(now).into()),
                ],
            )
        };
        self.app.db.write::<_, Error, _>(write).await.unwrap();
        id
    }

    /// The outbox, oldest first.
    async fn outbox(&self) -> Vec<Row> {
        let read = |tx: &mut Tx<'_>| {
            let mut query = Query::select();
            query.columns(["id", "event", "state", "last_error", "next_attempt_at", "html"]);
            query.columns(["digest_id", "sent_at", "attempts"]).from("outbox");
            query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
            let rows = tx.rows(&query)?;
            let row = |row: portaria::db::Row<'_>| {
                let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
                Ok(Row {
                    id: text(0)?.unwrap(),
                    event: text(1)?.unwrap(),
                    state: text(2)?.unwrap(),
                    last_error: text(3)?,
                    next_attempt_at: text(4)?.unwrap().parse().unwrap(),
                    html: text(5)?.unwrap(),
                    digest_id: text(6)?,
                    sent_at: text(7)?.map(|at| at.parse().unwrap()),
                    attempts: row.int(8)?,
                })
            };
            rows.iter().map(row).collect()
        };
        self.app.db.read::<_, Error, _>(read).await.unwrap()
    }

    async fn mail_row(&self, id: &str) -> Row {
        self.outbox().await.into_iter().find(|row| row.id == id).unwrap()
    }

    async fn states(&self) -> Vec<String> {
        self.outbox().await.into_iter().map(|row| row.state).collect()
    }
}

/// Recipient and subject of a mail.
#[derive(Debug, Clone, Copy)]
struct Recipient<'a> {
    address: &'a str,
    user: Option<&'a str>,
    topic: Option<&'a str>,
    document: Option<&'a str>,
    ticket: Option<&'a str>,
}

/// A recipient without an account.
fn stranger(address: &str) -> Recipient<'_> {
    Recipient { address, user: None, topic: None, document: None, ticket: None }
}

/// A client, with the topic of the notification.
fn recipient_of<'a>(user: &'a TestUser, topic: &'a str) -> Recipient<'a> {
    Recipient { user: Some(&user.id), topic: Some(topic), ..stranger(&user.email) }
}

/// Sends the due mails once, in parallel.
pub(crate) async fn send(delivery: &Delivery) -> Option<Timestamp> {
    let (_stop, stopping) = watch::channel(false);
    let lanes = join_all((0..4).map(|_| delivery.run_once(&stopping))).await;
    lanes.into_iter().filter_map(Result::unwrap).min()
}

/// Sends the due mails in a task, which can be aborted like a crashing process.
fn spawn_send(delivery: &Arc<Delivery>) -> tokio::task::JoinHandle<()> {
    let delivery = Arc::clone(delivery);
    tokio::spawn(async move {
        send(&delivery).await;
    })
}

/// Starts a fake server and the portal.
pub(crate) async fn start_with_smtp_server(portal: &mut TestPortal) -> Server {
    let server = Server::start().await;
    portal.mails_by(&server.url());
    server
}
