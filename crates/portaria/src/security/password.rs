//! Password hashing with argon2id, outside the async threads and on at most one thread per core.
//!
//! The crate `argon2` computes the hashes. The queue bounds memory and CPU: each hash takes 19 MiB.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use argon2::{Algorithm, Argon2, Block, Params, PasswordHash, Version, password_hash::phc::Output};
use subtle::ConstantTimeEq;
use tokio::{sync::Semaphore, time::timeout};

use crate::security::keys;

/// Cost parameters of argon2id.
#[derive(Debug, Clone, Copy)]
struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

/// Cost of new hashes (OWASP Password Storage Cheat Sheet).
const COST: Cost = Cost { memory_kib: 19 * 1024, passes: 2, lanes: 1 };
/// Maximum cost of stored hashes. Hashes beyond it are rejected, because verifying them is too expensive.
const MAX_COST: Cost = Cost { memory_kib: 64 * 1024, passes: 4, lanes: 4 };
/// Maximum length of a password, in bytes. Longer passwords are rejected before hashing.
pub const MAX_LENGTH: usize = 1024;
/// Maximum number of requests that wait for a core.
const MAX_WAITING: usize = 64;
/// Maximum time that a request waits for a core.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// Working memory of argon2.
type Memory = Vec<Block>;

/// Hashes and verifies passwords.
#[derive(Debug)]
pub struct Passwords {
    /// Cost of new hashes.
    cost: Cost,
    cores: Arc<Semaphore>,
    /// Working memory, reused between hashes: allocating it for each makes a hash take half as long again.
    memory_pool: Arc<Mutex<Vec<Memory>>>,
    queue: Arc<Semaphore>,
    /// Hash to verify against when there is no stored hash, so that unknown accounts take the same time.
    dummy_hash: String,
}

/// Too many requests wait for password hashing.
#[derive(Debug, Clone, Copy)]
pub struct HashingOverloaded;

impl Default for Passwords {
    fn default() -> Self {
        Self::new(COST)
    }
}

impl Passwords {
    /// Creates hashes at another cost than the default one: `memory` in KiB, at least 8. The tests lower the cost,
    /// because most of them hash passwords and few are about hashing. Stored hashes of any cost can be verified.
    #[must_use]
    pub fn with_cost(memory: u32, passes: u32) -> Self {
        Self::new(Cost { memory_kib: memory, passes, lanes: 1 })
    }

    fn new(cost: Cost) -> Self {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            cost,
            cores: Arc::new(Semaphore::new(cores)),
            memory_pool: Arc::default(),
            queue: Arc::new(Semaphore::new(cores + MAX_WAITING)),
            dummy_hash: hash(b"dummy password", cost, &mut Memory::new()),
        }
    }

    /// Hashes a password into the PHC string format.
    ///
    /// # Errors
    /// [`HashingOverloaded`] if the queue is full or the wait too long.
    pub async fn hash(&self, password: String) -> Result<String, HashingOverloaded> {
        let cost = self.cost;
        self.run_on_core(move |memory| hash(password.as_bytes(), cost, memory)).await
    }

    /// Verifies a password against a stored hash. Takes the same time without a hash. A password beyond [`MAX_LENGTH`]
    /// does not match.
    ///
    /// # Errors
    /// [`HashingOverloaded`] if the queue is full or the wait too long.
    pub async fn verify(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, HashingOverloaded> {
        if password.len() > MAX_LENGTH {
            return Ok(false);
        }
        let has_hash = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.dummy_hash.clone());
        let work = move |memory: &mut Memory| verify(password.as_bytes(), &stored, memory);
        self.run_on_core(work).await.map(|equal| equal && has_hash)
    }

    async fn run_on_core<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<T, HashingOverloaded> {
        let queue_slot =
            Arc::clone(&self.queue).try_acquire_owned().map_err(|_| HashingOverloaded)?;
        let core = Arc::clone(&self.cores).acquire_owned();
        let core = timeout(MAX_WAIT, core)
            .await
            .map_err(|_| HashingOverloaded)?
            .map_err(|_| HashingOverloaded)?;
        let memory_pool = Arc::clone(&self.memory_pool);
        let work = move || {
            // The computation continues after its request is canceled, so the core stays occupied until it ends.
            let _permits = (queue_slot, core);
            let memory_pool = || memory_pool.lock().unwrap_or_else(PoisonError::into_inner);
            let mut memory = memory_pool().pop().unwrap_or_default();
            let result = work(&mut memory);
            memory_pool().push(memory);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| HashingOverloaded)
    }
}

fn hash(password: &[u8], cost: Cost, memory: &mut Memory) -> String {
    let Cost { memory_kib, passes, lanes } = cost;
    let mut salt = [0; 16];
    keys::random_bytes(&mut salt);
    let params =
        Params::new(memory_kib, passes, lanes, Some(32)).expect("the parameters are in range");
    let output =
        compute(password, &salt, &params, memory).expect("salt and output have valid lengths");
    let text = |bytes: &[u8]| {
        use base64::Engine;
        base64::prelude::BASE64_STANDARD_NO_PAD.encode(bytes)
    };
    format!(
        "$argon2id$v=19$m={memory_kib},t={passes},p={lanes}${}${}",
        text(&salt),
        text(output.as_ref())
    )
}

