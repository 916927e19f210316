//! What single tables ask of a new row beyond the catalog: whose it is, by what it refers to.

use sea_query::{Expr, ExprTrait, Query, Value as Sql};

use crate::{accounts::user, db::Tx, display_name, schema::TableId, stored_files::object};
use crate::{
    api::rest::RestError,
    schema::write::{Row, WriteContext},
};

/// A name shows what it is (security R-19).
pub(crate) fn clean_name(row: &mut Row) {
    if let Some(Some(Sql::String(Some(text)))) = row.get_mut("name") {
        *text = display_name::sanitize_display_name(text);
    }
}

/// Texts that must say something, in at least so many characters between what is blank, by whatever kind of blank; the
/// database knows the ordinary one (security R-25).
const MIN_TEXT_LENGTH: [(TableId, &str, usize); 5] = [
    (TableId::Folders, "hold_reason", 1),
    (TableId::Documents, "hold_reason", 1),
    (TableId::Tickets, "message", 10),
    (TableId::Tickets, "subject", 1),
    (TableId::TicketMessages, "body", 1),
];

/// What the portal writes down of a document by itself.
pub(crate) const SERVER_COLUMNS: [&str; 3] = ["was_opened", "outlived_at", "erased_client_id"];

/// What a document is found by follows from its name, whatever a caller says.
pub(crate) fn set_search_key(row: &mut Row) {
    row.remove("name_key");
    if let Some(Some(Sql::String(Some(name)))) = row.get("name") {
        let key = user::search_key(name);
        row.insert("name_key", Some(key.into()));
    }
}

impl WriteContext<'_> {
    /// Refuses texts that say nothing.
    pub(crate) fn require_text(&self, row: &Row) -> Result<(), RestError> {
        for (_, column, least) in
            MIN_TEXT_LENGTH.into_iter().filter(|(table, ..)| *table == self.table.id)
        {
            if let Some(Some(Sql::String(Some(text)))) = row.get(column)
                && text.trim().chars().count() < least
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

    /// Whose a document is stands in the path of its file, `public/{client}/{folder}/{name}` (behaviour B2).
    pub(crate) fn document(
        &self,
        tx: &mut Tx<'_>,
        row: &mut Row,
        is_new: bool,
    ) -> Result<(), RestError> {
        let missing = || RestError::foreign_key(self.table.name);
        let Some(path) = row.get("file_url").cloned() else {
            // The file would stay behind, in the hands of whoever the document goes to.
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
        // Locked, for nobody may take it away before the document has it.
        let object = object::lock(tx, object::by_name(object::DOCUMENTS_BUCKET, &[&path]))?.pop();
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

    /// A receipt is of a document of one's own.
    pub(crate) fn document_receipt(&self, tx: &mut Tx<'_>, row: &mut Row) -> Result<(), RestError> {
        self.parent_owner(tx, row, ("documents", "document_id", "client_id")).map(drop)
    }

    /// Whose row this one refers to. A client may refer to their own alone, and is told of no other.
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
        let own = self.access.owner();
        if let Some((_, client)) = own {
            query.and_where(Expr::col(column).eq(client.to_string()));
        }
        if table == "tickets" {
            // Two who answer at once do so one after the other.
            query.lock_exclusive();
        }
        let rows = tx.rows(&query)?;
        match rows.first() {
            Some(found) => Ok(found.opt_text(0)?.map(Into::into)),
            None if own.is_some() => Err(RestError::row_denied(self.caller, self.table)),
            None => Err(RestError::foreign_key(self.table.name)),
        }
    }
}
