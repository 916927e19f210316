import { expect, test } from 'vitest';

import { csvText } from './csv-file';

test('begins with the mark, and separates and quotes as Excel reads it in Brazil', () => {
  expect(
    csvText([
      ['Nome', 'Valor'],
      ['João "Zé" da Silva; filho', '1,5'],
    ]),
  ).toBe('\uFEFF"Nome";"Valor"\r\n"João ""Zé"" da Silva; filho";"1,5"\r\n');
});

test.each(['=1+1', '+55 11', '-2', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\n=1'])(
  '%j is no formula',
  (value) => {
    expect(csvText([[value]])).toBe(`\uFEFF"'${value}"\r\n`);
  },
);

test.each(['João', '1-2', 'a=b', ''])('%j stays as it is', (value) => {
  expect(csvText([[value]])).toBe(`\uFEFF"${value}"\r\n`);
});
