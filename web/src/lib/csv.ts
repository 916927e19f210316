// CSV parsing and formatting. Spreadsheets with a Brazilian locale separate cells by semicolons.

export type CsvRow = {
  /** The first line of the row in the file, from 1. */
  line: number;
  cells: string[];
};

/** A quoted cell has no closing quotation mark. */
export class UnclosedQuoteError extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`A quote that was opened on line ${line} is never closed.`);
    this.line = line;
  }
}

/**
 * Parses a file and omits empty rows. The separator (semicolon, comma or tab) is the most frequent one in the first line.
 *
 * @throws {UnclosedQuoteError}
 */
export function parseCsv(text: string): CsvRow[] {
  // The byte order mark is not part of the first cell.
  const source = text.replace(/^\uFEFF/, '');
  const separator = detectSeparator(source);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let rowStartLine = 1;
  let quoteStartLine: number | null = null;

  const endRow = () => {
    cells.push(cell);
    if (cells.some((value) => value.trim() !== '')) rows.push({ line: rowStartLine, cells });
    cells = [];
    cell = '';
  };

  for (let index = 0; index < source.length; index++) {
    const character = source.charAt(index);
    if (character === '\n') line++;
    if (quoteStartLine !== null) {
      if (character !== '"') cell += character;
      else if (source[index + 1] === '"') {
        cell += '"';
        index++;
      } else quoteStartLine = null;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      quoteStartLine = line;
    } else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      endRow();
      rowStartLine = line;
    } else if (character !== '\r') cell += character;
  }
  if (quoteStartLine !== null) throw new UnclosedQuoteError(quoteStartLine);
  endRow();
  return rows;
}

/** A CSV file that spreadsheet programs recognize as UTF-8. */
export function toCsvBlob(rows: readonly (readonly string[])[]): Blob {
  return new Blob([UTF8_BOM, ...rows.map(formatCsvRow)], { type: 'text/csv;charset=utf-8' });
}

/**
 * Formats a row. An apostrophe precedes cells that a spreadsheet would evaluate as a formula (OWASP: CSV injection).
 */
export function formatCsvRow(cells: readonly string[]): string {
  return `${cells.map(formatCsvCell).join(';')}\r\n`;
}

const UTF8_BOM = '\uFEFF';

function formatCsvCell(text: string): string {
  const escaped = /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${escaped.replaceAll('"', '""')}"`;
}

function detectSeparator(text: string): string {
  const [firstLine = ''] = text.split('\n', 1);
  const unquoted = firstLine.replaceAll(/"[^"]*"/g, '');
  const count = (candidate: string) => unquoted.split(candidate).length;
  const [mostFrequent = ';'] = [';', ',', '\t'].toSorted((a, b) => count(b) - count(a));
  return mostFrequent;
}
