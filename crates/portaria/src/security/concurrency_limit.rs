//! Limits of simultaneous work per key, such as the connections of one address. Counted in memory, per node.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
};

/// A maximum number of simultaneous permits per key.
#[derive(Debug)]
pub struct ConcurrencyLimit<K: Hash + Eq + Copy> {
    max: usize,
    held: Arc<Mutex<HashMap<K, usize>>>,
}

/// A permit for one key, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct ConcurrencyPermit<K: Hash + Eq + Copy> {
    key: K,
    held: Arc<Mutex<HashMap<K, usize>>>,
}

impl<K: Hash + Eq + Copy> ConcurrencyLimit<K> {
    /// Creates a limit of `max` permits per key.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { max, held: Arc::default() }
    }

    /// Acquires a permit. `None` if the key holds the maximum.
    #[must_use]
    pub fn acquire(&self, key: K) -> Option<ConcurrencyPermit<K>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let count = held.entry(key).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(ConcurrencyPermit { key, held: Arc::clone(&self.held) })
    }
}

impl<K: Hash + Eq + Copy> Drop for ConcurrencyPermit<K> {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = held.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::security::concurrency_limit::ConcurrencyLimit;

    #[test]
    fn each_key_holds_at_most_the_maximum() {
        let limit = ConcurrencyLimit::new(2);
        let one = limit.acquire("ana").unwrap();
        let _two = limit.acquire("ana").unwrap();
        assert!(limit.acquire("ana").is_none());
        drop(limit.acquire("rui").unwrap());
        drop(one);
        drop(limit.acquire("ana").unwrap());
        // A key without permits takes no memory.
        assert_eq!(limit.held.lock().unwrap().len(), 1);
    }
}
