//! Simulated users: signed-in clients, each on its own connection, with pauses between their actions.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tokio::{sync::Semaphore, task::JoinSet, time::sleep};
use uuid::Uuid;

use crate::load_test::connection::{Answer, Connection};
use crate::{
    Outcome,
    dataset::{Dataset, PASSWORD},
    load::{Request, request},
    server::Server,
};

/// Mean pause between two actions of a user, which varies by a half.
const PAUSE: Duration = Duration::from_secs(5);
/// Number of simultaneous sign-ins at the start.
const SIGN_INS_AT_ONCE: usize = 4;

const SOON: &str = "/rest/v1/documents?select=id,name,type,file_url,expires_at&order=expires_at.asc,id.asc\
    &expires_at=gt.2026-01-01T00:00:00Z&limit=10";
const LATEST: &str =
    "/rest/v1/tickets?select=id,subject,created_at,status&order=created_at.desc,id.desc&limit=3";
const DOCUMENTS: &str = "/rest/v1/documents?select=id,name,type,created_at,expires_at,uploaded_at,file_url,status,\
    document_receipts(count)&folder_id_supabase=eq.contratos&order=uploaded_at.desc.nullslast,id.desc&limit=20";
const TICKETS: &str = "/rest/v1/tickets?select=id,created_at,updated_at,closed_at,status,subject,category,priority,\
    message,follow_up_of_id&order=created_at.desc,id.desc&limit=20";

/// Actions of users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Home,
    Documents,
    Open,
    Tickets,
    Write,
    Refresh,
}

impl Action {
    /// All actions with their weights.
    pub(crate) const ALL: [(Self, usize); 6] = [
        (Self::Home, 5),
        (Self::Documents, 5),
        (Self::Open, 5),
        (Self::Tickets, 3),
        (Self::Write, 1),
        (Self::Refresh, 1),
    ];

    fn random() -> Self {
        let total: usize = Self::ALL.iter().map(|(_, weight)| weight).sum();
        let mut number = fastrand::usize(..total);
        for (action, weight) in Self::ALL {
            if number < weight {
                return action;
            }
            number -= weight;
        }
        Self::Home
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Home => "home: count, due soon, tickets",
            Self::Documents => "a folder's documents",
            Self::Open => "a signed URL, and its 100 kB",
            Self::Tickets => "tickets",
            Self::Write => "create a ticket",
            Self::Refresh => "refresh the session",
        })
    }
}

/// The outcome of an action.
#[derive(Debug, Clone)]
pub(crate) enum ActionResult {
    Well,
    /// Refused with `Retry-After`.
    Refused,
    /// Any other failure, as text.
    Wrong(String),
}

/// An action of a user.
#[derive(Debug, Clone)]
pub(crate) struct ActionRecord {
    pub(crate) action: Action,
    pub(crate) begun: Instant,
    pub(crate) took: Duration,
    pub(crate) went: ActionResult,
}

/// All simulated users, active until [`Users::stop`].
pub(crate) struct Users {
    people: JoinSet<()>,
    actions: Arc<Mutex<Vec<ActionRecord>>>,
    over: Arc<AtomicBool>,
}

impl Users {
    /// Signs in the first `count` clients and starts their actions. The sign-ins are not measured.
    pub(crate) async fn start(server: &Server, office: &Dataset, count: usize) -> Outcome<Self> {
        let permits = Arc::new(Semaphore::new(SIGN_INS_AT_ONCE));
        let mut arriving = JoinSet::new();
        for client in office.clients.iter().take(count) {
            let (permits, line) = (Arc::clone(&permits), Connection::new(server.address));
            let (client, key) = (*client, office.anon_key().to_owned());
            arriving.spawn(async move {
                let _permit = permits.acquire().await?;
                Person::sign_in(line, client, key).await
            });
        }
        let (deeds, over) = (Arc::default(), Arc::new(AtomicBool::new(false)));
        let mut arrived = Vec::new();
        while let Some(person) = arriving.join_next().await {
            arrived.push(person??);
        }
        let mut people = JoinSet::new();
        for person in arrived {
            people.spawn(person.live(Arc::clone(&deeds), Arc::clone(&over)));
        }
        Ok(Self { people, actions: deeds, over })
    }

    /// Returns the completed actions that began between two times.
    pub(crate) fn deeds(&self, from: Instant, to: Instant) -> Vec<ActionRecord> {
        let deeds = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        deeds.iter().filter(|deed| (from..to).contains(&deed.begun)).cloned().collect()
    }

    /// Stops all users after their current action.
    pub(crate) async fn stop(mut self) -> Outcome<()> {
        self.over.store(true, Ordering::Relaxed);
        while let Some(person) = self.people.join_next().await {
            person?;
        }
        Ok(())
    }
}

/// A simulated user.
struct Person {
    line: Connection,
    key: String,
    access: String,
    refresh: String,
    /// The user's stored file.
    file: String,
}

