//! The triggers that record changes, and the form of a recorded change. On PostgreSQL another version of the program may
//! have created them.

use crate::changes::{CHANNEL, Change, RecordedTable};

/// Name of the `SQLite` function that the triggers call.
pub(crate) const FUNCTION: &str = "portaria_record_change";

/// Maximum length of a recorded value on PostgreSQL, in characters. A notification has less than 8,000 bytes.
const MAX_VALUE: usize = 200;

/// A change as it was recorded, with the names of the columns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    columns: Vec<String>,
    pub(crate) change: Change,
}

/// Separates the values of a recorded change: the table, the operation, the names of the columns, the columns before and
/// after it, and for an update whether a visible column changed.
pub(crate) fn parse(mut values: impl Iterator<Item = Option<String>>) -> Option<Recorded> {
    let table = values.next()??;
    let operation = values.next()??;
    let columns: Vec<String> = values.next()??.split(',').map(str::to_owned).collect();
    let mut rows: Vec<Option<String>> = values.collect();
    let (is_visible, old, new) = match operation.as_str() {
        "INSERT" => (true, None, Some(rows)),
        "DELETE" => (true, Some(rows), None),
        "UPDATE" => {
            let is_visible = matches!(rows.pop()?.as_deref(), Some("1" | "true"));
            let new = rows.split_off(rows.len() / 2);
            (is_visible, Some(rows), Some(new))
        }
        _ => return None,
    };
    let is_complete = old.iter().chain(&new).all(|row| row.len() == columns.len());
    let change = Change { table, is_visible, old, new };
    is_complete.then_some(Recorded { columns, change })
}

impl Recorded {
    /// Arranges the values as this version of the program expects them. Another version may have created the triggers.
    /// `None` if it did not record a column.
    pub(crate) fn arrange(self, tables: &[RecordedTable]) -> Option<Change> {
        let Self { columns, change } = self;
        // A table that this version does not know has no subscribers here.
        let Some(table) = tables.iter().find(|table| table.name == change.table) else {
            return Some(change);
        };
        let places =
            table.columns.iter().map(|name| columns.iter().position(|other| other == name));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        let arrange = |row: Vec<Option<String>>| -> Vec<Option<String>> {
            places.iter().map(|place| row.get(*place).cloned().flatten()).collect()
        };
        let (old, new) = (change.old.map(arrange), change.new.map(arrange));
        Some(Change { old, new, ..change })
    }
}

const OPERATIONS: [(&str, &[&str]); 3] =
    [("INSERT", &["NEW"]), ("UPDATE", &["OLD", "NEW"]), ("DELETE", &["OLD"])];

/// The parts of the triggers in which the databases differ.
struct Dialect {
    /// The recorded value of a column such as `NEW.id`.
    value: fn(&str) -> String,
    /// The condition that a column differs between `OLD` and `NEW`.
    differs: fn(&str) -> String,
}

const SQLITE: Dialect =
    Dialect { value: str::to_owned, differs: |column| format!("OLD.{column} IS NOT NEW.{column}") };

const POSTGRES: Dialect = Dialect {
    // A longer payload would fail the write of another program. Its row is not found.
    value: |value| format!("left({value}::text, {MAX_VALUE})"),
    // Some types have no operator of equality.
    differs: |column| format!("OLD.{column}::text IS DISTINCT FROM NEW.{column}::text"),
};

/// `'table', 'OPERATION', 'column,…', OLD.column …, NEW.column …`, and for an update the condition that a visible
/// column differs.
fn arguments(table: &RecordedTable, operation: &str, rows: &[&str], dialect: &Dialect) -> String {
    let columns = rows.iter().flat_map(|row| {
        table.columns.iter().map(move |column| (dialect.value)(&format!("{row}.{column}")))
    });
    let differ = (operation == "UPDATE").then(|| {
        let differ: Vec<String> =
            table.visible.iter().map(|column| (dialect.differs)(column)).collect();
        if differ.is_empty() { "FALSE".to_owned() } else { differ.join(" OR ") }
    });
    let values: Vec<String> = columns.chain(differ).collect();
    let names = table.columns.join(",");
    format!("'{}', '{operation}', '{names}', {}", table.name, values.join(", "))
}

/// The statements that create the triggers of `SQLite`, on the connection of the writer.
pub(crate) fn sqlite_triggers(tables: &[RecordedTable]) -> String {
    let triggers = tables.iter().flat_map(|table| {
        OPERATIONS.iter().map(move |(operation, rows)| {
            format!(
                "CREATE TEMP TRIGGER IF NOT EXISTS portaria_{operation}_{name} AFTER {operation} ON main.{name} \
                 BEGIN SELECT {FUNCTION}({arguments}); END;",
                name = table.name,
                arguments = arguments(table, operation, rows, &SQLITE),
            )
        })
    });
    triggers.collect::<Vec<_>>().join("\n")
}

