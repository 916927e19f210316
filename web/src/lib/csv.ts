// Comma-separated values, as spreadsheets in Brazil read and write them: mostly with semicolons.

export type CsvRow = {
  /** Where it begins in the file, from 1. */
  line: number;
  cells: string[];
};

/** A quote was opened and never closed. */
export class UnclosedQuote extends Error {
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
  const separator = separatorOf(source);
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let cell = '';
  let line = 1;
  let begun = 1;
  let quotedSince: number | null = null;

  const endRow = () => {
    cells.push(cell);
    if (cells.some((text_) => text_.trim() !== '')) rows.push({ line: begun, cells });
    cells = [];
    cell = '';
  };

  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\n') line++;
    if (quotedSince !== null) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') {
        cell += '"';
        at++;
      } else quotedSince = null;
    } else if (character === '"' && cell.trim() === '') {
      cell = '';
      quotedSince = line;
    } else if (character === separator) {
      cells.push(cell);
      cell = '';
    } else if (character === '\n') {
      endRow();
      begun = line;
    } else if (character !== '\r') cell += character;
  }
  if (quotedSince !== null) throw new UnclosedQuote(quotedSince);
  endRow();
  return rows;
}

/** A file that a spreadsheet opens by a double click. */
export function csvFile(rows: readonly (readonly string[])[]): Blob {
  return new Blob([START, ...rows.map(csvRow)], { type: 'text/csv;charset=utf-8' });
}

/** A row for a spreadsheet. What would be read as a formula is kept from it by an apostrophe. */
export function csvRow(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(';')}\r\n`;
}

/** Tells a spreadsheet that what follows is UTF-8. */
const START = '\uFEFF';

function csvCell(text: string): string {
  const inert = /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}

function separatorOf(text: string): string {
  const [head = ''] = text.split('\n', 1);
  const bare = head.replaceAll(/"[^"]*"/g, '');
  const count = (mark: string) => bare.split(mark).length;
  const [most = ';'] = [';', ',', '\t'].toSorted((a, b) => count(b) - count(a));
  return most;
}
