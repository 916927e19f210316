//! The built-in texts of notifications as templates that the office can change.

use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::{
    app::App,
    audit::{self, Change},
    clock::format_timestamp,
    db::{Error, Tx},
    email_templates::hooks,
    lease,
    notifications::{self, catalog::NOTICES},
    security::caller::Caller,
    security::keys,
};

/// Saves the built-in text of every notification without a template as a template. Returns the ids of the new
/// templates. The caller of this function checks the permission.
pub(crate) fn create_defaults(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
) -> Result<Vec<String>, Error> {
    // A concurrent call waits, and then finds these templates.
    lease::advisory_lock(tx, "default templates")?;
    let now = app.clock.now();
    let mut ids = Vec::new();
    for notice in NOTICES {
        let mut query = Query::select();
        query.column("id").from("email_templates").limit(1);
        if !tx.rows(query.and_where(Expr::col("event_trigger").eq(notice.trigger)))?.is_empty() {
            continue;
        }
        let id = keys::new_id(now).to_string();
        tx.insert(
            "email_templates",
            [
                ("id", id.as_str().into()),
                ("name", notice.name.into()),
                ("subject", notice.subject.into()),
                ("html_content", notifications::built_in_text(app, notice).into()),
                ("event_trigger", notice.trigger.into()),
                ("created_at", format_timestamp(now).into()),
                ("updated_at", format_timestamp(now).into()),
            ],
        )?;
        ids.push(id);
    }
    let naming = hooks::naming();
    let labels = audit::describe_rows(tx, &naming, &ids)?;
    audit::record_rows(tx, app, caller, &naming, Change::Created, labels, &json!({}));
    Ok(ids)
}
