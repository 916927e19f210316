import { expect, test } from 'vitest';

import { parseCsv } from './csv';

test.each([
  [
    'semicolons',
    'mês;valor\nmarço;1.200,00\n',
    [
      ['mês', 'valor'],
      ['março', '1.200,00'],
    ],
  ],
  [
    'commas',
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'quotes',
    'a;b\n"x;""y""\nz";2',
    [
      ['a', 'b'],
      ['x;"y"\nz', '2'],
    ],
  ],
  [
    'a quote within',
    'a;b\n2" tubo;1',
    [
      ['a', 'b'],
      ['2" tubo', '1'],
    ],
  ],
  [
    'empty fields',
    'a;b;c\n;;3\n\n;;\n',
    [
      ['a', 'b', 'c'],
      ['', '', '3'],
    ],
  ],
  ['a mark at the start', '\uFEFFa;b', [['a', 'b']]],
  ['one column', 'nome\nAna, a contadora', [['nome'], ['Ana, a contadora']]],
  ['nothing', '', []],
])('a table with %s', (_, text, rows) => {
  expect(parseCsv(text)).toEqual(rows);
});
