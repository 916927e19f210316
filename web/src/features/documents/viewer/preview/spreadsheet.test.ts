import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';

import { MAX_COLUMNS, MAX_ROWS, readSpreadsheet } from './spreadsheet';

const STYLES = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="&quot;R$&quot;\\ #,##0.00"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="14"/><xf numFmtId="9"/></cellXfs></styleSheet>`;

function pack(files: Record<string, string>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
}

/** A book with the rows of its first sheet, and a hidden second sheet. */
function book(rows: string, strings = ''): Uint8Array {
  return pack({
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets><sheet name="Folha" r:id="a"/><sheet name="Oculta" state="hidden" r:id="b"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/sharedStrings.xml': `<sst>${strings}</sst>`,
    'xl/styles.xml': STYLES,
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  });
}

describe('readSpreadsheet', () => {
  test('shows values as their cells do, and only visible sheets', () => {
    const rows = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Valor</t></is></c></row>
<row r="3"><c r="A3" s="2"><v>46349</v></c><c r="B3" s="3"><v>0.15</v></c><c r="C3" s="1"><v>1234.5</v></c></row>`;
    const strings = `<si><r><t>Venci</t></r><r><t>mento</t></r><rPh><t>x</t></rPh></si>`;
    expect(readSpreadsheet(book(rows, strings))).toEqual([
      {
        name: 'Folha',
        isCut: false,
        rows: [
          ['Vencimento', '', 'Valor'],
          ['', '', ''],
          ['23/11/2026', '15%', 'R$\u00a01.234,50'],
        ],
      },
    ]);
  });

  test('a cell far away costs nothing', () => {
    const [sheet] = readSpreadsheet(
      book(
        '<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row><row r="1048576"><c r="A1048576"><v>3</v></c></row>',
      ),
    );
    expect(sheet).toEqual({ name: 'Folha', rows: [['1']], isCut: true });
  });

  test('keeps the first rows and columns', () => {
    const cells = Array.from({ length: MAX_COLUMNS + 5 }, (_, at) => `<c><v>${at}</v></c>`).join('');
    const [sheet] = readSpreadsheet(book(`<row>${cells}</row>`.repeat(MAX_ROWS + 5)));
    expect(sheet?.rows).toHaveLength(MAX_ROWS);
    expect(sheet?.rows[0]).toHaveLength(MAX_COLUMNS);
    expect(sheet?.isCut).toBe(true);
  });

  test('refuses archives that unpack to too much, or are no spreadsheet', () => {
    const archive = pack({ 'xl/workbook.xml': '<workbook/>' });
    expect(() => readSpreadsheet(declareSize(archive, 60 * 1024 * 1024))).toThrow('too-large');
    expect(() => readSpreadsheet(pack({ 'word/document.xml': '<a/>' }))).toThrow('unreadable');
  });

  test('unpacks no more than the archive declares', () => {
    const archive = pack({ 'xl/workbook.xml': `<workbook>${' '.repeat(1_000_000)}</workbook>` });
    expect(() => readSpreadsheet(declareSize(archive, 10))).toThrow('unreadable');
  });
});

/** Writes another size into the directory of the archive, at offset 24 of each entry. */
function declareSize(archive: Uint8Array, size: number): Uint8Array {
  const view = new DataView(archive.buffer);
  for (let at = 0; at < archive.length - 28; at += 1) {
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  }
  return archive;
}
