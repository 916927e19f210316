// Tables for a spreadsheet. What people typed into the portal must not become a formula in the office's Excel.

/** The text of a file that Excel opens with a double click where a comma is the decimal sign: UTF-8 with its mark, `;` between cells. */
export function csvText(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${rows.map((row) => `${row.map(cell).join(';')}\r\n`).join('')}`;
}

export function csvFile(rows: readonly (readonly string[])[]): Blob {
  return new Blob([csvText(rows)], { type: 'text/csv;charset=utf-8' });
}

/** Quoted always; a leading apostrophe keeps what looks like a formula a text. */
function cell(value: string): string {
  const text = /^\s*[=+\-@]|^[\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
