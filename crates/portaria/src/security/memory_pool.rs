//! Memory for simultaneous work, with a maximum share for each person, so that one person cannot use all of it.
//! Counted per node.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::security::ids::UserId;

/// Unit of the pool. Bytes.
const UNIT: usize = 1 << 10;

/// A pool of memory. `K` identifies a person, or a visitor without an account.
#[derive(Debug)]
pub struct MemoryPool<K: Hash + Eq + Copy = UserId> {
    total: Arc<Semaphore>,
    /// Maximum number of units of one person.
    share: usize,
    /// The shares that are in use.
    shares: Mutex<HashMap<K, Weak<Semaphore>>>,
}

/// Memory of a pool. Dropping it returns it.
#[derive(Debug)]
pub struct MemoryPermit {
    total: OwnedSemaphorePermit,
    /// The same number of units of the person's share.
    share: Option<OwnedSemaphorePermit>,
}

impl<K: Hash + Eq + Copy> MemoryPool<K> {
    /// Creates a pool of `total` bytes, of which each person can hold `share` bytes.
    #[must_use]
    pub fn new(total: usize, share: usize) -> Self {
        let total = (total / UNIT).min(Semaphore::MAX_PERMITS);
        let share = (share / UNIT).min(total);
        Self { total: Arc::new(Semaphore::new(total)), share, shares: Mutex::default() }
    }

    /// Acquires memory, rounded up to KiB. `None` if it is not free now.
    #[must_use]
    pub fn try_acquire(&self, person: Option<K>, bytes: usize) -> Option<MemoryPermit> {
        let units = units(bytes);
        let share = match self.share_of(person) {
            Some(share) => Some(share.try_acquire_many_owned(units).ok()?),
            None => None,
        };
        let total = Arc::clone(&self.total).try_acquire_many_owned(units).ok()?;
        Some(MemoryPermit { total, share })
    }

    /// Waits for memory, rounded up to KiB. Waits forever for more than a share or the pool.
    pub async fn acquire(&self, person: Option<K>, bytes: usize) -> MemoryPermit {
        const OPEN: &str = "the semaphores are never closed";
        let units = units(bytes);
        let share = match self.share_of(person) {
            Some(share) => Some(share.acquire_many_owned(units).await.expect(OPEN)),
            None => None,
        };
        let total = Arc::clone(&self.total).acquire_many_owned(units).await.expect(OPEN);
        MemoryPermit { total, share }
    }

    /// Returns the free memory in bytes.
    #[must_use]
    pub fn available(&self) -> usize {
        self.total.available_permits() * UNIT
    }

    fn share_of(&self, person: Option<K>) -> Option<Arc<Semaphore>> {
        let person = person?;
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(&person).and_then(Weak::upgrade) {
            return Some(share);
        }
        shares.retain(|_, share| share.strong_count() > 0);
        let share = Arc::new(Semaphore::new(self.share));
        shares.insert(person, Arc::downgrade(&share));
        Some(share)
    }
}

impl MemoryPermit {
    /// Returns the memory in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.total.num_permits() * UNIT
    }

    /// Adds memory of the same person.
    pub fn merge(&mut self, more: Self) {
        self.total.merge(more.total);
        if let (Some(share), Some(more)) = (&mut self.share, more.share) {
            share.merge(more);
        }
    }

    /// Takes a part, rounded up to KiB, or all if that is less.
    #[must_use]
    pub fn split(&mut self, bytes: usize) -> Option<Self> {
        let units = bytes.div_ceil(UNIT).min(self.total.num_permits());
        let share = match &mut self.share {
            Some(share) => Some(share.split(units)?),
            None => None,
        };
        Some(Self { total: self.total.split(units)?, share })
    }
}

fn units(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{MemoryPool, UserId};

    #[test]
    fn each_person_holds_at_most_a_share() {
        let pool = MemoryPool::new(10 << 10, 6 << 10);
        let [ana, rui] = [1, 2].map(|id| Some(UserId(Uuid::from_u128(id))));
        let mut first = pool.try_acquire(ana, 3_000).unwrap();
        first.merge(pool.try_acquire(ana, 3 << 10).unwrap());
        assert_eq!((first.bytes(), pool.available()), (6 << 10, 4 << 10));
        assert!(pool.try_acquire(ana, 1).is_none());
        let second = pool.try_acquire(rui, 4 << 10).unwrap();
        assert!(pool.try_acquire(None, 1).is_none());
        drop(first.split(2 << 10));
        assert!(pool.try_acquire(None, 1 << 10).is_some());
        assert!(pool.try_acquire(ana, 2 << 10).is_some());
        drop((first, second));
        assert_eq!(pool.available(), 10 << 10);
        // A person without memory leaves no entry behind the next one.
        assert!(pool.try_acquire(rui, 1).is_some());
        assert_eq!(pool.shares.lock().unwrap().len(), 1);
    }
}
