// Reader of spreadsheets (ECMA-376). It keeps the first rows and columns of each sheet, at their addresses, so a sheet
// whose only cell is far away costs nothing.
import { decodeText } from '~/lib/decode-text';

import { formatCell, formatCode } from './cell-format';
import { PreviewRefusedError, type Sheet } from './preview';
import { unpack } from './unpack';
import { findElement, parseXml, parseXmlTree, type XmlElement } from './xml';

export const MAX_ROWS = 500;
export const MAX_COLUMNS = 50;
const MAX_SHEETS = 20;
const MAX_STRINGS = 200_000;
const MAX_CELL_LENGTH = 2_000;

type Workbook = { strings: string[]; formats: (string | undefined)[]; is1904: boolean };

/**
 * The visible sheets with their first rows.
 *
 * @throws {PreviewRefusedError}
 */
export function readSpreadsheet(archive: Uint8Array): Sheet[] {
  const files = unpack(
    archive,
    (name) => /^xl\/.*\.(?:xml|rels)$/.test(name) && !name.includes('/drawings/'),
  );
  const read = (name: string) => {
    const bytes = files[name];
    return bytes && decodeText(bytes.slice().buffer);
  };
  const source = read('xl/workbook.xml');
  if (source === undefined) throw new PreviewRefusedError('unreadable');
  const book = parseXmlTree(source);
  const targets = readTargets(read('xl/_rels/workbook.xml.rels'));
  const workbook: Workbook = {
    strings: readStrings(read('xl/sharedStrings.xml')),
    formats: readFormats(read('xl/styles.xml')),
    is1904: /^(?:1|true)$/.test(findElement(book, 'workbookPr')?.attributes['date1904'] ?? ''),
  };
  const sheets = findElement(book, 'sheets')?.children ?? [];
  return sheets
    .filter(({ attributes }) => (attributes['state'] ?? 'visible') === 'visible')
    .slice(0, MAX_SHEETS)
    .map(({ attributes }) => {
      const content = read(targets.get(relationshipId(attributes)) ?? '');
      return { name: attributes['name'] ?? '', ...readRows(content, workbook) };
    });
}

/** The attribute `id` in the namespace of relationships, whatever its prefix. */
function relationshipId(attributes: Record<string, string>): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
}

/** The paths of the parts, by the ids of their relationships. */
function readTargets(source: string | undefined): Map<string, string> {
  const relationships = source === undefined ? [] : parseXmlTree(source).children;
  return new Map(
    relationships.map(({ attributes }) => {
      const target = attributes['Target'] ?? '';
      return [attributes['Id'] ?? '', target.startsWith('/') ? target.slice(1) : `xl/${target}`];
    }),
  );
}

function readStrings(source: string | undefined): string[] {
  const strings: string[] = [];
  if (source === undefined) return strings;
  let text: string[] = [];
  let [isText, isPhonetic] = [false, false];
  parseXml(source, {
    open(name) {
      if (name === 'si') text = [];
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't';
    },
    text(value) {
      if (isText && !isPhonetic) text.push(value);
    },
    close(name) {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') strings.push(text.join('').slice(0, MAX_CELL_LENGTH));
      if (strings.length > MAX_STRINGS) throw new PreviewRefusedError('too-large');
    },
  });
  return strings;
}

/** The codes of the cell formats, by their index. */
function readFormats(source: string | undefined): (string | undefined)[] {
  if (source === undefined) return [];
  const styles = parseXmlTree(source);
  const custom = new Map(
    (findElement(styles, 'numFmts')?.children ?? []).map((element) => [
      formatId(element),
      element.attributes['formatCode'] ?? '',
    ]),
  );
  const cellFormats = findElement(styles, 'cellXfs')?.children ?? [];
  return cellFormats.map((element) => formatCode(formatId(element), custom));
}

function formatId({ attributes }: XmlElement): number {
  return Number(attributes['numFmtId']);
}

/** Ends the parsing of a sheet once its first rows are read. */
class EnoughRows extends Error {}

function readRows(source: string | undefined, workbook: Workbook): Omit<Sheet, 'name'> {
  const rows: string[][] = [];
  if (source === undefined) return { rows, isCut: false };
  let [row, column] = [-1, -1];
  let cell: { type: string; format: string | undefined } | undefined;
  let value = '';
  let isValue = false;
  let isCut = false;
  const open = (name: string, attributes: Record<string, string>) => {
    isValue = name === 'v' || name === 't';
    if (name === 'row') {
      row = attributes['r'] === undefined ? row + 1 : Number(attributes['r']) - 1;
      column = -1;
      if (!(row >= 0 && row < MAX_ROWS)) throw new EnoughRows();
    }
    if (name === 'c') {
      column = attributes['r'] === undefined ? column + 1 : columnOf(attributes['r']);
      cell = { type: attributes['t'] ?? 'n', format: workbook.formats[Number(attributes['s'] ?? 0)] };
      value = '';
    }
  };
  const close = (name: string) => {
    isValue = false;
    if (name !== 'c' || !cell) return;
    const text = showCell(value, cell, workbook);
    if (text === '') return;
    if (column >= MAX_COLUMNS) {
      isCut = true;
      return;
    }
    while (rows.length <= row) rows.push([]);
    const cells = rows[row] ?? [];
    while (cells.length < column) cells.push('');
    cells[column] = text;
  };
  try {
    parseXml(source, {
      open,
      close,
      text: (text) => {
        if (isValue && value.length < MAX_CELL_LENGTH) value += text;
      },
    });
  } catch (error) {
    if (!(error instanceof EnoughRows)) throw error;
    isCut = true;
  }
  const width = rows.reduce((most, { length }) => Math.max(most, length), 0);
  return { rows: rows.map((cells) => [...cells, ...Array<string>(width - cells.length).fill('')]), isCut };
}

function showCell(
  value: string,
  { type, format }: { type: string; format: string | undefined },
  { strings, is1904 }: Workbook,
): string {
  if (value === '') return '';
  switch (type) {
    case 's':
      return strings[Number(value)] ?? '';
    case 'b':
      return value === '1' ? 'VERDADEIRO' : 'FALSO';
    case 'n':
      return Number.isFinite(Number(value)) ? formatCell(Number(value), format, is1904) : value;
    default:
      return value;
  }
}

/** The column of an address, from 0: 27 of `AB7`. Larger than any column if the address has none. */
function columnOf(address: string): number {
  const letters = /^[A-Z]{1,3}/.exec(address)?.[0];
  if (letters === undefined) return Infinity;
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
