//! Keeps the sanitized pages of templates, so that a transaction that queues a mail finds its page ready.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{html_limits::LimitExceeded, layout::MailLayout};

/// Maximum number of pages. An office has about ten templates.
const MAX_PAGES: usize = 64;

/// Pages of templates by body and footer.
#[derive(Debug, Default)]
pub struct LayoutCache(Mutex<HashMap<[String; 2], Arc<str>>>);

impl LayoutCache {
    /// Returns [`MailLayout::custom`] with a kept page, or with a new page that is kept.
    ///
    /// # Errors
    /// Like [`MailLayout::custom`].
    pub fn custom(
        &self,
        subject: &str,
        body: &str,
        footer: &str,
    ) -> Result<MailLayout, LimitExceeded> {
        let key = [body, footer].map(str::to_owned);
        let pages = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = pages().get(&key).cloned();
        if let Some(html) = kept {
            return Ok(MailLayout { subject: subject.to_owned(), html });
        }
        let layout = MailLayout::custom(subject, body, footer)?;
        let mut pages = pages();
        if pages.len() >= MAX_PAGES
            && let Some(other) = pages.keys().next().cloned()
        {
            pages.remove(&other);
        }
        pages.insert(key, Arc::clone(&layout.html));
        Ok(layout)
    }
}
