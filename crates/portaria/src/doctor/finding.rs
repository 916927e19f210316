//! The result of a check.

use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    Ok,
    /// Something to do, while everything works.
    Warning,
    /// Something does not work.
    Error,
}

/// Part of the installation that a check belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// The program and its settings.
    Program,
    /// The database and the files.
    Data,
    /// The mail server and the queue.
    Mail,
    /// Backups and rehearsals.
    Backup,
    /// Work at fixed times.
    Jobs,
    /// The machine and its address.
    Machine,
}

/// Something that is examined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject {
    section: Section,
    id: &'static str,
    title: &'static str,
}

/// The result of a check, in Portuguese.
#[derive(Debug, Serialize)]
pub struct Finding {
    section: Section,
    check: &'static str,
    /// The name of the check.
    pub title: &'static str,
    /// How serious the finding is.
    pub status: Status,
    /// The finding in one sentence, which names nothing but what the settings name.
    pub message: String,
    /// The text of an error, for the operator at the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The next step of the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Subject {
    pub(super) const fn new(section: Section, id: &'static str, title: &'static str) -> Self {
        Self { section, id, title }
    }

    pub(super) fn ok(self, message: impl Into<String>) -> Finding {
        self.find(Status::Ok, message.into(), None)
    }

    pub(super) fn warning(self, message: impl Into<String>, advice: impl Into<String>) -> Finding {
        self.find(Status::Warning, message.into(), Some(advice.into()))
    }

    pub(super) fn error(self, message: impl Into<String>, advice: impl Into<String>) -> Finding {
        self.find(Status::Error, message.into(), Some(advice.into()))
    }

    fn find(self, status: Status, message: String, advice: Option<String>) -> Finding {
        let Self { section, id: check, title } = self;
        Finding { section, check, title, status, message, cause: None, advice }
    }

    /// Runs a check that waits for another machine or a disk.
    pub(super) async fn within(
        self,
        limit: Duration,
        check: impl Future<Output = Finding>,
    ) -> Finding {
        timeout(limit, check).await.unwrap_or_else(|_| {
            self.error(
                format!("Sem resposta em {} segundos.", limit.as_secs()),
                "Confira se o servidor, o disco e a rede de que isto depende respondem, e examine de novo.",
            )
        })
    }
}

impl Finding {
    pub(super) fn because(mut self, cause: &impl ToString) -> Self {
        self.cause = Some(cause.to_string());
        self
    }

    /// Moves the text of the error to the log.
    pub(super) fn log_cause(mut self) -> Self {
        if let Some(cause) = self.cause.take() {
            tracing::warn!(check = self.check, cause, "examination found a fault");
        }
        self
    }
}
