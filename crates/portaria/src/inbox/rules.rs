//! Decisions of the office that later files repeat: the client behind a name of a file, and the folder of a
//! category. Publications teach the rules; staff see and delete them.

use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::Value;

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    display_name,
    security::{caller::Caller, keys},
};

/// Minimum length of an alias. Characters.
const MIN_ALIAS_CHARS: usize = 8;

/// Remembers the decisions about a published file: its folder for its category, and its client for the name of the file,
/// if a person chose the client and the file names no tax id.
pub(crate) fn learn(tx: &mut Tx<'_>, app: &App, caller: Caller, key: &str) -> Result<(), Error> {
    let mut query = Query::select();
    query.columns([
        "client_id",
        "folder_id_supabase",
        "category",
        "reviewed_at",
        "name",
        "findings",
    ]);
    let rows = tx.rows(query.from("inbox_files").and_where(Expr::col("id").eq(key)))?;
    let Some(row) = rows.first() else { return Ok(()) };
    let (client, folder, category) = (row.opt_text(0)?, row.opt_text(1)?, row.opt_text(2)?);
    if let (Some(category), Some(folder)) = (category, folder) {
        remember(
            tx,
            app,
            caller,
            &Rule { kind: "folder", pattern: category, client: None, folder: Some(folder) },
        )?;
    }
    let findings: Value =
        serde_json::from_str(row.opt_text(5)?.unwrap_or("{}")).unwrap_or_default();
    let names_somebody =
        findings.get("tax_ids").and_then(Value::as_array).is_some_and(|found| !found.is_empty());
    let alias = if names_somebody { None } else { alias(row.text(4)?) };
    if let (Some(alias), Some(client), Some(_)) = (alias, client, row.opt_text(3)?) {
        let rule = Rule { kind: "alias", pattern: &alias, client: Some(client), folder: None };
        remember(tx, app, caller, &rule)?;
    }
    Ok(())
}

/// Returns the words of a file name that can name a client: those without digits. `None` if they are too short to
/// distinguish clients.
fn alias(file_name: &str) -> Option<String> {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let folded = display_name::search_key(stem);
    let words = folded.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| word.len() > 1 && !word.contains(|c: char| c.is_ascii_digit()));
    let alias = words.collect::<Vec<_>>().join(" ");
    (alias.chars().count() >= MIN_ALIAS_CHARS).then(|| alias.chars().take(255).collect())
}

struct Rule<'a> {
    kind: &'static str,
    pattern: &'a str,
    client: Option<&'a str>,
    folder: Option<&'a str>,
}

/// Adds a rule, or lets it name the last choice.
fn remember(tx: &mut Tx<'_>, app: &App, caller: Caller, rule: &Rule<'_>) -> Result<(), Error> {
    let now = app.clock.now();
    let id = keys::new_id(now).to_string();
    let mut insert = Query::insert();
    insert.into_table("inbox_rules");
    insert.columns(["id", "kind", "pattern", "client_id", "folder_id_supabase", "created_at"]);
    insert.values_panic([
        id.as_str().into(),
        rule.kind.into(),
        rule.pattern.into(),
        rule.client.into(),
        rule.folder.into(),
        format_timestamp(now).into(),
    ]);
    let mut same = OnConflict::columns(["kind", "pattern"]);
    same.do_nothing();
    if tx.execute(insert.on_conflict(same))? == 1 {
        let client = rule.client.and_then(|client| client.parse().ok());
        let event = AuditEvent::new(EventName::InboxRuleCreated).person(client);
        let event = event.subject(Some(id), Some(rule.pattern.to_owned()));
        audit::record(tx, app, caller, [event]);
        return Ok(());
    }
    let mut update = Query::update();
    update.table("inbox_rules").value("client_id", rule.client);
    update.value("folder_id_supabase", rule.folder);
    update.and_where(Expr::col("kind").eq(rule.kind));
    tx.execute(update.and_where(Expr::col("pattern").eq(rule.pattern))).map(drop)
}

#[cfg(test)]
mod tests {
    use crate::inbox::rules::alias;

    #[test]
    fn alias_keeps_the_words_that_name_a_client() {
        for (name, expected) in [
            ("DAS Padaria São José 10-2026.pdf", Some("das padaria sao jose")),
            ("DAS_PADARIA-SAO-JOSE_11.2026.PDF", Some("das padaria sao jose")),
            ("guia 123.pdf", None),
            ("2026-10.pdf", None),
        ] {
            assert_eq!(alias(name).as_deref(), expected, "{name}");
        }
    }
}
