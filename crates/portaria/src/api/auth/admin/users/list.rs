//! `GET /admin/users`: lists accounts, in pages.

use std::{fmt::Write, sync::Arc};

use axum::{
    Extension, Json,
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderValue, header::LINK},
};
use sea_query::Order;
use serde_json::{Value, json};

use crate::api::auth::{
    AuthError, extract::query_param, require_user_admin, user::response::user_responses,
};
use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, UserQuery},
    },
    app::App,
    db::Tx,
};

/// Number of accounts per page, unless the request names it.
const DEFAULT_PER_PAGE: u64 = 50;
/// Maximum number of accounts per page.
const MAX_PER_PAGE: u64 = 1000;

/// Returns a page, newest accounts first by default, and the headers with which the client library pages.
///
/// # Errors
/// `validation_failed` for a malformed page, size or order.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    RawQuery(query): RawQuery,
) -> Result<(HeaderMap, Json<Value>), AuthError> {
    let query = query.unwrap_or_default();
    let page = number(&query, "page", 1)?;
    let per_page = number(&query, "per_page", DEFAULT_PER_PAGE)?.min(MAX_PER_PAGE);
    let filter = query_param(Some(&query), "filter");
    if filter.as_ref().is_some_and(|text| text.contains('\0')) {
        return Err(AuthError::validation("Text must not contain a NUL character"));
    }

    let page_request = UserQuery {
        limit: per_page,
        offset: (page - 1).saturating_mul(per_page).min(i64::MAX.unsigned_abs()),
        filter,
        sort: sort(query_param(Some(&query), "sort").as_deref())?,
    };

    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        require_user_admin(tx, app, &credential)?;
        let (accounts, total) = user::list(tx, &page_request)?;
        Ok::<_, AuthError>((user_responses(tx, &accounts)?, total))
    };
    let (users, total) = app.read(read).await?;

    let mut headers = HeaderMap::new();
    headers.insert("x-total-count", total.into());
    if let Ok(links) = HeaderValue::from_str(&links(page, per_page, total)) {
        headers.insert(LINK, links);
    }
    Ok((headers, Json(json!({"users": users, "aud": "authenticated"}))))
}

/// Builds the header `Link`. The client library parses exactly this form: `page` first, `rel` in double quotes.
fn links(page: u64, per_page: u64, total: u64) -> String {
    let last = total.div_ceil(per_page).max(1);
    let mut links = String::new();
    if page < last {
        write!(links, "</admin/users?page={}&per_page={per_page}>; rel=\"next\", ", page + 1)
            .expect("writing to a String cannot fail");
    }
    write!(links, "</admin/users?page={last}&per_page={per_page}>; rel=\"last\"")
        .expect("writing to a String cannot fail");
    links
}

/// Parses a positive number of the query. The client library sends an empty value for an unset number.
fn number(query: &str, name: &str, default: u64) -> Result<u64, AuthError> {
    match query_param(Some(query), name) {
        None => Ok(default),
        Some(text) => text
            .parse()
            .ok()
            .filter(|number| (1..=i64::MAX.unsigned_abs()).contains(number))
            .ok_or_else(|| AuthError::validation(format!("Bad Pagination Parameters: {name}"))),
    }
}

/// Parses `created_at desc`: a column and an optional direction.
fn sort(text: Option<&str>) -> Result<(&'static str, Order), AuthError> {
    let Some(text) = text else { return Ok(("created_at", Order::Desc)) };
    let (name, direction) = text.trim().split_once(' ').unwrap_or((text.trim(), "asc"));
    let column = ["created_at", "updated_at", "email"].into_iter().find(|column| *column == name);
    let order = match direction.trim().to_lowercase().as_str() {
        "asc" => Some(Order::Asc),
        "desc" => Some(Order::Desc),
        _ => None,
    };
    let refused = || AuthError::validation(format!("Bad Sort Parameters: {text}"));
    column.zip(order).ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use crate::api::auth::admin::users::list::links;

    #[test]
    fn pagination_links_name_next_and_last_page() {
        assert_eq!(
            links(1, 2, 5),
            "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
        );
        assert_eq!(links(3, 2, 5), "</admin/users?page=3&per_page=2>; rel=\"last\"");
        assert_eq!(links(1, 50, 0), "</admin/users?page=1&per_page=50>; rel=\"last\"");
    }
}
