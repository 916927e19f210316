//! Reported payments: a client says that a document is paid ("Já paguei").

use sea_query::{Expr, ExprTrait, Func, Query, SelectStatement};

use crate::table_write::{DuplicateKey, Row, TableHooks, WriteContext, WriteError};
use crate::{
    audit::{self, AuditEvent, EventName, RowEvents, RowNaming},
    db::{Error, Tx},
    documents::{self, payment},
    notifications::center::CenterEvent,
};

/// The hooks of `document_payments`.
pub(crate) struct PaymentHooks;

impl TableHooks for PaymentHooks {
    /// Checks the day, and that the payment is of a document of the caller. A payment that staff record belongs to the
    /// document's client.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        payment::check_paid_on(row, today(ctx))?;
        let client = ctx.parent_owner(tx, row, documents::PARENT)?;
        let client = client.ok_or_else(|| WriteError::foreign_key(ctx.table.name))?;
        row.insert("client_id", Some(client));
        Ok(())
    }

    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        Ok(documents::notify::notify_staff(ctx, tx, CenterEvent::PaymentReported, row)?)
    }

    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        payment::check_paid_on(changes, today(ctx))
    }

    /// A document is paid once.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["document_id", "client_id"], within: None })
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["paid_on", "note"])
    }

    /// Names a payment after its document.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.columns([("documents", "id"), ("documents", "name")]);
        labels.column(("document_payments", "client_id")).expr(Expr::cust("NULL"));
        labels.from("document_payments").inner_join(
            "documents",
            Expr::col(("documents", "id")).equals(("document_payments", "document_id")),
        );
        let events =
            [EventName::PaymentReported, EventName::PaymentChanged, EventName::PaymentWithdrawn];
        Some(RowNaming::of_query(("document_payments", "id"), labels, RowEvents::ByChange(events)))
    }

    fn export(&self) -> Option<&'static str> {
        Some("pagamentos.json")
    }
}

/// A document whose payment was reported, with what was to pay at that time.
pub(crate) struct ReportedPayment {
    document: String,
    to_pay: ToPay,
}

/// Amount, payment line and Pix code of a document.
type ToPay = (Option<i64>, Option<String>, Option<String>);

/// Returns the selected documents whose payment was reported.
pub(crate) fn reported(
    tx: &mut Tx<'_>,
    mut documents: SelectStatement,
) -> Result<Vec<ReportedPayment>, Error> {
    let document = |name| Expr::col(("documents", name));
    documents.columns(
        ["id", "amount_cents", "payment_line", "pix_code"].map(|name| ("documents", name)),
    );
    let payments = Query::select()
        .column(("document_payments", "document_id"))
        .from("document_payments")
        .and_where(Expr::col(("document_payments", "document_id")).equals(("documents", "id")))
        .take();
    documents.from("documents").and_where(Expr::exists(payments));
    documents.and_where(
        document("amount_cents")
            .is_not_null()
            .or(document("payment_line").is_not_null())
            .or(document("pix_code").is_not_null()),
    );
    let read = |row: crate::db::Row<'_>| {
        let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
        let to_pay = (row.opt_int(1)?, text(2)?, text(3)?);
        Ok(ReportedPayment { document: row.text(0)?.to_owned(), to_pay })
    };
    tx.rows(&documents)?.iter().map(read).collect()
}

/// Withdraws the reported payments of documents that ask for something else now: the payment was of another slip.
pub(crate) fn withdraw_changed(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    before: &[ReportedPayment],
) -> Result<(), Error> {
    for old in before {
        let mut query = Query::select();
        query.columns(["amount_cents", "payment_line", "pix_code", "name"]);
        // A withdrawn document still belongs to the client it was withdrawn from.
        query.expr(Func::coalesce(["client_id", "withdrawn_client_id"].map(Expr::col)));
        query.from("documents").and_where(Expr::col("id").eq(old.document.as_str()));
        let rows = tx.rows(&query)?;
        let Some(row) = rows.first() else { continue };
        let (amount, line, code) = &old.to_pay;
        let is_same = is_kept(amount.as_ref(), row.opt_int(0)?.as_ref())
            && is_kept(line.as_deref(), row.opt_text(1)?)
            && is_kept(code.as_deref(), row.opt_text(2)?);
        if is_same {
            continue;
        }
        let event = AuditEvent::new(EventName::PaymentWithdrawn).person(row.opt_parse(4)?);
        let event = event.subject(Some(old.document.clone()), Some(row.text(3)?.to_owned()));
        audit::record(tx, ctx.app, ctx.caller, [event]);
        let of_document = Expr::col("document_id").eq(old.document.as_str());
        tx.execute(Query::delete().from_table("document_payments").and_where(of_document))?;
    }
    Ok(())
}

/// Whether a value that a document had is the one that it has. A document that had none may get one.
fn is_kept<T: PartialEq + ?Sized>(before: Option<&T>, now: Option<&T>) -> bool {
    before.is_none() || before == now
}

/// Returns the current day in the portal's zone.
fn today(ctx: &WriteContext<'_>) -> jiff::civil::Date {
    ctx.now.to_zoned(ctx.app.config.time_zone.clone()).date()
}
