//! Cache of the office's profile, which almost every page and mail shows.
//!
//! A node reads the profile again when its knowledge is older than two seconds, so a change by another node needs no
//! restart. Its own changes expire the cache when they are committed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};

use crate::{
    config::Config,
    db::{Error, Tx},
    office::OfficeProfile,
};

/// Time after which a node reads the profile again.
const MAX_AGE: SignedDuration = SignedDuration::from_secs(2);

/// The profile as this node knows it.
#[derive(Debug, Default)]
pub struct OfficeCache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    profile: Option<Arc<OfficeProfile>>,
    /// The time of the last read; `None` if the profile has expired.
    at: Option<Timestamp>,
    /// Number of expirations. A read that began before one must not be kept.
    expirations: u64,
}

impl OfficeCache {
    /// Returns the profile if it need not be read again.
    #[must_use]
    pub fn fresh(&self, now: Timestamp) -> Option<Arc<OfficeProfile>> {
        let cached = self.cached();
        // The age is negative after the clock was set back.
        let age = cached.at.map(|at| now.duration_since(at));
        let is_fresh = age.is_some_and(|age| age >= SignedDuration::ZERO && age < MAX_AGE);
        cached.profile.clone().filter(|_| is_fresh)
    }

    /// Returns the profile of the last read, of any age.
    #[must_use]
    pub fn last(&self) -> Option<Arc<OfficeProfile>> {
        self.cached().profile.clone()
    }

    /// Returns the profile, which it reads if necessary.
    ///
    /// # Errors
    /// Database errors.
    pub fn get(
        &self,
        tx: &mut Tx<'_>,
        config: &Config,
        now: Timestamp,
    ) -> Result<Arc<OfficeProfile>, Error> {
        if let Some(profile) = self.fresh(now) {
            return Ok(profile);
        }
        let expirations = self.cached().expirations;
        let read = OfficeProfile::read(tx, config)?;
        let mut cached = self.cached();
        // An unchanged profile keeps the icons that were made of its logo.
        let profile = cached.profile.clone().filter(|known| **known == read);
        let profile = profile.unwrap_or_else(|| Arc::new(read));
        if cached.expirations == expirations {
            cached.profile = Some(Arc::clone(&profile));
            cached.at = Some(now);
        }
        Ok(profile)
    }

    /// Makes the next use read the profile again.
    pub fn expire(&self) {
        let mut cached = self.cached();
        cached.at = None;
        cached.expirations += 1;
    }

    fn cached(&self) -> MutexGuard<'_, Cached> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
