//! Finds the relation that an embed follows: by the name of the related table, of the foreign key, or of a column.

use axum::http::StatusCode;
use portaria_query::Embed;
use serde_json::{Value, json};

use crate::api::rest::{RestError, suggestion::similar};
use crate::{
    schema::{Relation, Table, tables::RELATIONS},
    security::caller::Caller,
};

/// A relation in the direction of an embed, and whether it leads to one row.
type Way = (&'static Relation, bool);

/// Finds the relation between a table and an embed, and whether it is a to-one relation.
///
/// # Errors
/// PGRST200 without a relation, PGRST201 with several. Only the service key learns their names.
pub(crate) fn find_relation(
    caller: Caller,
    table: &'static Table,
    embed: &Embed,
) -> Result<Way, RestError> {
    let ways = RELATIONS.iter().flat_map(|relation| {
        let up = (relation.child == table.id).then_some((relation, true));
        up.into_iter().chain((relation.parent == table.id).then_some((relation, false)))
    });
    let found: Vec<Way> = ways.filter(|way| leads_to(*way, embed, caller.is_staff())).collect();
    match found.as_slice() {
        [] => Err(unknown(caller, table, embed)),
        [one] => Ok(*one),
        several => Err(ambiguous(caller, table, embed, several)),
    }
}

/// Whether the embed names this relation. A column that the caller cannot see names none, nor does its constraint.
fn leads_to((relation, to_one): Way, embed: &Embed, sees_hidden: bool) -> bool {
    let (child, parent) = (relation.child.table(), relation.parent.table());
    let (own, other) = if to_one { (child, parent) } else { (parent, child) };
    let (own_column, other_column) = if to_one {
        (relation.column, relation.parent_column)
    } else {
        (relation.parent_column, relation.column)
    };
    let is_column = |table: &Table, column: &str, name: &str| {
        column == name && table.column(column, sees_hidden).is_some()
    };
    let is_constraint =
        |name: &str| relation.name == name && child.column(relation.column, sees_hidden).is_some();
    let name = &embed.relation;
    match &embed.hint {
        None => other.name == name || is_constraint(name) || is_column(own, own_column, name),
        Some(hint) => {
            other.name == name
                && (is_constraint(hint)
                    || is_column(own, own_column, hint)
                    || is_column(other, other_column, hint))
        }
    }
}

/// The error of an unknown relation. The service key learns the most similar name.
fn unknown(caller: Caller, table: &Table, embed: &Embed) -> RestError {
    let name = &embed.relation;
    let error = RestError::unknown_relation(table, name, embed.hint.as_deref());
    let related = RELATIONS.iter().filter_map(|relation| {
        let other = if relation.child == table.id { relation.parent } else { relation.child };
        let is_related = relation.child == table.id || relation.parent == table.id;
        is_related.then(|| other.table().name)
    });
    match similar(name, related).filter(|_| caller == Caller::Service && embed.hint.is_none()) {
        Some(other) if other != name => {
            error.hint(format!("Perhaps you meant '{other}' instead of '{name}'."))
        }
        _ => error,
    }
}

fn ambiguous(caller: Caller, table: &Table, embed: &Embed, ways: &[Way]) -> RestError {
    let name = &embed.relation;
    let error = RestError::new(
        StatusCode::MULTIPLE_CHOICES,
        "PGRST201",
        format!(
            "Could not embed because more than one relationship was found for '{}' and '{name}'",
            table.name
        ),
    );
    if caller != Caller::Service {
        return error;
    }
    let choices: Vec<String> = ways
        .iter()
        .map(|(relation, to_one)| {
            let other = if *to_one { relation.parent } else { relation.child };
            format!("'{}!{}'", other.table().name, relation.name)
        })
        .collect();
    let details: Vec<Value> = ways.iter().map(|way| describe(*way)).collect();
    error.details(details).hint(format!(
        "Try changing '{name}' to one of the following: {}. Find the desired relationship in the 'details' key.",
        choices.join(", ")
    ))
}

fn describe((relation, to_one): Way) -> Value {
    let (child, parent) = (relation.child.table().name, relation.parent.table().name);
    let (column, parent_column) = (relation.column, relation.parent_column);
    let (child_end, parent_end) =
        (format!("{child}({column})"), format!("{parent}({parent_column})"));
    let (cardinality, own, other, ends) = if to_one {
        ("many-to-one", child, parent, [child_end, parent_end])
    } else {
        ("one-to-many", parent, child, [parent_end, child_end])
    };
    json!({
        "cardinality": cardinality,
        "embedding": format!("{own} with {other}"),
        "relationship": format!("{} using {}", relation.name, ends.join(" and ")),
    })
}
