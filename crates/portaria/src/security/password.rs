//! Passwords: argon2id off the async threads, at most one per core at a time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use argon2::{Algorithm, Argon2, Block, Params, PasswordHash, Version, password_hash::phc::Output};
use subtle::ConstantTimeEq;
use tokio::{sync::Semaphore, time::timeout};

use crate::security::keys;

/// OWASP's recommendation: 19 MiB, two passes, one lane.
const PARAMS: (u32, u32, u32) = (19 * 1024, 2, 1);
/// Stored parameters beyond these are refused rather than computed.
const MAX_PARAMS: (u32, u32, u32) = (64 * 1024, 4, 4);
/// Longer passwords are refused before hashing. Bytes.
pub const MAX_LENGTH: usize = 1024;
/// So many may wait for a core; the next is told to come back.
const MAX_WAITING: usize = 64;
/// And whoever waits for so long: on a slow machine even these are too many.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The hash's memory.
type Memory = Vec<Block>;

/// Hashes and checks passwords.
#[derive(Debug)]
pub struct Passwords {
    cores: Arc<Semaphore>,
    /// A core's memory, kept between passwords: a fresh one takes half as long again.
    memories: Arc<Mutex<Vec<Memory>>>,
    waiting: Arc<Semaphore>,
    /// What the password of an unknown person is compared with, so that it takes as long as a known one's.
    nobody: String,
}

/// Too many passwords wait to be checked already.
#[derive(Debug, Clone, Copy)]
pub struct HashingOverloaded;

impl Default for Passwords {
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            cores: Arc::new(Semaphore::new(cores)),
            memories: Arc::default(),
            waiting: Arc::new(Semaphore::new(cores + MAX_WAITING)),
            nobody: hash(b"nobody has this password", &mut Memory::new()),
        }
    }
}

impl Passwords {
    /// The hash to store for a password, in the PHC string format.
    ///
    /// # Errors
    /// [`Busy`] when too many wait.
    pub async fn hash(&self, password: String) -> Result<String, HashingOverloaded> {
        self.run(move |memory| hash(password.as_bytes(), memory)).await
    }

    /// Whether a password is the one behind `stored`. Takes as long for a person who has none, or does not exist;
    /// one that is too long is nobody's.
    ///
    /// # Errors
    /// [`Busy`] when too many wait.
    pub async fn verify(
        &self,
        password: String,
        stored: Option<String>,
    ) -> Result<bool, HashingOverloaded> {
        if password.len() > MAX_LENGTH {
            return Ok(false);
        }
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| self.nobody.clone());
        let work = move |memory: &mut Memory| verify(password.as_bytes(), &stored, memory);
        self.run(work).await.map(|equal| equal && known)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Memory) -> T + Send + 'static,
    ) -> Result<T, HashingOverloaded> {
        let place = Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| HashingOverloaded)?;
        let core = Arc::clone(&self.cores).acquire_owned();
        let core = timeout(MAX_WAIT, core)
            .await
            .map_err(|_| HashingOverloaded)?
            .map_err(|_| HashingOverloaded)?;
        let memories = Arc::clone(&self.memories);
        let work = move || {
            // The work goes on when whoever asked for it is gone, so the core is taken until it ends.
            let _held = (place, core);
            let memories = || memories.lock().unwrap_or_else(PoisonError::into_inner);
            let mut memory = memories().pop().unwrap_or_default();
            let done = work(&mut memory);
            memories().push(memory);
            done
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| HashingOverloaded)
    }
}

fn hash(password: &[u8], memory: &mut Memory) -> String {
    let (kib, passes, lanes) = PARAMS;
    let mut salt = [0; 16];
    keys::random_bytes(&mut salt);
    let params = Params::new(kib, passes, lanes, Some(32)).expect("the constants are in range");
    let output =
        compute(password, &salt, &params, memory).expect("salt and output have legal lengths");
    let text = |bytes: &[u8]| {
        use base64::Engine;
        base64::prelude::BASE64_STANDARD_NO_PAD.encode(bytes)
    };
    format!("$argon2id$v=19$m={kib},t={passes},p={lanes}${}${}", text(&salt), text(output.as_ref()))
}

