//! Rules of single tables for new and changed rows: required texts, the client of a document, the owner of a parent
//! row.

use sea_query::{Expr, ExprTrait, Query, Value as Sql};

use crate::{accounts::user, db::Tx, display_name, schema::TableId, stored_files::object};
use crate::{
    api::rest::RestError,
    schema::write::{Row, WriteContext},
};

/// Removes characters from `name` that could disguise it, such as ones that change the writing direction.
pub(crate) fn sanitize_name(row: &mut Row) {
    if let Some(Some(Sql::String(Some(text)))) = row.get_mut("name") {
        *text = display_name::sanitize_display_name(text);
    }
}

/// Minimum lengths of texts, without white space at both ends. Characters. The database checks the same with SQL's
/// `trim`, which knows only the ASCII space.
const MIN_TEXT_LENGTH: [(TableId, &str, usize); 5] = [
    (TableId::Folders, "hold_reason", 1),
    (TableId::Documents, "hold_reason", 1),
    (TableId::Tickets, "message", 10),
    (TableId::Tickets, "subject", 1),
    (TableId::TicketMessages, "body", 1),
];

/// Columns of a document that only the server writes.
pub(crate) const SERVER_COLUMNS: [&str; 3] = ["was_opened", "outlived_at", "erased_client_id"];

/// Derives `name_key`, the column for search, from the name. A value from the caller is discarded.
pub(crate) fn set_search_key(row: &mut Row) {
    row.remove("name_key");
    if let Some(Some(Sql::String(Some(name)))) = row.get("name") {
        let key = user::search_key(name);
        row.insert("name_key", Some(key.into()));
    }
}

impl WriteContext<'_> {
    /// Checks the minimum lengths of texts.
    ///
    /// # Errors
    /// 23514.
    pub(crate) fn require_text(&self, row: &Row) -> Result<(), RestError> {
        for (_, column, min_length) in
            MIN_TEXT_LENGTH.into_iter().filter(|(table, ..)| *table == self.table.id)
        {
            if let Some(Some(Sql::String(Some(text)))) = row.get(column)
                && text.trim().chars().count() < min_length
            {
                let name = self.table.name;
                return Err(RestError::check_violation(
                    self.table,
                    &format!("{name}_{column}_check"),
                ));
            }
        }
        Ok(())
    }

    /// Derives the client of a document from the path of its file, `public/{client}/{folder}/{file}`
    /// (docs/protocol/rest.md, section 6.4).
    ///
    /// # Errors
    /// 23503 if file, folder or client do not exist, or if the payload names another client.
    pub(crate) fn derive_document_client(
        &self,
        tx: &mut Tx<'_>,
        row: &mut Row,
        is_new: bool,
    ) -> Result<(), RestError> {
        let missing = || RestError::foreign_key(self.table.name);
        let Some(path) = row.get("file_url").cloned() else {
            // Without a new file the document would disclose its file to another client.
            return if row.contains_key("client_id") { Err(missing()) } else { Ok(()) };
        };
        let Some(Sql::String(Some(path))) = path else { return Ok(()) };
        let mut segments = path.split('/');
        let (Some("public"), Some(client), Some(folder), Some(_), None) =
            (segments.next(), segments.next(), segments.next(), segments.next(), segments.next())
        else {
            return Err(missing());
        };
        let folder_matches =
            row.get("folder_id_supabase").cloned().flatten() == Some(folder.into());
        // The lock prevents a concurrent deletion of the file before the document refers to it.
        let object =
            object::lock(tx, object::by_name(crate::schema::DOCUMENTS_BUCKET, &[&path]))?.pop();
        let object = object.ok_or_else(missing)?;
        let is_client = Query::select()
            .column("id")
            .from("clients")
            .and_where(Expr::col("id").eq(client))
            .take();
        // A document may move to another folder later; its file stays where it is.
        if (is_new && !folder_matches) || tx.rows(&is_client)?.is_empty() {
            return Err(missing());
        }
        let given = row.get("client_id").cloned().flatten();
        if given.is_some_and(|given| given != client.into()) {
            return Err(missing());
        }
        row.insert("client_id", Some(client.into()));
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        Ok(())
    }

    /// Checks that a read receipt refers to a document of the caller.
    pub(crate) fn check_receipt_document(
        &self,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), RestError> {
        self.parent_owner(tx, row, ("documents", "document_id", "client_id")).map(drop)
    }

    /// Returns the owner of the parent row. A client may refer only to own rows, and receives the same error for rows
    /// of others as for rows that do not exist.
    ///
    /// # Errors
    /// 23502 without a reference, 42501 (clients) or 23503 (staff) without such a row.
    pub(crate) fn parent_owner(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
        (table, reference, column): (&'static str, &'static str, &'static str),
    ) -> Result<Option<Sql>, RestError> {
        let Some(id) = row.get(reference).cloned().flatten() else {
            return Err(RestError::not_null(self.table, reference));
        };
        let mut query = Query::select();
        query.column(column).from(table).and_where(Expr::col("id").eq(id));
        let owner = self.access.owner();
        if let Some((_, client)) = owner {
            query.and_where(Expr::col(column).eq(client.to_string()));
        }
        if table == "tickets" {
            // Serializes concurrent replies to one ticket.
            query.lock_exclusive();
        }
        let rows = tx.rows(&query)?;
        match rows.first() {
            Some(found) => Ok(found.opt_text(0)?.map(Into::into)),
            None if owner.is_some() => Err(RestError::row_denied(self.caller, self.table)),
            None => Err(RestError::foreign_key(self.table.name)),
        }
    }
}
