//! Builds the pages of the office's templates, so that the transactions that queue mails find them ready after a start
//! and after a change on another node.

use std::sync::Arc;

use sea_query::{Order, Query};
use tokio::task::spawn_blocking;

use crate::{
    app::App,
    db::{Error, Tx},
    notifications::notifier::custom_template,
};

/// Maximum number of templates, the last changed ones first.
const MAX_TEMPLATES: u64 = 50;

/// Builds the pages that are missing. A template beyond the limits has none.
pub async fn run(app: &Arc<App>) -> Result<(), Error> {
    let load = |tx: &mut Tx<'_>| {
        let mut query = Query::select();
        query.columns(["subject", "html_content"]).from("email_templates");
        query.order_by("updated_at", Order::Desc).limit(MAX_TEMPLATES);
        let rows = tx.rows(&query)?;
        let texts = rows.iter().map(|row| Ok((row.text(0)?.to_owned(), row.text(1)?.to_owned())));
        texts.collect::<Result<Vec<_>, Error>>()
    };
    let templates = app.db.read(load).await?;
    let app = Arc::clone(app);
    let build = move || {
        for (subject, html) in templates {
            drop(custom_template(&app, &subject, &html));
        }
    };
    spawn_blocking(build).await.map_err(|error| Error::Internal(error.to_string()))
}