fn verify(password: &[u8], stored: &str, memory: &mut Memory) -> bool {
    let Some((salt, params, expected)) = read(stored) else { return false };
    compute(password, &salt, &params, memory)
        .is_some_and(|output| output.ct_eq(expected.as_ref()).into())
}

/// Whether a hash made elsewhere is one that this portal can check, and will.
#[must_use]
pub fn is_well_formed_hash(stored: &str) -> bool {
    read(stored).is_some()
}

/// Salt, parameters and hash of a stored string, if it is of our kind and within bounds.
fn read(stored: &str) -> Option<(Vec<u8>, Params, Output)> {
    let stored = PasswordHash::new(stored).ok()?;
    let params = Params::try_from(&stored).ok()?;
    let (memory, passes, lanes) = MAX_PARAMS;
    let bounded =
        params.m_cost() <= memory && params.t_cost() <= passes && params.p_cost() <= lanes;
    if stored.algorithm.as_str() != "argon2id" || !bounded {
        return None;
    }
    Some((stored.salt?.as_ref().to_vec(), params, stored.hash?))
}

fn compute(password: &[u8], salt: &[u8], params: &Params, memory: &mut Memory) -> Option<Vec<u8>> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let mut output = vec![0; params.output_len().unwrap_or(32)];
    let needed = params.block_count();
    if memory.len() < needed {
        memory.resize(needed, Block::default());
    }
    let memory = memory.get_mut(..needed)?;
    argon2.hash_password_into_with_memory(password, salt, &mut output, memory).ok()?;
    Some(output)
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use tokio::time::timeout;

    use crate::security::password::{
        HashingOverloaded, MAX_LENGTH, Memory, Passwords, is_well_formed_hash,
    };

    fn hash(password: &[u8]) -> String {
        super::hash(password, &mut Memory::new())
    }

    fn verify(password: &[u8], stored: &str) -> bool {
        super::verify(password, stored, &mut Memory::new())
    }

    #[test]
    fn a_hash_fits_its_password_alone() {
        let stored = hash("ação".as_bytes());
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
        assert!(verify("ação".as_bytes(), &stored));
        assert!(!verify("acao".as_bytes(), &stored));
        assert_ne!(stored, hash("ação".as_bytes()));
    }

    #[test]
    fn a_hash_that_would_cost_too_much_is_refused() {
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
    async fn who_goes_away_leaves_the_core_to_the_work_that_goes_on() {
        let passwords = Passwords::default();
        let (cores, places) =
            (passwords.cores.available_permits(), passwords.waiting.available_permits());
        let (go, wait) = mpsc::channel::<()>();
        let begun = passwords.run(move |_| wait.recv());
        assert!(timeout(Duration::from_millis(1), begun).await.is_err());
        assert_eq!(passwords.cores.available_permits(), cores - 1);
        assert_eq!(passwords.waiting.available_permits(), places - 1);
        go.send(()).unwrap();
        let all = u32::try_from(cores).unwrap();
        drop(passwords.cores.acquire_many(all).await.unwrap());
        assert_eq!(passwords.memories.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_password_that_is_too_long_is_wrong_without_a_core() {
        let passwords = Passwords::default();
        let cores = u32::try_from(passwords.cores.available_permits()).unwrap();
        let _taken = passwords.cores.acquire_many(cores).await.unwrap();
        let long = "x".repeat(MAX_LENGTH + 1);
        assert!(passwords.verify(long, None).await.is_ok_and(|is| !is));
    }

    #[tokio::test]
    async fn who_waits_for_a_core_in_vain_is_told_to_come_back() {
        let passwords = Passwords::default();
        let cores = u32::try_from(passwords.cores.available_permits()).unwrap();
        let taken = passwords.cores.acquire_many(cores).await.unwrap();
        assert!(matches!(passwords.verify("secret".into(), None).await, Err(HashingOverloaded)));
        drop(taken);
        assert!(passwords.verify("secret".into(), Some(hash(b"secret"))).await.is_ok_and(|is| is));
    }
}
