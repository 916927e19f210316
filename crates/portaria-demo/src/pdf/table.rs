//! Layout of tables: column widths, line breaks in cells, and row heights.

use crate::pdf::text::{Font, Line, natural_width, stacked, wrap};

/// Font size of cells, in points.
pub(crate) const SIZE: f32 = 8.5;
/// Distance between the lines of a cell, in points.
pub(crate) const LEADING: f32 = 11.0;

/// A table that is ready to be drawn. Its first row is the head.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

pub(crate) struct Column {
    pub(crate) width: f32,
    /// Whether the column is aligned to the right.
    pub(crate) numeric: bool,
}

pub(crate) struct Row {
    /// The lines of each cell.
    pub(crate) cells: Vec<Vec<Line>>,
    pub(crate) height: f32,
    /// Whether the row is a total, which has a rule above it.
    pub(crate) is_sum: bool,
}

impl Table {
    /// Fits the cells into `measure` points. `Block::Table` describes their markup.
    pub(crate) fn new(cells: &[Vec<String>], measure: f32) -> Table {
        let columns = columns(cells, measure);
        let row = |(index, cells): (usize, &Vec<String>)| {
            let lines = |(cell, column): (&String, &Column)| {
                wrap(cell.trim_end_matches('>'), font_of(index), SIZE, column.width - 10.0)
            };
            let cells_lines: Vec<_> = cells.iter().zip(&columns).map(lines).collect();
            let height =
                cells_lines.iter().map(|lines| stacked(lines, LEADING)).fold(0.0, f32::max) + 6.0;
            Row { cells: cells_lines, height, is_sum: cells[0].starts_with("**") }
        };
        let rows = cells.iter().enumerate().map(row).collect();
        Table { columns, rows }
    }
}

/// Computes column widths: each column is as wide as its widest cell, and the widest column absorbs the difference to
/// `measure`.
fn columns(rows: &[Vec<String>], measure: f32) -> Vec<Column> {
    let head = rows.first().map_or(&[][..], Vec::as_slice);
    let mut columns: Vec<_> =
        head.iter().map(|cell| Column { width: 0.0, numeric: cell.ends_with('>') }).collect();
    for (index, row) in rows.iter().enumerate() {
        for (column, cell) in columns.iter_mut().zip(row) {
            let natural = natural_width(cell.trim_end_matches('>'), font_of(index), SIZE);
            column.width = column.width.max(natural + 12.0);
        }
    }
    let rest = measure - columns.iter().map(|column| column.width).sum::<f32>();
    if let Some(widest) = columns.iter_mut().max_by(|a, b| a.width.total_cmp(&b.width)) {
        widest.width = (widest.width + rest).max(60.0);
    }
    columns
}

fn font_of(row: usize) -> Font {
    if row == 0 { Font::Bold } else { Font::Regular }
}

#[cfg(test)]
mod tests {
    use crate::pdf::table::Table;

    #[test]
    fn widest_column_absorbs_the_difference_and_wraps() {
        let rows = [["Serviço", "Valor>"], ["Escrituração contábil e fiscal", "1.450,00"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        for (measure, lines) in [(470.0, 1), (140.0, 2)] {
            let table = Table::new(&rows, measure);
            let total: f32 = table.columns.iter().map(|column| column.width).sum();
            assert!((total - measure).abs() < 0.01);
            assert_eq!(table.rows[1].cells[0].len(), lines, "{measure} points");
            assert!(table.columns[1].numeric && !table.columns[0].numeric);
        }
    }
}
