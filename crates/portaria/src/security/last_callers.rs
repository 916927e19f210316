//! The caller to whom each session resolved last: a prediction of the next one, which grants nothing
//! (`accounts/resolve.rs`).

use std::{collections::HashMap, sync::Mutex};

use crate::security::{caller::Caller, ids::SessionId};

/// Maximum number of sessions.
const MAX_ENTRIES: usize = 10_000;

/// The callers by session.
#[derive(Debug, Default)]
pub struct LastCallers(Mutex<HashMap<SessionId, Caller>>);

impl LastCallers {
    /// Returns the caller to whom a session resolved last.
    pub(crate) fn get(&self, session: SessionId) -> Option<Caller> {
        self.0.lock().expect("no thread panics while it holds the lock").get(&session).copied()
    }

    /// Remembers the caller to whom a session resolved.
    pub(crate) fn remember(&self, session: SessionId, caller: Caller) {
        let mut entries = self.0.lock().expect("no thread panics while it holds the lock");
        if entries.len() >= MAX_ENTRIES && !entries.contains_key(&session) {
            entries.clear();
        }
        entries.insert(session, caller);
    }
}
