//! The signing keys that are in force, as this node knows them.
//!
//! A node reads the keys again when its knowledge is older than a second, and at once when a token names a key that it
//! does not know. Revocations and rotations by other nodes, or by a command, need no restart.

use std::sync::{
    Arc, RwLock, RwLockReadGuard,
    atomic::{AtomicU64, Ordering},
};

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::{
    clock::format_timestamp,
    db::{Db, Error, Tx},
    security::{
        cipher::Cipher,
        ids::SigningKeyId,
        jwt::{self, TokenKey},
        signing_key::SigningKey,
    },
};

/// Time after which a node reads the keys again.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(1);
/// Time during which a retired key still verifies tokens: the maximum of `access_token_life`, and an hour in reserve
/// for clocks that differ.
pub const OVERLAP: SignedDuration = SignedDuration::from_hours(7 * 24 + 1);

/// The keys, with the time at which they were read.
#[derive(Clone, Default)]
struct LoadedKeys {
    keys: Vec<Arc<SigningKey>>,
    /// Keys that the present portal secret cannot decrypt.
    unreadable: Vec<SigningKeyId>,
    at: Option<Timestamp>,
}

/// Cache of the signing keys.
pub struct KeyRing {
    cipher: Cipher,
    loaded: RwLock<LoadedKeys>,
    /// Held while keys are read. Its value is the number of the last read that succeeded.
    reading: Mutex<u64>,
    /// Number of reads that began.
    reads: AtomicU64,
}

impl KeyRing {
    pub(crate) fn new(cipher: Cipher) -> Self {
        Self {
            cipher,
            loaded: RwLock::default(),
            reading: Mutex::default(),
            reads: AtomicU64::default(),
        }
    }

    /// Creates a key, and returns its private key in the form in which the database stores it.
    #[must_use]
    pub fn generate(&self, id: SigningKeyId) -> String {
        SigningKey::generate(id, &self.cipher)
    }

    /// Ensures that this node knows the keys that are in force, if a token names one.
    ///
    /// # Errors
    /// Database errors.
    pub async fn load_for(&self, token: &str, db: &Db, now: Timestamp) -> Result<(), Error> {
        match jwt::token_key(token) {
            Ok(TokenKey::SigningKey(id)) if !self.is_fresh(now) || self.get(id).is_none() => {
                self.read(db, now).await
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Returns the public keys of all keys in force, as JSON Web Keys.
    ///
    /// # Errors
    /// Database errors.
    pub async fn jwks(&self, db: &Db, now: Timestamp) -> Result<Vec<Value>, Error> {
        self.read(db, now).await?;
        Ok(self.loaded().keys.iter().map(|key| key.jwk().clone()).collect())
    }

    /// Returns the stored keys that the portal secret cannot decrypt.
    ///
    /// # Errors
    /// Database errors.
    pub async fn unreadable(&self, db: &Db, now: Timestamp) -> Result<Vec<SigningKeyId>, Error> {
        let mut stored = db.read(move |tx| in_force(tx, now)).await?;
        stored.retain(|(id, key)| SigningKey::open(*id, key, &self.cipher).is_none());
        Ok(stored.into_iter().map(|(id, _)| id).collect())
    }

    /// Returns a key that is in force.
    pub(crate) fn get(&self, id: SigningKeyId) -> Option<Arc<SigningKey>> {
        self.loaded().keys.iter().find(|key| key.id() == id).cloned()
    }

    /// Reads the keys again. Requests that wait share one read: tokens with invented ids, and requests for the key set,
    /// occupy at most one connection.
    async fn read(&self, db: &Db, now: Timestamp) -> Result<(), Error> {
        let begun = self.reads.load(Ordering::SeqCst);
        let mut last = self.reading.lock().await;
        if *last > begun {
            // A read that began after this request arrived has succeeded.
            return Ok(());
        }
        let number = self.reads.fetch_add(1, Ordering::SeqCst) + 1;
        let rows = db.read(move |tx| in_force(tx, now)).await?;
        self.replace(rows, now);
        *last = number;
        Ok(())
    }

    /// Returns the key that signs new tokens, as the transaction sees it. `None` if the portal secret signs them.
    pub(crate) fn active(&self, tx: &mut Tx<'_>) -> Result<Option<Arc<SigningKey>>, Error> {
        let mut query = Query::select();
        query.columns(["id", "private_key"]).from("signing_keys");
        let rows = tx.rows(query.and_where(Expr::col("state").eq("active")))?;
        let Some(row) = rows.first() else { return Ok(None) };
        let id = row.parse(0)?;
        if let Some(key) = self.get(id) {
            return Ok(Some(key));
        }
        let key = SigningKey::open(id, row.text(1)?, &self.cipher).map(Arc::new);
        if key.is_none() {
            log_unreadable(id);
        }
        Ok(key)
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        // The age is negative after the clock was set back.
        let age = self.loaded().at.map(|at| now.duration_since(at));
        age.is_some_and(|age| age >= SignedDuration::ZERO && age < MAX_AGE)
    }

    /// Replaces the keys. A key that the node has already is not decrypted again.
    fn replace(&self, rows: Vec<(SigningKeyId, String)>, now: Timestamp) {
        let known = self.loaded().clone();
        let mut loaded = LoadedKeys { at: Some(now), ..LoadedKeys::default() };
        for (id, stored) in rows {
            let open = || SigningKey::open(id, &stored, &self.cipher).map(Arc::new);
            match known.keys.iter().find(|key| key.id() == id).cloned().or_else(open) {
                Some(key) => loaded.keys.push(key),
                None => loaded.unreadable.push(id),
            }
        }
        for id in loaded.unreadable.iter().filter(|id| !known.unreadable.contains(id)) {
            log_unreadable(*id);
        }
        *self.loaded.write().expect("no thread panics while it holds the lock") = loaded;
    }

    fn loaded(&self) -> RwLockReadGuard<'_, LoadedKeys> {
        self.loaded.read().expect("no thread panics while it holds the lock")
    }
}

fn log_unreadable(id: SigningKeyId) {
    tracing::error!(key_id = %id, "signing key cannot be decrypted with the portal secret");
}

/// Returns the stored keys that verify tokens, oldest first.
fn in_force(tx: &mut Tx<'_>, now: Timestamp) -> Result<Vec<(SigningKeyId, String)>, Error> {
    let is_in_force = Expr::col("state")
        .ne("retired")
        .or(Expr::col("state_since").gt(format_timestamp(now - OVERLAP)));
    let mut query = Query::select();
    query.columns(["id", "private_key"]).from("signing_keys");
    query.and_where(is_in_force).order_by("id", Order::Asc);
    let rows = tx.rows(&query)?;
    rows.iter().map(|row| Ok((row.parse(0)?, row.text(1)?.to_owned()))).collect()
}
