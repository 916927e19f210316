//! The recipient's side of a personal link: the check, and the document after the right answer.
//!
//! The answer is the end of the recipient's tax id, or a mailed code if the office knows no tax id. Before the right
//! answer nothing about document and recipient leaves, and nothing is recorded: mail scanners open links.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Query};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::documents::personal_link::{
    LinkState, MAX_WRONG_ANSWERS, PersonalLink, event, find, recipient, select, set, visible_file,
};
use crate::{
    app::App,
    audit::{self, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::{self, VerificationLink},
    security::{
        caller::Caller,
        ids::{DocumentId, UserId},
        keys,
    },
};

/// The receipt's action of an opening by a link.
pub(crate) const ACTION: &str = "opened_by_link";
/// Number of digits at the end of a tax id that are the answer.
const TAX_ID_DIGITS: usize = 4;
/// Time for which a mailed code is valid.
const CODE_LIFE: SignedDuration = SignedDuration::from_mins(15);
/// Time until another code may be mailed.
const CODE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// Maximum number of mailed codes per link.
const MAX_CODES: i64 = 10;
/// Time for which the file can be read after the right answer.
const GRANT_LIFE: SignedDuration = SignedDuration::from_hours(1);

/// The question of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// The last digits of the recipient's CPF or CNPJ.
    TaxId,
    /// A mailed code of six digits.
    Code,
}

impl Check {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TaxId => "tax_id",
            Self::Code => "code",
        }
    }
}

/// The state of the page before the answer.
#[derive(Debug)]
pub(crate) struct Challenge {
    pub(crate) state: LinkState,
    pub(crate) check: Check,
    /// Number of wrong answers until the link is locked.
    pub(crate) answers_left: i64,
}

/// The result of an answer.
#[derive(Debug)]
pub(crate) enum Opening {
    Opened(Box<OpenedDocument>),
    Wrong,
    Closed,
}

/// The document of a link, after the right answer.
#[derive(Debug, Serialize)]
pub(crate) struct OpenedDocument {
    name: String,
    r#type: String,
    size: Option<i64>,
    expires_at: Option<String>,
    category: Option<String>,
    amount_cents: Option<i64>,
    payment_line: Option<String>,
    pix_code: Option<String>,
    /// The day of a reported payment.
    paid_on: Option<String>,
    /// The name of the file, which ends with its extension.
    file_name: String,
    /// The file, relative to the portal's address.
    file: String,
}

/// The right to read the file of a link, as the claims of a signed token. `exp` is in Unix seconds.
#[derive(Debug, Serialize, Deserialize)]
struct Grant {
    personal_link: Uuid,
    exp: i64,
}

/// Returns what the page of a link asks. `None` for an unknown token.
pub(crate) fn challenge(
    tx: &mut Tx<'_>,
    app: &App,
    token: &str,
) -> Result<Option<Challenge>, Error> {
    let Some(link) = find(tx, token, false)? else { return Ok(None) };
    Ok(Some(Challenge {
        state: link.state(tx, app.clock.now())?,
        check: tax_id_answer(tx, link.client)?.map_or(Check::Code, |_| Check::TaxId),
        answers_left: MAX_WRONG_ANSWERS - link.wrong_answers,
    }))
}

/// Mails a code to the recipient, unless one was mailed a moment ago. Returns `false` if the link is closed or asks for
/// a tax id.
pub(crate) fn send_code(tx: &mut Tx<'_>, app: &App, token: &str) -> Result<bool, Error> {
    let now = app.clock.now();
    let Some(link) = find(tx, token, true)? else { return Ok(false) };
    let (state, account) = (link.state(tx, now)?, recipient(tx, link.client, now)?);
    let Some(account) = account.filter(|_| state == LinkState::Ready) else { return Ok(false) };
    if tax_id_answer(tx, link.client)?.is_some() || link.codes_sent >= MAX_CODES {
        return Ok(false);
    }
    let recent = format_timestamp(now - CODE_INTERVAL);
    if link.code_sent_at.as_ref().is_some_and(|sent| *sent > recent) {
        return Ok(true);
    }
    let sent_at = format_timestamp(now);
    let code = app.keys.otp_code(&code_seed(&link, &sent_at));
    let count = link.codes_sent + 1;
    set(tx, link.id, [("code_sent_at", sent_at.into()), ("codes_sent", count.into())])?;
    let verification = VerificationLink { link: String::new(), code, life: CODE_LIFE };
    let mail = &notifications::DOCUMENT_CODE;
    notifications::send_verification(tx, app, mail, &account, &account.email, &verification)?;
    Ok(true)
}

