//! The last examination of the installation. Examinations run one at a time, and callers share a recent result.

use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::Mutex;

/// Age up to which a result is answered again, so that many callers cause no more examinations than one.
const MAX_AGE: Duration = Duration::from_secs(5);

/// The result of the last examination with the time of its end.
#[derive(Debug, Default)]
pub struct LastExamination(Mutex<Option<(Instant, Value)>>);

impl LastExamination {
    /// Returns the last result if it is recent, or that of `examine`. Waits for an examination in progress.
    pub async fn recent_or(&self, examine: impl Future<Output = Value>) -> Value {
        let mut last = self.0.lock().await;
        if let Some((at, result)) = &*last
            && at.elapsed() < MAX_AGE
        {
            return result.clone();
        }
        let result = examine.await;
        *last = Some((Instant::now(), result.clone()));
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::json;

    use crate::telemetry::examination::LastExamination;

    #[tokio::test]
    async fn simultaneous_callers_share_one_examination() {
        let (last, runs) = (LastExamination::default(), AtomicU32::new(0));
        let examine = || async {
            runs.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            json!({"status": "ok"})
        };
        let (first, second) = tokio::join!(last.recent_or(examine()), last.recent_or(examine()));
        assert_eq!((first, runs.load(Ordering::SeqCst)), (second, 1));
    }
}
