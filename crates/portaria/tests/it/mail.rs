//! Reads mails from the outbox, as their recipients see them.

use portaria::db::{Error, Tx};
use sea_query::{Order, Query};

use crate::harness::TestPortal;

/// A queued mail.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) event: String,
    pub(crate) to: String,
    pub(crate) subject: String,
    pub(crate) html: String,
}

impl TestPortal {
    /// All mails, oldest first.
    pub(crate) async fn mails(&self) -> Vec<Mail> {
        let read = |tx: &mut Tx<'_>| {
            let mut query = Query::select();
            query.columns(["event", "recipient", "html", "subject"]).from("outbox");
            query.order_by("created_at", Order::Asc).order_by("id", Order::Asc);
            let text = |text: &str| text.to_owned();
            tx.rows(&query)?
                .iter()
                .map(|row| {
                    Ok(Mail {
                        event: row.text(0).map(text)?,
                        to: row.text(1).map(text)?,
                        html: row.text(2).map(text)?,
                        subject: row.text(3).map(text)?,
                    })
                })
                .collect()
        };
        self.app.db.read::<_, Error, _>(read).await.unwrap()
    }

    /// The newest mail about an event to an address.
    pub(crate) async fn mail(&self, event: &str, to: &str) -> Mail {
        let mails = self.mails().await;
        let found = mails.iter().rfind(|mail| mail.event == event && mail.to == to);
        found.unwrap_or_else(|| panic!("no {event} to {to} in {mails:?}")).clone()
    }

    /// The number of queued mails about an event.
    pub(crate) async fn mails_about(&self, event: &str) -> usize {
        self.mails().await.iter().filter(|mail| mail.event == event).count()
    }
}

impl Mail {
    /// The URL of the mail's button.
    pub(crate) fn link(&self) -> String {
        let link = self.html.split("href=\"").nth(1).and_then(|rest| rest.split('"').next());
        link.unwrap_or_else(|| panic!("no link in {}", self.html)).replace("&amp;", "&")
    }

    /// The URL without scheme and host, as a request path.
    pub(crate) fn path(&self) -> String {
        self.link().replace("http://127.0.0.1:8080", "")
    }

    /// The token in the URL.
    pub(crate) fn token(&self) -> String {
        let link = self.link();
        let rest = link.split(['?', '#', '&']).find_map(|part| {
            part.strip_prefix("token=").or_else(|| part.strip_prefix("token_hash="))
        });
        rest.unwrap_or_else(|| panic!("no token in {link}")).to_owned()
    }

    /// The six-digit code.
    pub(crate) fn code(&self) -> String {
        let mut digits = self.html.split(|c: char| !c.is_ascii_digit());
        let digits =
            digits.find(|part| part.len() == 6 && self.html.contains(&format!(">{part}<")));
        digits.unwrap_or_else(|| panic!("no code in {}", self.html)).to_owned()
    }
}
