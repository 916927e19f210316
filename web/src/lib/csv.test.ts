import { describe, expect, test } from 'vitest';

import { toCsvBlob, formatCsvRow, parseCsv, UnclosedQuoteError } from './csv';

const cellsOf = (text: string) => parseCsv(text).map(({ cells }) => cells);

describe('parseCsv', () => {
  test.each([
    [
      'nome;email\r\nAna;a@x.com\r\n',
      [
        ['nome', 'email'],
        ['Ana', 'a@x.com'],
      ],
    ],
    [
      'nome,email\nAna,a@x.com',
      [
        ['nome', 'email'],
        ['Ana', 'a@x.com'],
      ],
    ],
    [
      '\uFEFFnome;email\n"Silva; Filhos";s@x.com',
      [
        ['nome', 'email'],
        ['Silva; Filhos', 's@x.com'],
      ],
    ],
    [
      '"a;b",c\n"diz ""oi""",d',
      [
        ['a;b', 'c'],
        ['diz "oi"', 'd'],
      ],
    ],
    [
      'a;b\n\n;\n1;2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\n2" tubo;1',
      [
        ['a', 'b'],
        ['2" tubo', '1'],
      ],
    ],
    ['nome\nAna, a contadora', [['nome'], ['Ana, a contadora']]],
    ['', []],
  ])('%j', (text, rows) => expect(cellsOf(text)).toEqual(rows));

  test('parseCsv returns the first line of each row, also after a row with several lines', () => {
    expect(parseCsv('a;b\n"duas\nlinhas";1\nx;2').map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  test('parseCsv rejects an unclosed quotation mark', () => {
    expect(() => parseCsv('a;b\nx;"y\nz;1')).toThrow(UnclosedQuoteError);
  });
});

describe('formatCsvRow', () => {
  test.each([
    [['Ana', 'a;b'], '"Ana";"a;b"\r\n'],
    [['diz "oi"'], '"diz ""oi"""\r\n'],
    [['=1+1', '+55', '-2', '@x', '\tx'], `"'=1+1";"'+55";"'-2";"'@x";"'\tx"\r\n`],
    [['a=1', ''], '"a=1";""\r\n'],
    [[' =1', '\n=1', '1-2'], `"' =1";"'\n=1";"1-2"\r\n`],
  ])('%j', (cells, row) => expect(formatCsvRow(cells)).toBe(row));
});

test('toCsvBlob begins with a byte order mark', async () => {
  const bytes = new Uint8Array(await toCsvBlob([['é'], ['=1']]).arrayBuffer());
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe(`\uFEFF"é"\r\n"'=1"\r\n`);
});