/// The statements that create the triggers of PostgreSQL, those of one table in each, and at last the marker.
pub(crate) fn postgres_triggers(tables: &[RecordedTable], marker: &str) -> Vec<String> {
    let triggers = tables.iter().map(|table| {
        let triggers = OPERATIONS.iter().map(|(operation, rows)| {
            format!(
                "CREATE OR REPLACE FUNCTION {trigger}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 PERFORM pg_notify('{CHANNEL}', json_build_array({arguments})::text); RETURN NULL; END $$; \
                 CREATE OR REPLACE TRIGGER {trigger} AFTER {operation} ON {name} \
                 FOR EACH ROW EXECUTE FUNCTION {trigger}();",
                trigger = format_args!("portaria_{}_{}", operation.to_lowercase(), table.name),
                arguments = arguments(table, operation, rows, &POSTGRES),
                name = table.name,
            )
        });
        triggers.collect::<Vec<_>>().join("\n")
    });
    let mark = format!(
        "CREATE OR REPLACE FUNCTION portaria_change_triggers() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '{marker}' $$;"
    );
    triggers.chain([mark]).collect()
}

/// Names the form of the triggers: the version of the schema that created them, and their tables.
pub(crate) fn marker(tables: &[RecordedTable], version: usize) -> String {
    let names = tables.iter().map(|RecordedTable { name, columns, visible }| {
        format!("{name}({};{})", columns.join(","), visible.join(","))
    });
    format!("{version} {}", names.collect::<Vec<_>>().join(" "))
}

/// Returns whether triggers with the marker `present` serve a program that would create those of `wanted`. Newer ones
/// do, because each change names its columns.
pub(crate) fn serve(present: &str, wanted: &str) -> bool {
    let version =
        |marker: &str| marker.split(' ').next().and_then(|text| text.parse::<usize>().ok());
    present == wanted || version(present) > version(wanted)
}

/// Removes the triggers of PostgreSQL before the schema changes, because they name columns. The nodes that listen receive
/// a gap, and create them again.
pub(crate) const DROP_POSTGRES_TRIGGERS: &str = r"
    DO $$ DECLARE recorder regprocedure; BEGIN
        FOR recorder IN SELECT oid FROM pg_proc
            WHERE pronamespace = current_schema()::regnamespace
            AND proname ~ '^portaria_((insert|update|delete)_|change_triggers$)'
        LOOP
            EXECUTE format('DROP FUNCTION %s CASCADE', recorder);
            PERFORM pg_notify('portaria_changes', '');
        END LOOP;
    END $$";

#[cfg(test)]
mod tests {
    use crate::changes::{
        Change, RecordedTable,
        triggers::{Recorded, parse, serve},
    };

    fn values<const N: usize>(values: [&str; N]) -> impl Iterator<Item = Option<String>> {
        values.map(|value| Some(value.to_owned())).into_iter()
    }

    fn row(values: [&str; 2]) -> Vec<Option<String>> {
        values.map(|value| Some(value.to_owned())).to_vec()
    }

    fn change(
        is_visible: bool,
        old: Option<Vec<Option<String>>>,
        new: Option<Vec<Option<String>>>,
    ) -> Change {
        Change { table: "tickets".into(), is_visible, old, new }
    }

    #[test]
    fn recorded_changes_are_parsed() {
        let inserted = parse(values(["tickets", "INSERT", "id,user_id", "1", "a"]));
        assert_eq!(
            inserted.map(|recorded| recorded.change),
            Some(change(true, None, Some(row(["1", "a"]))))
        );
        let deleted = parse(values(["tickets", "DELETE", "id,user_id", "1", "a"]));
        assert_eq!(
            deleted.map(|recorded| recorded.change),
            Some(change(true, Some(row(["1", "a"])), None))
        );
        for (flag, is_visible) in [("1", true), ("0", false), ("true", true), ("false", false)] {
            let updated =
                parse(values(["tickets", "UPDATE", "id,user_id", "1", "a", "1", "b", flag]));
            let expected = Some(change(is_visible, Some(row(["1", "a"])), Some(row(["1", "b"]))));
            assert_eq!(updated.map(|recorded| recorded.change), expected);
        }
        assert_eq!(parse(values(["tickets", "TRUNCATE", "id"])), None);
        assert_eq!(parse(values(["tickets"])), None);
        assert_eq!(parse(values(["tickets", "INSERT", "id,user_id", "1"])), None);
    }

    #[test]
    fn columns_of_another_version_are_found_by_name() {
        let columns = vec!["id", "user_id"];
        let tables = [RecordedTable { name: "tickets", columns, visible: Vec::new() }];
        let arrange = |recorded: Option<Recorded>| recorded.unwrap().arrange(&tables);
        let newer = parse(values(["tickets", "INSERT", "user_id,office,id", "a", "x", "1"]));
        assert_eq!(arrange(newer), Some(change(true, None, Some(row(["1", "a"])))));
        assert_eq!(arrange(parse(values(["tickets", "DELETE", "id", "1"]))), None);
        assert!(arrange(parse(values(["novelties", "DELETE", "id", "1"]))).is_some());
    }

    #[test]
    fn newer_triggers_stay() {
        for (present, wanted, serves) in
            [("13 a(id;)", "13 a(id;)", true), ("13 a(id;)", "13 b(id;)", false)]
        {
            assert_eq!(serve(present, wanted), serves, "{present}");
        }
        assert!(serve("14 b(id;)", "13 a(id;)"));
        assert!(!serve("9 b(id;)", "13 a(id;)"));
    }
}
