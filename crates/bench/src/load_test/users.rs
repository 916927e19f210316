//! Clients at their browsers: each signed in on a line of their own, thinking between what they do.

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

use crate::load_test::connection::{Answer, Line};
use crate::{
    Outcome,
    dataset::{Office, PASSWORD},
    load::{Request, request},
    server::Server,
};

/// How long somebody looks at a page before they do something else; half of it more or less.
const THINKING: Duration = Duration::from_secs(5);
/// So many sign in at once to begin with.
const AT_THE_DOOR: usize = 4;

const SOON: &str = "/rest/v1/documents?select=id,name,type,file_url,expires_at&order=expires_at.asc,id.asc\
    &expires_at=gt.2026-01-01T00:00:00Z&limit=10";
const LATEST: &str =
    "/rest/v1/tickets?select=id,subject,created_at,status&order=created_at.desc,id.desc&limit=3";
const DOCUMENTS: &str = "/rest/v1/documents?select=id,name,type,created_at,expires_at,uploaded_at,file_url,status,\
    document_receipts(count)&folder_id_supabase=eq.contratos&order=uploaded_at.desc.nullslast,id.desc&limit=20";
const TICKETS: &str = "/rest/v1/tickets?select=id,created_at,updated_at,closed_at,status,subject,category,priority,\
    message,follows_id&order=created_at.desc,id.desc&limit=20";

/// What people do, with how often among twenty things.
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
    pub(crate) const ALL: [(Self, usize); 6] = [
        (Self::Home, 5),
        (Self::Documents, 5),
        (Self::Open, 5),
        (Self::Tickets, 3),
        (Self::Write, 1),
        (Self::Refresh, 1),
    ];

    fn any() -> Self {
        let all: usize = Self::ALL.iter().map(|(_, often)| often).sum();
        let mut number = fastrand::usize(..all);
        for (action, often) in Self::ALL {
            if number < often {
                return action;
            }
            number -= often;
        }
        Self::Home
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Home => "home: count, due soon, tickets",
            Self::Documents => "a folder's documents",
            Self::Open => "a link, and 100 kB behind it",
            Self::Tickets => "tickets",
            Self::Write => "write a ticket",
            Self::Refresh => "refresh the session",
        })
    }
}

/// How something went that somebody did.
#[derive(Debug, Clone)]
pub(crate) enum Went {
    Well,
    /// They were told to come back.
    Refused,
    /// Anything else, in words.
    Wrong(String),
}

/// Something that somebody did.
#[derive(Debug, Clone)]
pub(crate) struct Deed {
    pub(crate) action: Action,
    pub(crate) begun: Instant,
    pub(crate) took: Duration,
    pub(crate) went: Went,
}

/// Everybody, going on until they are sent home.
pub(crate) struct Crowd {
    people: JoinSet<()>,
    deeds: Arc<Mutex<Vec<Deed>>>,
    over: Arc<AtomicBool>,
}

impl Crowd {
    /// Signs in the first `count` clients, and has them begin; how long each sign-in took goes without saying.
    pub(crate) async fn arrive(server: &Server, office: &Office, count: usize) -> Outcome<Self> {
        let door = Arc::new(Semaphore::new(AT_THE_DOOR));
        let mut arriving = JoinSet::new();
        for client in office.clients.iter().take(count) {
            let (door, line) = (Arc::clone(&door), Line::new(server.address));
            let (client, key) = (*client, office.anon_key().to_owned());
            arriving.spawn(async move {
                let _turn = door.acquire().await?;
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
        Ok(Self { people, deeds, over })
    }

    /// What was begun between two moments, and has ended.
    pub(crate) fn deeds(&self, from: Instant, to: Instant) -> Vec<Deed> {
        let deeds = self.deeds.lock().unwrap_or_else(PoisonError::into_inner);
        deeds.iter().filter(|deed| (from..to).contains(&deed.begun)).cloned().collect()
    }

    /// Sends everybody home, at the end of what they are doing.
    pub(crate) async fn leave(mut self) -> Outcome<()> {
        self.over.store(true, Ordering::Relaxed);
        while let Some(person) = self.people.join_next().await {
            person?;
        }
        Ok(())
    }
}

/// A client.
struct Person {
    line: Line,
    key: String,
    access: String,
    refresh: String,
    /// The stored file that is theirs.
    file: String,
}

impl Person {
    async fn sign_in(mut line: Line, client: Uuid, key: String) -> Outcome<Self> {
        let answer = line.ask(sign_in(client, &key)).await?;
        let file = file(client);
        let mut person = Self { line, key, access: String::new(), refresh: String::new(), file };
        person.take(&answer)?;
        Ok(person)
    }

    /// Takes the tokens out of an answer.
    fn take(&mut self, answer: &Answer) -> Outcome<()> {
        if !answer.is_success() {
            return Err(told(answer).into());
        }
        let session: Value = serde_json::from_slice(&answer.body)?;
        let text = |name: &str| session[name].as_str().map(str::to_owned).ok_or("no tokens");
        (self.access, self.refresh) = (text("access_token")?, text("refresh_token")?);
        Ok(())
    }

    async fn live(mut self, deeds: Arc<Mutex<Vec<Deed>>>, over: Arc<AtomicBool>) {
        // Not all at once: whoever came first has looked around for a while.
        sleep(THINKING.mul_f64(fastrand::f64())).await;
        while !over.load(Ordering::Relaxed) {
            let (action, begun) = (Action::any(), Instant::now());
            let went = match self.act(action).await {
                Ok(answer) if answer.is_success() => Went::Well,
                Ok(answer) if answer.is_orderly_refusal() => Went::Refused,
                Ok(answer) => Went::Wrong(told(&answer)),
                Err(error) => Went::Wrong(error.to_string()),
            };
            let deed = Deed { action, begun, took: begun.elapsed(), went };
            deeds.lock().unwrap_or_else(PoisonError::into_inner).push(deed);
            sleep(THINKING.mul_f64(0.5 + fastrand::f64())).await;
        }
    }

    /// Does one thing; the first answer that is no success, or the last.
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
                    return Err("a file came short".into());
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

/// The bytes of each client's own file.
pub(crate) const SMALL_FILE: usize = 100_000;

/// Where a client's own file lies.
pub(crate) fn file(client: Uuid) -> String {
    format!("public/{client}/contratos/1767225600000-contrato.pdf")
}

/// A client's sign-in.
pub(crate) fn sign_in(client: Uuid, key: &str) -> Request {
    let body = json!({"email": Office::email(client), "password": PASSWORD}).to_string();
    request(Method::POST, "/auth/v1/token?grant_type=password", Some(key), body.into())
}

/// An answer in words.
pub(crate) fn told(answer: &Answer) -> String {
    let said = String::from_utf8_lossy(&answer.body);
    format!("{} {}", answer.status, said.chars().take(200).collect::<String>())
}