impl Person {
    async fn sign_in(mut line: Connection, client: Uuid, key: String) -> Outcome<Self> {
        let answer = line.ask(sign_in(client, &key)).await?;
        let file = file(client);
        let mut person = Self { line, key, access: String::new(), refresh: String::new(), file };
        person.take(&answer)?;
        Ok(person)
    }

    /// Stores the tokens of a session response.
    fn take(&mut self, answer: &Answer) -> Outcome<()> {
        if !answer.is_success() {
            return Err(describe(answer).into());
        }
        let session: Value = serde_json::from_slice(&answer.body)?;
        let text = |name: &str| session[name].as_str().map(str::to_owned).ok_or("no tokens");
        (self.access, self.refresh) = (text("access_token")?, text("refresh_token")?);
        Ok(())
    }

    async fn live(mut self, deeds: Arc<Mutex<Vec<ActionRecord>>>, over: Arc<AtomicBool>) {
        // Spreads the first actions, as if the users had arrived earlier.
        sleep(PAUSE.mul_f64(fastrand::f64())).await;
        while !over.load(Ordering::Relaxed) {
            let (action, begun) = (Action::random(), Instant::now());
            let went = match self.act(action).await {
                Ok(answer) if answer.is_success() => ActionResult::Well,
                Ok(answer) if answer.is_orderly_refusal() => ActionResult::Refused,
                Ok(answer) => ActionResult::Wrong(describe(&answer)),
                Err(error) => ActionResult::Wrong(error.to_string()),
            };
            let deed = ActionRecord { action, begun, took: begun.elapsed(), went };
            deeds.lock().unwrap_or_else(PoisonError::into_inner).push(deed);
            sleep(PAUSE.mul_f64(0.5 + fastrand::f64())).await;
        }
    }

    /// Performs an action. Returns its first unsuccessful response, or the last one.
    async fn act(&mut self, action: Action) -> Outcome<Answer> {
        match action {
            Action::Home => {
                let mut count = self.get("/rest/v1/documents?select=*");
                *count.method_mut() = Method::HEAD;
                count.headers_mut().insert("prefer", "count=exact".parse()?);
                let soon = self.get(SOON);
                let latest = self.get(LATEST);
                let mut answer = self.line.ask(count).await?;
                for next in [soon, latest] {
                    if !answer.is_success() {
                        break;
                    }
                    answer = self.line.ask(next).await?;
                }
                Ok(answer)
            }
            Action::Documents => self.line.ask(self.get(DOCUMENTS)).await,
            Action::Open => {
                let path = format!("/storage/v1/object/sign/client-documents/{}", self.file);
                let body = json!({"expiresIn": 60}).to_string();
                let link = self.line.ask(self.post(&path, body)).await?;
                if !link.is_success() {
                    return Ok(link);
                }
                let link: Value = serde_json::from_slice(&link.body)?;
                let link = link["signedURL"].as_str().ok_or("no link")?;
                let path = format!("/storage/v1{link}");
                let answer = self.line.ask(request(Method::GET, &path, None, Bytes::new())).await?;
                if answer.is_success() && answer.body.len() != SMALL_FILE {
                    return Err("a file is incomplete".into());
                }
                Ok(answer)
            }
            Action::Tickets => self.line.ask(self.get(TICKETS)).await,
            Action::Write => {
                let ticket = json!({
                    "subject": "Dúvida sobre o balancete", "message": "Poderiam explicar a terceira linha?",
                    "category": "support", "priority": "normal", "status": "open",
                    "idempotency_key": Uuid::from_u128(fastrand::u128(..)),
                });
                self.line.ask(self.post("/rest/v1/tickets", ticket.to_string())).await
            }
            Action::Refresh => {
                let body = json!({"refresh_token": self.refresh}).to_string();
                let path = "/auth/v1/token?grant_type=refresh_token";
                let answer = self
                    .line
                    .ask(request(Method::POST, path, Some(&self.key), body.into()))
                    .await?;
                if answer.is_success() {
                    self.take(&answer)?;
                }
                Ok(answer)
            }
        }
    }

    fn get(&self, path: &str) -> Request {
        request(Method::GET, path, Some(&self.access), Bytes::new())
    }

    fn post(&self, path: &str, body: String) -> Request {
        request(Method::POST, path, Some(&self.access), body.into())
    }
}

/// Size of each client's stored file, in bytes.
pub(crate) const SMALL_FILE: usize = 100_000;

/// The object name of a client's stored file.
pub(crate) fn file(client: Uuid) -> String {
    format!("public/{client}/contratos/1767225600000-contrato.pdf")
}

/// The sign-in request of a client.
pub(crate) fn sign_in(client: Uuid, key: &str) -> Request {
    let body = json!({"email": Dataset::email(client), "password": PASSWORD}).to_string();
    request(Method::POST, "/auth/v1/token?grant_type=password", Some(key), body.into())
}

/// Formats a response for a message.
pub(crate) fn describe(answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    format!("{} {}", answer.status, text.chars().take(200).collect::<String>())
}
