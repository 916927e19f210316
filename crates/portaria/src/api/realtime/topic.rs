//! Private topics: reads whether a caller may use one.

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::{self, Tx},
    policy::{self, TopicAccess},
    security::caller::Caller,
};

/// Returns the rights of a caller in a topic; `None` if it does not exist for the caller.
pub(crate) fn access(
    tx: &mut Tx<'_>,
    caller: Caller,
    name: &str,
) -> Result<Option<TopicAccess>, db::Error> {
    let Ok(access) = policy::topic(caller, name) else { return Ok(None) };
    let Some((ticket, condition)) = access.ticket() else { return Ok(Some(access)) };
    let mut query = Query::select();
    query.column(("tickets", "id")).from("tickets").cond_where(condition);
    query.and_where(Expr::col(("tickets", "id")).eq(ticket));
    Ok(tx.rows(&query)?.first().map(|_| access))
}
