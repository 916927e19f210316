import { expect, test } from 'vitest';

import { formatCell, formatCode } from './cell-format';

test.each([
  [12345678000190, undefined, '12345678000190'],
  [0.1 + 0.2, undefined, '0,3'],
  [1234.5, '#,##0.00', '1.234,50'],
  [-1234.5, '_-"R$"\\ * #,##0.00_-;\\-"R$"\\ * #,##0.00_-', '-R$\u00a01.234,50'],
  [-0.001, '#,##0.00', '0,00'],
  [0.075, '0.0%', '7,5%'],
  [7, '000', '7'],
  [46349, 'dd/mm/yyyy', '23/11/2026'],
  [46349.5, 'dd/mm/yyyy\\ hh:mm', '23/11/2026 12:00'],
  [46327, 'mmm/yy', '11/2026'],
  [0.75, 'hh:mm', '18:00'],
  [5, '[Red]#,##0', '5'],
  [1.25, '[h]:mm', '30:00'],
  [-0.5, '[hh]:mm:ss', '-12:00:00'],
  [0.0625, '[m]', '90'],
  [0.001, 'mm:ss', '01:26'],
  [46327, 'mmmm', '11'],
  [1e300, 'dd/mm/yyyy', '1e+300'],
])('%s in the format %s is %s', (value, code, expected) => {
  expect(formatCell(value, code, false)).toBe(expected);
});

test('dates of the 1904 system are later', () => {
  expect(formatCell(46349 - 1462, formatCode(14, new Map()), true)).toBe('23/11/2026');
});
