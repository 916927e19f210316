//! Folders that keep their documents for so many months: what is older is marked, and goes by itself a week later where
//! the folder says so. A document that a legal hold kept when its client was erased goes when the hold is over.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, ToSpan};
use sea_query::{Condition, Expr, ExprTrait, Func, FunctionCall, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::{self, Tx},
    documents::legal_hold,
    policy::Caller,
    stored_files::object,
};

/// What is about to go by itself is shown to the office for so long.
const SHOWN: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Documents in one transaction.
const AT_ONCE: u64 = 500;

/// Marks some, or discards some once every mark is as the rules of today want it; whether there was anything to do.
///
/// # Errors
/// The database's.
pub(crate) async fn go_on(app: &Arc<App>) -> Result<bool, db::Error> {
    let inner = Arc::clone(app);
    if app.db.write(move |tx| mark(tx, &inner)).await? > 0 {
        return Ok(true);
    }
    let inner = Arc::clone(app);
    let discarded = app.db.write(move |tx| discard(tx, &inner)).await?;
    if discarded > 0 {
        tracing::info!(discarded, "documents were discarded whose folders keep them no longer");
    }
    Ok(discarded > 0)
}

/// Writes down whose time is over, and takes it back where it is not, or not any more.
fn mark(tx: &mut Tx<'_>, app: &App) -> Result<u64, db::Error> {
    let now = app.clock.now();
    let mut folders = Query::select();
    folders.columns(["id_supabase", "keep_months"]).from("folders").order_by("id", Order::Asc);
    let mut changed = 0;
    for row in tx.rows(&folders)?.iter() {
        let folder = Expr::col("folder_id_supabase").eq(row.text(0)?);
        let over = match row.opt_int(1)? {
            Some(months) => over(app, now, months),
            None => Condition::all().add(Expr::cust("1 = 0")),
        };
        let is_marked = || Expr::col("outlived_at");
        for (which, value) in [
            (
                Condition::all().add(is_marked().is_null()).add(over.clone()),
                Some(format_timestamp(now)),
            ),
            (Condition::all().add(is_marked().is_not_null()).add(over.not()), None),
        ] {
            let mut some = Query::select();
            some.column("id").from("documents").and_where(folder.clone()).cond_where(which);
            some.order_by("id", Order::Asc).limit(AT_ONCE);
            let mut statement = Query::update();
            statement.table("documents").value("outlived_at", value);
            changed += tx.execute(statement.and_where(Expr::col("id").in_subquery(some)))?;
        }
    }
    Ok(changed)
}

/// Sent and expired before so many months.
fn over(app: &App, now: Timestamp, months: i64) -> Condition {
    let now = now.to_zoned(app.config.time_zone.clone());
    let Ok(before) = now.checked_sub(months.months()) else {
        return Condition::all().add(Expr::cust("1 = 0"));
    };
    let before = format_timestamp(before.timestamp());
    // Neither is ever unknown: what is not over must be found by the opposite.
    let sent = Func::coalesce([Expr::col("uploaded_at"), Expr::col("created_at")]);
    let expires = Func::coalesce([Expr::col("expires_at"), Expr::val("")]);
    let is_before = |moment: FunctionCall| Expr::from(moment).lt(before.as_str());
    Condition::all().add(is_before(sent)).add(is_before(expires))
}

fn discard(tx: &mut Tx<'_>, app: &App) -> Result<u64, db::Error> {
    let now = app.clock.now();
    let goes = Query::select()
        .column("id_supabase")
        .from("folders")
        .and_where(Expr::col("discards").eq(true))
        .take();
    let by_itself = Condition::all()
        .add(Expr::col(("documents", "outlived_at")).lte(format_timestamp(now - SHOWN)))
        .add(Expr::col(("documents", "folder_id_supabase")).in_subquery(goes));
    let nobodys = Expr::col(("documents", "erased_client_id")).is_not_null();
    let mut some = Query::select();
    some.columns(["id", "name", "client_id"].map(|column| ("documents", column)));
    some.from("documents").cond_where(Condition::any().add(by_itself).add(nobodys));
    some.cond_where(legal_hold::is_on_hold().not());
    some.order_by(("documents", "id"), Order::Asc).limit(AT_ONCE).lock_exclusive();
    let rows = tx.rows(&some)?;
    let (mut ids, mut lines) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
        ids.push(row.text(0)?.to_owned());
        lines.push(
            AuditEvent::new("document.discarded").person(text(2)?).subject(text(0)?, text(1)?),
        );
    }
    if ids.is_empty() {
        return Ok(0);
    }
    let these = Expr::col("id").is_in(ids);
    object::release(tx, &object::only_referenced_by(&these), now)?;
    audit::record(tx, app, Caller::Service, lines);
    tx.execute(Query::delete().from_table("documents").and_where(these))
}
