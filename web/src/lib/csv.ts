// Comma-separated values, as spreadsheets in Brazil read and write them: mostly with semicolons.

export type CsvRow = {
  /** Where it begins in the file, from 1. */
  line: number;
  cells: string[];
};

/** A quote was opened and never closed. */
export class UnclosedQuoteError extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`A quote that was opened on line ${line} is never closed.`);
    this.line = line;
  }
}

/** The rows of a file that hold something. The separator is the one that its first line has more of. */
export function parseCsv(text: string): CsvRow[] {
  // A mark of the byte order is no part of the first name.
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
    if (cells.some((text_) => text_.trim() !== '')) rows.push({ line: rowStartLine, cells });
    cells = [];
    cell = '';
  };

  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\n') line++;
    if (quoteStartLine !== null) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at++;
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

/** A file that a spreadsheet opens by a double click. */
export function toCsvBlob(rows: readonly (readonly string[])[]): Blob {
  return new Blob([UTF8_BOM, ...rows.map(formatCsvRow)], { type: 'text/csv;charset=utf-8' });
}

/** A row for a spreadsheet. What would be read as a formula is kept from it by an apostrophe. */
export function formatCsvRow(cells: readonly string[]): string {
  return `${cells.map(formatCsvCell).join(';')}\r\n`;
}

/** Tells a spreadsheet that what follows is UTF-8. */
const UTF8_BOM = '\uFEFF';

function formatCsvCell(text: string): string {
  const inert = /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}

function detectSeparator(text: string): string {
  const [head = ''] = text.split('\n', 1);
  const bare = head.replaceAll(/"[^"]*"/g, '');
  const count = (mark: string) => bare.split(mark).length;
  const [most = ';'] = [';', ',', '\t'].toSorted((a, b) => count(b) - count(a));
  return most;
}
