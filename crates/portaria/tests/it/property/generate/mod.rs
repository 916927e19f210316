//! Random requests based on the real schema: mostly valid, because only valid ones reach the rows.

mod account;
mod filter;
mod pool;
mod read;
mod search;
mod storage;
mod write;

use std::{fmt, net::Ipv4Addr};

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use portaria::schema::tables::TABLES;
use portaria::schema::{Column, Table};

pub(crate) use pool::Pool;
pub(crate) use storage::encoded;

use crate::harness::{
    TestPortal,
    request::{Answer, Request},
};
use crate::property::rng::Rng;

/// A request that can be sent to any number of portals.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    /// The path with the encoded query.
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Option<Vec<u8>>,
    /// The network address of the sender.
    pub(crate) from: Option<Ipv4Addr>,
}

impl Ask {
    pub(crate) fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), ..Self::default() }
    }

    pub(crate) fn query(&mut self, name: &str, value: &str) {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        let [name, value] = [name, value].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
        self.path = format!("{}{separator}{name}={value}", self.path);
    }

    pub(crate) fn header(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.push((name, value.into()));
    }

    /// Whether the request may change the state of the portal.
    pub(crate) fn changes_state(&self, answer: &Answer) -> bool {
        let undone =
            |(name, value): &(&str, String)| *name == "prefer" && value.contains("tx=rollback");
        if self.path.starts_with("/auth/") {
            // Mails and wrong passwords are counted.
            return true;
        }
        // Only the table API supports `tx=rollback`.
        let undone = self.path.starts_with("/rest/") && self.headers.iter().any(undone);
        answer.status.is_success() && !undone && !matches!(self.method, "GET" | "HEAD")
    }

    /// Sends the request with a token, or with the public key.
    pub(crate) async fn send(&self, portal: &TestPortal, token: Option<&str>) -> Answer {
        let mut request = Request::new(portal.router.clone(), self.method, &self.path);
        request = request.header("apikey", &portal.app.keys.anon);
        if let Some(address) = self.from {
            request = request.from(&address.to_string());
        }
        if let Some(token) = token {
            request = request.bearer(token);
        }
        if let Some(body) = &self.body {
            request = request.bytes("application/json", body.clone());
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.send().await
    }
}

/// The request as text, for failure messages.
impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "curl -X {} '{}'", self.method, self.path)?;
        for (name, value) in &self.headers {
            write!(f, " -H '{name}: {value}'")?;
        }
        if let Some(body) = &self.body {
            write!(f, " --data-binary '{}'", String::from_utf8_lossy(body))?;
        }
        Ok(())
    }
}

/// Generates requests.
pub(crate) struct Maker<'a> {
    pub(crate) rng: Rng,
    pool: &'a Pool,
    /// Whether this request may name things that do not exist.
    wild: bool,
    sees_hidden: bool,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(seed: u64, pool: &'a Pool, sees_hidden: bool) -> Self {
        let mut rng = Rng::new(seed);
        let wild = rng.percent(25);
        Self { rng, pool, wild, sees_hidden }
    }

    /// A request of any kind.
    pub(crate) fn ask(&mut self) -> Ask {
        let mut ask = match self.rng.below(100) {
            0..65 => self.read(),
            65..84 => self.write(),
            84..95 => self.storage(),
            95..98 => self.account(),
            _ => self.elsewhere(),
        };
        // Each request has another sender address, because rate limits are not the subject.
        let [a, b, c, d, ..] = self.rng.next().to_be_bytes();
        ask.from = Some(Ipv4Addr::new(a, b, c, d));
        ask
    }

    /// A name that is no table.
    fn elsewhere(&mut self) -> Ask {
        if self.rng.percent(20) {
            return self.oversized();
        }
        let paths = ["/", "/rpc/clients", "/users?select=*", "/Documents", "/documents/"];
        let method = if self.rng.percent(90) { "GET" } else { "PUT" };
        Ask::new(method, format!("/rest/v1{}", self.rng.pick(&paths)))
    }

    /// More elements than the limits allow.
    fn oversized(&mut self) -> Ask {
        let mut ask = Ask::new("GET", "/rest/v1/documents");
        let many = |part: &str, times: usize| vec![part; times].join(",");
        let times = *self.rng.pick(&[60, 200, 490, 900, 1_100]);
        match self.rng.below(9) {
            0 => ask.query("select", &many("*", times)),
            1 => ask.query("order", &many("name", times)),
            2 => {
                let embeds: Vec<String> = (0..times).map(|n| format!("e{n}:folders()")).collect();
                ask.query("select", &embeds.join(","));
            }
            3 => {
                let embeds: Vec<String> =
                    (0..times).map(|n| format!("e{n}:document_receipts(count)")).collect();
                ask.query("select", &embeds.join(","));
            }
            4 => ask.query("or", &format!("({})", many("size.eq.1", times))),
            5 => ask.query("size", &format!("eq(any).{{{}}}", many("1", times))),
            6 => (0..13).for_each(|_| ask.query("size", &format!("in.({})", many("1", times)))),
            7 => (0..times).for_each(|_| ask.query("size", "gte.0")),
            _ => {
                ask.query("select", "folders!inner(documents!inner())");
                ask.query("folders.documents.size", &format!("in.({})", many("1", times)));
                (0..times / 4).for_each(|_| ask.query("folders", "not.is.null"));
                (0..times / 8).for_each(|_| ask.query("folders.documents", "not.is.null"));
            }
        }
        ask
    }

    fn table(&mut self) -> &'static Table {
        // Tables with many rows are queried more often.
        let often = ["documents", "documents", "documents", "tickets", "folders", "clients"];
        if self.rng.percent(70) {
            let name = *self.rng.pick(&often);
            portaria::schema::tables::find_table(name).unwrap()
        } else {
            self.rng.pick(TABLES)
        }
    }

    /// A column of a table that the caller can see; in an invalid request sometimes another one.
    fn column(&mut self, table: &'static Table) -> &'static Column {
        loop {
            let column = self.rng.pick(table.columns);
            if self.sees_hidden || !column.staff_only || (self.wild && self.rng.percent(20)) {
                return column;
            }
        }
    }

    /// The name of a column, sometimes quoted; in an invalid request sometimes an unknown one.
    fn name(&mut self, name: &str) -> String {
        let others = ["nonesuch", "password_hash", "owner_id", "", "a b", "id;drop", "ID", "count"];
        let name = if self.wild && self.rng.percent(8) { *self.rng.pick(&others) } else { name };
        if self.rng.percent(8) { format!("\"{name}\"") } else { name.to_owned() }
    }
}
