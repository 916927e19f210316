//! The values of a document with which its client pays: payment line, Pix code and amount
//! (docs/decisions/0070-payment-codes-are-checked-when-stored.md).
//!
//! Only codes whose check digits are correct are stored, in one form. An amount in a code and the amount of the document
//! are the same.

use jiff::civil::Date;
use portaria_codes::{PaymentLine, PixCode, payment_line::InvalidPaymentLine, pix::InvalidPixCode};
use sea_query::{Expr, ExprTrait, Query, Value as Sql};

use crate::{
    db::{MAX_KEYS_PER_STATEMENT, Tx},
    table_write::{Row, WriteError, text},
};

/// Validates the sent values of payment, and writes codes in their stored form.
///
/// # Errors
/// 23514 with a message for people.
pub(crate) fn normalize(row: &mut Row) -> Result<(), WriteError> {
    if let Some(line) = text(row, "payment_line") {
        let line: PaymentLine = line.parse().map_err(|error| {
            invalid(match error {
                InvalidPaymentLine::Length => "A linha digitável deve ter 47 ou 48 dígitos.",
                InvalidPaymentLine::CheckDigit => {
                    "Um dígito verificador da linha digitável está incorreto. Confira os números."
                }
            })
        })?;
        row.insert("payment_line", Some(line.as_str().into()));
    }
    if let Some(code) = text(row, "pix_code") {
        let code: PixCode = code.parse().map_err(|error| {
            invalid(match error {
                InvalidPixCode::Form => "O código não é um Pix copia e cola, ou está incompleto.",
                InvalidPixCode::Checksum => {
                    "O verificador do Pix copia e cola está incorreto. Copie o código de novo."
                }
            })
        })?;
        row.insert("pix_code", Some(code.as_str().into()));
    }
    if text(row, "category").is_some_and(|category| !is_slug(category)) {
        return Err(invalid("A categoria tem só letras minúsculas sem acento, números e hífens."));
    }
    if text(row, "reference_month").is_some_and(|month| !is_month(month)) {
        return Err(invalid("A competência é um mês, como 2026-10."));
    }
    Ok(())
}

/// Sets the amount of a new row from its codes.
///
/// # Errors
/// 23514 if the amounts differ.
pub(crate) fn set_amount(row: &mut Row) -> Result<(), WriteError> {
    let given = match row.get("amount_cents") {
        Some(Some(Sql::BigInt(Some(cents)))) => Some(*cents),
        _ => None,
    };
    let amount = amount_of(given, text(row, "payment_line"), text(row, "pix_code"))?;
    row.insert("amount_cents", amount.map(Into::into));
    Ok(())
}

/// Whether changes can make the amount of a document differ from its codes.
pub(crate) fn affects_amount(changes: &Row) -> bool {
    ["amount_cents", "payment_line", "pix_code"].iter().any(|name| changes.contains_key(name))
}

/// Sets the missing amounts of changed documents from their codes.
///
/// # Errors
/// 23514 if the amounts of a document differ.
pub(crate) fn derive_amounts(tx: &mut Tx<'_>, keys: &[String]) -> Result<(), WriteError> {
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = Query::select();
        query.columns(["id", "amount_cents", "payment_line", "pix_code"]).from("documents");
        query.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str)));
        let rows = tx.rows(&query)?;
        for row in rows.iter() {
            let given = row.opt_int(1)?;
            let amount = amount_of(given, row.opt_text(2)?, row.opt_text(3)?)?;
            if amount != given {
                let mut update = Query::update();
                update.table("documents").value("amount_cents", amount);
                tx.execute(update.and_where(Expr::col("id").eq(row.text(0)?)))?;
            }
        }
    }
    Ok(())
}

/// Determines the amount of a document: the given one, or that of a code.
fn amount_of(
    given: Option<i64>,
    line: Option<&str>,
    code: Option<&str>,
) -> Result<Option<i64>, WriteError> {
    let line = line.and_then(|line| line.parse::<PaymentLine>().ok()?.amount_cents());
    let code = code.and_then(|code| code.parse::<PixCode>().ok()?.amount_cents());
    let sources =
        [(given, "valor do documento"), (line, "valor da linha digitável"), (code, "valor do Pix")];
    let mut known = sources.iter().filter_map(|(cents, name)| cents.map(|cents| (cents, *name)));
    let Some((first, name)) = known.next() else { return Ok(None) };
    for (other, other_name) in known {
        if other != first {
            let (first, other) = (format_brl(first), format_brl(other));
            return Err(invalid(format!(
                "O {name} ({first}) é diferente do {other_name} ({other})."
            )));
        }
    }
    Ok(Some(first))
}

/// Checks the day of a reported payment.
///
/// # Errors
/// 23514 for a text that is no day, and for a day after `today`.
pub(crate) fn check_paid_on(row: &Row, today: Date) -> Result<(), WriteError> {
    let Some(paid_on) = text(row, "paid_on") else { return Ok(()) };
    let day: Option<Date> = paid_on.parse().ok();
    match day.filter(|day| day.to_string() == paid_on) {
        None => Err(invalid("A data do pagamento é um dia, como 2026-11-20.")),
        Some(day) if day > today => Err(invalid("A data do pagamento está no futuro.")),
        Some(_) => Ok(()),
    }
}

fn is_slug(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.split('-').all(is_part)
}

fn is_month(text: &str) -> bool {
    text.len() == 7 && format!("{text}-01").parse::<Date>().is_ok()
}

/// Formats an amount as `R$ 1.234,56`.
pub(crate) fn format_brl(cents: i64) -> String {
    let digits = (cents / 100).to_string();
    let mut reais = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            reais.push('.');
        }
        reais.push(digit);
    }
    format!("R$ {reais},{:02}", cents % 100)
}

fn invalid(message: impl Into<String>) -> WriteError {
    WriteError::invalid("23514", message)
}

#[cfg(test)]
mod tests {
    use crate::documents::payment::{format_brl, is_month, is_slug};

    #[test]
    fn amounts_are_formatted_in_reais() {
        for (cents, expected) in [
            (0, "R$ 0,00"),
            (5, "R$ 0,05"),
            (123_456, "R$ 1.234,56"),
            (100_000_000, "R$ 1.000.000,00"),
        ] {
            assert_eq!(format_brl(cents), expected);
        }
    }

    #[test]
    fn categories_are_slugs_and_months_exist() {
        for (text, expected) in [
            ("das", true),
            ("nota-1", true),
            ("DAS", false),
            ("", false),
            ("a-", false),
            ("ção", false),
        ] {
            assert_eq!(is_slug(text), expected, "{text}");
        }
        for (text, expected) in [
            ("2026-10", true),
            ("2026-13", false),
            ("2026-1", false),
            ("10/2026", false),
            ("", false),
        ] {
            assert_eq!(is_month(text), expected, "{text}");
        }
    }
}
