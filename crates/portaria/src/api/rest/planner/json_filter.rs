//! Filters and order of JSON: columns of JSON, and paths with `->`. Values compare like jsonb, numbers by their value.

use portaria_query::{Field, Operand, Operator as Op};
use sea_query::{BinOper, Condition, Expr, ExprTrait};
use serde_json::Value;

use crate::api::rest::{
    RestError,
    planner::{
        filter::{FilterScope, quantified},
        pattern::json_operand,
    },
};
use crate::schema::{Column, ColumnType};

impl FilterScope<'_> {
    /// Returns the column of a field that is compared as JSON: a column of JSON, or a path with `->`.
    ///
    /// # Errors
    /// 42703 for an unknown column, 42883 for a path into a column that is not JSON.
    pub(crate) fn json_column(&self, field: &Field) -> Result<Option<&'static Column>, RestError> {
        let column = self.column(&field.name)?;
        match column.column_type {
            ColumnType::Json => Ok((!field.as_text).then_some(column)),
            _ if field.path.is_empty() => Ok(None),
            _ => Err(RestError::no_path_into(column)),
        }
    }

    /// Returns the values by which to sort the JSON at a path.
    pub(crate) fn json_sort_keys(&self, column: &Column, field: &Field) -> Vec<Expr> {
        self.dialect.json_sort_keys(self.expr(column), &field.path)
    }

    /// Translates a test of JSON.
    ///
    /// # Errors
    /// 22P02 for an operand that is not JSON, PGRST127 for an order against an array or object, 42883 for an operator
    /// of texts.
    pub(crate) fn json_test(
        &self,
        column: &Column,
        field: &Field,
        operator: &Op,
        operand: &Operand,
    ) -> Result<Condition, RestError> {
        let (json, path) = (self.expr(column), field.path.as_slice());
        let equals = |text: &str| {
            let operand = json_operand(text)?;
            Ok::<_, RestError>(self.dialect.json_equals(json.clone(), path, &operand))
        };
        let compare = |order: BinOper, text: &str| match json_operand(text)? {
            Value::Array(_) | Value::Object(_) => {
                Err(RestError::unsupported("JSON arrays and objects have no order in a filter"))
            }
            operand => Ok(self.dialect.json_compare(json.clone(), path, order, &operand)),
        };
        // The first value is NULL if and only if there is no JSON at the path.
        let place = || self.json_sort_keys(column, field).swap_remove(0);
        quantified(operator, operand, |text| match operator {
            Op::Eq(_) | Op::In => equals(text),
            Op::Neq => Ok(equals(text)?.not()),
            Op::IsDistinct => Ok(equals(text)?.not().or(place().is_null())),
            Op::Gt(_) => compare(BinOper::GreaterThan, text),
            Op::Gte(_) => compare(BinOper::GreaterThanOrEqual, text),
            Op::Lt(_) => compare(BinOper::SmallerThan, text),
            Op::Lte(_) => compare(BinOper::SmallerThanOrEqual, text),
            _ => self.comparison(&place(), ColumnType::Json, operator, text),
        })
    }
}