/// Compares an answer, and records an opening or a wrong answer. `None` for an unknown token.
pub(crate) fn open(
    tx: &mut Tx<'_>,
    app: &App,
    token: &str,
    answer: &str,
) -> Result<Option<Opening>, Error> {
    let now = app.clock.now();
    let Some(link) = find(tx, token, true)? else { return Ok(None) };
    if link.state(tx, now)? != LinkState::Ready {
        return Ok(Some(Opening::Closed));
    }
    let expected = match tax_id_answer(tx, link.client)? {
        Some(end) => Some(end),
        None => valid_code(app, &link, now),
    };
    let Some((document, name)) = shown_document(tx, app, &link)? else {
        return Ok(Some(Opening::Closed));
    };
    // Without a mailed code there is nothing to guess.
    let Some(expected) = expected else { return Ok(Some(Opening::Wrong)) };
    if keys::sha256_hex(&digits(answer)) != keys::sha256_hex(&expected) {
        count_wrong_answer(tx, app, &link, name)?;
        return Ok(Some(Opening::Wrong));
    }
    record_opening(tx, app, &link, name)?;
    Ok(Some(Opening::Opened(Box::new(document))))
}

/// Returns client and file of a grant, while its link is open.
pub(crate) fn granted_file(
    tx: &mut Tx<'_>,
    app: &App,
    grant: &str,
) -> Result<Option<(UserId, String)>, Error> {
    let now = app.clock.now();
    let Ok(grant) = app.keys.verify_link::<Grant>(grant) else { return Ok(None) };
    if grant.exp <= now.as_second() {
        return Ok(None);
    }
    let mut query = select();
    query.and_where(Expr::col("id").eq(grant.personal_link.to_string()));
    let link = tx.rows(&query)?.first().map(PersonalLink::from_row).transpose()?;
    let Some(link) = link else { return Ok(None) };
    if link.state(tx, now)? != LinkState::Ready {
        return Ok(None);
    }
    Ok(visible_file(tx, link.document, link.client)?.map(|file| (link.client, file)))
}

fn count_wrong_answer(
    tx: &mut Tx<'_>,
    app: &App,
    link: &PersonalLink,
    name: String,
) -> Result<(), Error> {
    let wrong_answers = link.wrong_answers + 1;
    set(tx, link.id, [("wrong_answers", wrong_answers.into())])?;
    if wrong_answers >= MAX_WRONG_ANSWERS {
        set(tx, link.id, [("locked_at", format_timestamp(app.clock.now()).into())])?;
        let event = event(EventName::PersonalLinkLocked, link.document, link.client, name);
        audit::record(tx, app, Caller::Anon, [event]);
    }
    Ok(())
}

fn record_opening(
    tx: &mut Tx<'_>,
    app: &App,
    link: &PersonalLink,
    name: String,
) -> Result<(), Error> {
    let now = app.clock.now();
    let mut receipt = Query::insert();
    receipt.into_table("document_receipts");
    receipt.columns(["id", "document_id", "client_id", "action", "created_at"]);
    receipt.values_panic([
        keys::new_id(now).to_string().into(),
        link.document.into(),
        link.client.into(),
        ACTION.into(),
        format_timestamp(now).into(),
    ]);
    tx.execute(&receipt)?;
    set(
        tx,
        link.id,
        [
            ("opened_at", format_timestamp(now).into()),
            ("wrong_answers", 0.into()),
            ("code_sent_at", Option::<String>::None.into()),
        ],
    )?;
    let event = event(EventName::DocumentOpenedByLink, link.document, link.client, name);
    audit::record(tx, app, Caller::own_account(link.client), [event]);
    Ok(())
}

