//! `select=`: the columns, aggregates and embeds of a list, and their mapping to the answer.

use portaria_query::{JsonPathStep, SelectItem};
use sea_query::Expr;

use crate::api::rest::{
    RestError,
    planner::{
        Planner, SelectBuilder,
        aggregate::check_grouped,
        cast::Cast,
        json_field::{JsonCast, JsonField},
        limits::check_column_uses,
        plan::{OutputField, OutputShape},
    },
};
use crate::schema::{Column, ColumnType, Table};

/// The columns that one list selects, each expression once in the statement: column, expression, cell.
#[derive(Default)]
pub(crate) struct SelectedColumns(Vec<(&'static str, Expr, usize)>);

impl SelectedColumns {
    /// Returns the cell of an expression of a column. The first use adds it to the statement.
    ///
    /// # Errors
    /// PGRST127 for too many uses of the column.
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        expr: Expr,
        add: impl FnOnce(Expr) -> Result<usize, RestError>,
    ) -> Result<usize, RestError> {
        let uses = self.0.iter().filter(|(used, ..)| *used == name).count();
        check_column_uses(uses + 1)?;
        let known = self.0.iter().find(|(_, known, _)| *known == expr).map(|(.., cell)| *cell);
        let cell = known.map_or_else(|| add(expr.clone()), Ok)?;
        self.0.push((name, expr, cell));
        Ok(cell)
    }
}

impl Planner<'_> {
    /// Adds the selected items of a node to the statement and returns their mapping to the answer.
    pub(crate) fn select_items(
        &mut self,
        builder: &mut SelectBuilder,
        table: &'static Table,
        alias: &str,
        items: &[SelectItem],
        depth: usize,
    ) -> Result<OutputShape, RestError> {
        let mut shape = OutputShape::new();
        let mut columns = SelectedColumns::default();
        for item in items {
            match item {
                SelectItem::All => {
                    let visible = table
                        .columns
                        .iter()
                        .filter(|column| self.sees_hidden() || !column.staff_only);
                    for column in visible {
                        if builder.grouping.is_some() {
                            check_grouped(column)?;
                        }
                        let expr = self.scope(table, alias, &[]).expr(column);
                        let add = |expr| builder.add_column(expr);
                        let cell = columns.add(column.name, expr, add)?;
                        shape.push(OutputField::column(column, cell));
                    }
                }
                SelectItem::Column(selected) => {
                    let field = match &selected.aggregate {
                        Some(aggregate) => {
                            let scope = self.scope(table, alias, &[]);
                            scope.aggregate(builder, &mut columns, selected, aggregate)?
                        }
                        None => {
                            self.select_column(builder, &mut columns, table, alias, selected)?
                        }
                    };
                    shape.push(field);
                }
                SelectItem::Count { alias: key, cast } => {
                    let scope = self.scope(table, alias, &[]);
                    let (key, cast) = (key.as_deref(), cast.as_deref());
                    shape.push(scope.count(builder, &mut columns, key, cast)?);
                }
                SelectItem::Embed(embed) => {
                    self.embed(builder, &mut shape, table, alias, embed, depth)?;
                }
            }
        }
        Ok(shape)
    }

    fn select_column(
        &self,
        builder: &mut SelectBuilder,
        columns: &mut SelectedColumns,
        table: &'static Table,
        alias: &str,
        selected: &portaria_query::Column,
    ) -> Result<OutputField, RestError> {
        let scope = self.scope(table, alias, &[]);
        let column = scope.column(&selected.field.name)?;
        let path = &selected.field.path;
        if !path.is_empty() && column.column_type != ColumnType::Json {
            return Err(RestError::no_path_into(column));
        }
        let last_key = path.iter().rev().find_map(|step| match step {
            JsonPathStep::Key(key) => Some(key.clone()),
            JsonPathStep::Index(_) => None,
        });
        let key = selected.alias.clone().or(last_key).unwrap_or_else(|| column.name.into());
        let cast = selected.cast.as_deref();
        let json_cast = cast.filter(|_| !path.is_empty()).and_then(JsonCast::parse);
        let kind = if path.is_empty() { column.column_type } else { ColumnType::Json };
        let cast = cast.filter(|_| json_cast.is_none());
        let cast = cast.map(|cast| Cast::parse(cast, kind, column.name)).transpose()?;
        if builder.grouping.is_some() {
            if json_cast.is_some() {
                let feature = "rows are not grouped by a cast of a value inside JSON";
                return Err(RestError::unsupported(feature));
            }
            return scope.group_key(builder, columns, selected, key, cast);
        }
        let (path, as_text) = (path.clone(), selected.field.as_text);
        let field = (!path.is_empty()).then_some(JsonField { path, as_text, cast: json_cast });
        let add = |expr| builder.add_column(expr);
        let cell = columns.add(column.name, scope.expr(column), add)?;
        Ok(OutputField::Cell { key, cell, kind: column.column_type, field, cast })
    }
}

impl OutputField {
    /// Returns the field of a whole column under its own name.
    fn column(column: &Column, cell: usize) -> Self {
        let (key, kind) = (column.name.into(), column.column_type);
        Self::Cell { key, cell, kind, field: None, cast: None }
    }
}