fn verify(password: &[u8], stored: &str, memory: &mut Memory) -> bool {
    let Some((salt, params, expected)) = read(stored) else { return false };
    compute(password, &salt, &params, memory)
        .is_some_and(|output| output.ct_eq(expected.as_ref()).into())
}

/// Returns whether this server can verify a hash that another program created.
#[must_use]
pub fn is_well_formed_hash(stored: &str) -> bool {
    read(stored).is_some()
}

/// Parses a PHC string. `None` if it is no argon2id hash or exceeds [`MAX_COST`].
fn read(stored: &str) -> Option<(Vec<u8>, Params, Output)> {
    let stored = PasswordHash::new(stored).ok()?;
    let params = Params::try_from(&stored).ok()?;
    let is_bounded = params.m_cost() <= MAX_COST.memory_kib
        && params.t_cost() <= MAX_COST.passes
        && params.p_cost() <= MAX_COST.lanes;
    if stored.algorithm.as_str() != "argon2id" || !is_bounded {
        return None;
    }
    Some((stored.salt?.as_ref().to_vec(), params, stored.hash?))
}

fn compute(password: &[u8], salt: &[u8], params: &Params, memory: &mut Memory) -> Option<Vec<u8>> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let mut output = vec![0; params.output_len().unwrap_or(32)];
    let blocks = params.block_count();
    if memory.len() < blocks {
        memory.resize(blocks, Block::default());
    }
    let memory = memory.get_mut(..blocks)?;
    argon2.hash_password_into_with_memory(password, salt, &mut output, memory).ok()?;
    Some(output)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use tokio::time::timeout;

    use crate::security::password::{
        COST, HashingOverloaded, MAX_LENGTH, Memory, Passwords, is_well_formed_hash,
    };

    fn hash(password: &[u8]) -> String {
        super::hash(password, COST, &mut Memory::new())
    }

    fn verify(password: &[u8], stored: &str) -> bool {
        super::verify(password, stored, &mut Memory::new())
    }

    #[test]
    fn hash_verifies_only_its_password() {
        let stored = hash("ação".as_bytes());
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(verify("ação".as_bytes(), &stored));
        assert!(!verify("acao".as_bytes(), &stored));
        assert_ne!(stored, hash("ação".as_bytes()));
    }

    #[test]
    fn hash_with_excessive_parameters_is_rejected() {
        let stored = hash(b"secret").replace("m=19456", "m=4194304");
        assert!(!verify(b"secret", &stored));
        assert!(!verify(b"secret", "not a hash"));
        assert!(
            is_well_formed_hash(&hash(b"secret"))
                && !is_well_formed_hash(&stored)
                && !is_well_formed_hash("not a hash")
        );
    }

    #[tokio::test]
    async fn cost_applies_to_new_hashes_only() {
        let passwords = Passwords::with_cost(8, 1);
        let stored = passwords.hash("secret".into()).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"));
        for stored in [stored, hash(b"secret")] {
            assert!(passwords.verify("secret".into(), Some(stored)).await.unwrap());
        }
    }

    #[tokio::test]
    async fn canceled_hash_occupies_its_core_until_done() {
        let passwords = Passwords::default();
        let (cores, queue_slots) =
            (passwords.cores.available_permits(), passwords.queue.available_permits());
        let (go, wait) = mpsc::channel::<()>();
        let begun = passwords.run_on_core(move |_| wait.recv());
        assert!(timeout(Duration::from_millis(1), begun).await.is_err());
        assert_eq!(passwords.cores.available_permits(), cores - 1);
        assert_eq!(passwords.queue.available_permits(), queue_slots - 1);
        go.send(()).unwrap();
        let all = u32::try_from(cores).unwrap();
        drop(passwords.cores.acquire_many(all).await.unwrap());
        assert_eq!(passwords.memory_pool.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn overlong_password_fails_without_hashing() {
        let passwords = Passwords::default();
        let cores = u32::try_from(passwords.cores.available_permits()).unwrap();
        let _taken = passwords.cores.acquire_many(cores).await.unwrap();
        let long = "x".repeat(MAX_LENGTH + 1);
        assert!(passwords.verify(long, None).await.is_ok_and(|matches| !matches));
    }

    #[tokio::test]
    async fn verify_is_overloaded_when_no_core_becomes_free() {
        let passwords = Passwords::default();
        let cores = u32::try_from(passwords.cores.available_permits()).unwrap();
        let taken = passwords.cores.acquire_many(cores).await.unwrap();
        assert!(matches!(passwords.verify("secret".into(), None).await, Err(HashingOverloaded)));
        drop(taken);
        assert!(
            passwords
                .verify("secret".into(), Some(hash(b"secret")))
                .await
                .is_ok_and(|matches| matches)
        );
    }
}