/// Reads the document of a link with a grant for its file. Returns its name beside it.
fn shown_document(
    tx: &mut Tx<'_>,
    app: &App,
    link: &PersonalLink,
) -> Result<Option<(OpenedDocument, String)>, Error> {
    let Some(file_name) = visible_file(tx, link.document, link.client)? else { return Ok(None) };
    let mut query = Query::select();
    query.columns(["name", "type", "size", "expires_at", "amount_cents", "payment_line"]);
    query
        .columns(["pix_code", "category"])
        .from("documents")
        .and_where(Expr::col("id").eq(link.document));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let exp = (app.clock.now() + GRANT_LIFE).as_second();
    let grant = app.keys.sign_link(&Grant { personal_link: link.id, exp });
    let name = row.text(0)?.to_owned();
    let text = |column| Ok::<_, Error>(row.opt_text(column)?.map(str::to_owned));
    let document = OpenedDocument {
        name: name.clone(),
        r#type: row.text(1)?.to_owned(),
        size: row.opt_int(2)?,
        expires_at: text(3)?,
        amount_cents: row.opt_int(4)?,
        payment_line: text(5)?,
        pix_code: text(6)?,
        category: text(7)?,
        paid_on: paid_on(tx, link.document)?,
        file_name: file_name.rsplit('/').next().unwrap_or_default().to_owned(),
        file: format!("/storage/v1/personal-link/{grant}"),
    };
    Ok(Some((document, name)))
}

fn paid_on(tx: &mut Tx<'_>, document: DocumentId) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.column("paid_on").from("document_payments");
    query.and_where(Expr::col("document_id").eq(document));
    tx.rows(&query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

/// Returns the last digits of the client's CPF or CNPJ. `None` if the office knows none.
fn tax_id_answer(tx: &mut Tx<'_>, client: UserId) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.column("user_metadata").from("users").and_where(Expr::col("id").eq(client));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let metadata: Map<String, Value> = serde_json::from_str(row.text(0)?)
        .map_err(|error| Error::Internal(format!("metadata: {error}")))?;
    Ok(metadata.get("tax_id").and_then(Value::as_str).and_then(last_digits))
}

/// Returns the last digits of a CPF or CNPJ. A CNPJ may contain letters, which phones' number pads do not have.
fn last_digits(tax_id: &str) -> Option<String> {
    let is_complete = matches!(tax_id.chars().filter(char::is_ascii_alphanumeric).count(), 11 | 14);
    let digits = digits(tax_id);
    let start = digits.len().checked_sub(TAX_ID_DIGITS).filter(|_| is_complete)?;
    Some(digits[start..].to_owned())
}

/// Returns the code that was mailed and is still valid.
fn valid_code(app: &App, link: &PersonalLink, now: Timestamp) -> Option<String> {
    let sent_at = link.code_sent_at.as_ref()?;
    let oldest = format_timestamp(now - CODE_LIFE);
    (*sent_at > oldest).then(|| app.keys.otp_code(&code_seed(link, sent_at)))
}

fn code_seed(link: &PersonalLink, sent_at: &str) -> String {
    format!("{}|{sent_at}", link.token_hash)
}

/// Keeps the digits, as people type tax ids and codes with separators.
fn digits(typed: &str) -> String {
    typed.chars().filter(char::is_ascii_digit).take(32).collect()
}

#[cfg(test)]
mod tests {
    use crate::documents::personal_link::opening::{digits, last_digits};

    #[test]
    fn answers_are_read_as_people_type_them() {
        assert_eq!(digits("01-81"), "0181");
        assert_eq!(digits(" 123 456 "), "123456");
    }

    #[test]
    fn last_digits_belong_to_a_complete_tax_id() {
        for (tax_id, expected) in [
            ("11.222.333/0001-81", Some("0181")),
            ("52998224725", Some("4725")),
            // A CNPJ may contain letters.
            ("12ABC34501DE35", Some("0135")),
            ("", None),
            ("123", None),
        ] {
            assert_eq!(last_digits(tax_id).as_deref(), expected, "{tax_id}");
        }
    }
}
