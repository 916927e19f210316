//! Uploads of clients to `{client}/{item}/{file}` for an item, and to `{client}/unrequested/{file}` at any time
//! (docs/decisions/0077-clients-upload-below-their-own-items.md).

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    db::{Error, Tx},
    policy::{self, Action},
    requests::{ITEMS, UNREQUESTED},
    schema::RECEIVED_BUCKET,
    security::caller::Caller,
    stored_files::client_upload::{self, ClientUploadError},
};

/// Checks whether a client may upload a file: below an own item that is not accepted, or without an item, and never over
/// another file.
///
/// # Errors
/// [`ClientUploadError::Denied`], equally for the item of another client and for none;
/// [`ClientUploadError::TooManyWaiting`].
pub(crate) fn check_client_upload(
    tx: &mut Tx<'_>,
    caller: Caller,
    name: &str,
    replace: bool,
) -> Result<(), ClientUploadError> {
    let Some(client) = caller.client().map(|id| id.to_string()) else {
        return Err(ClientUploadError::Denied);
    };
    let item = client_and_item(name).filter(|(owner, _)| *owner == client);
    let Some((_, item)) = item.filter(|_| !replace) else {
        return Err(ClientUploadError::Denied);
    };
    // The item and its row of `received_files` belong to the client; both are theirs to write.
    let may_update = policy::access(caller, ITEMS, Action::Update);
    may_update.map_err(|policy::Denied| ClientUploadError::Denied)?;
    if item != UNREQUESTED && !is_open_item(tx, &client, item)? {
        return Err(ClientUploadError::Denied);
    }
    client_upload::check_waiting_files(tx, RECEIVED_BUCKET, &client)
}

/// Checks that a file's name refers to an existing client, and to an item of the client or to none.
///
/// # Errors
/// [`ClientUploadError::InvalidName`].
pub(crate) fn check_name(tx: &mut Tx<'_>, name: &str) -> Result<(), ClientUploadError> {
    let invalid = || ClientUploadError::InvalidName(name.to_owned());
    let (client, item) = client_and_item(name).ok_or_else(invalid)?;
    let is_valid = if item == UNREQUESTED {
        let mut query = Query::select();
        query.column("id").from("clients").and_where(Expr::col("id").eq(client));
        !tx.rows(&query)?.is_empty()
    } else {
        is_open_item(tx, client, item)?
    };
    if is_valid { Ok(()) } else { Err(invalid()) }
}

/// Whether an item of the client exists and accepts files.
fn is_open_item(tx: &mut Tx<'_>, client: &str, item: &str) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("id").from("request_items").and_where(Expr::col("id").eq(item));
    query.and_where(Expr::col("client_id").eq(client));
    Ok(!tx.rows(query.and_where(Expr::col("status").ne("accepted")))?.is_empty())
}

/// Splits the name of a file into client and item.
fn client_and_item(name: &str) -> Option<(&str, &str)> {
    let segments: Vec<&str> = name.split('/').collect();
    let [client, item, _] = segments[..] else { return None };
    Some((client, item))
}
