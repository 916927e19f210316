// Unit tests of payment lines and Pix codes, with the examples of crates/portaria-codes.
import { describe, expect, test } from 'vitest';

import { formatPaymentLine, parseAmount, parsePaymentLine, parsePix } from './payment-codes';

const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

describe('payment lines', () => {
  test.each([
    ['00190.50095 40144.816069 06809.350314 3 37370000000100', 100],
    ['34191.10121 34567.880058 71234.570001 6 16670000012345', 12_345],
    ['34191.10121 34567.880058 71234.570001 5 16670000000000', null],
    ['84670000001-7 43590024020-9 02405000243-5 84221010811-9', 14_359],
    ['85890000460-9 52460179160-5 60759305086-5 83148300001-0', 4_605_246],
  ])('%s', (text, cents) => {
    const line = parsePaymentLine(` ${text}\n`);
    expect(line?.cents).toBe(cents);
    expect(formatPaymentLine(line?.digits ?? '')).toBe(text);
  });

  test('every wrong digit is found', () => {
    const digits = '846700000017435900240209024050002435842210108119';
    for (let at = 3; at < digits.length; at++) {
      const wrong = String((Number(digits[at]) + 1) % 10);
      expect(parsePaymentLine(digits.slice(0, at) + wrong + digits.slice(at + 1))).toBeNull();
    }
    for (const text of ['', '12', 'abc', `${digits}0`, digits.slice(1)]) {
      expect(parsePaymentLine(text)).toBeNull();
    }
  });
});

describe('Pix codes', () => {
  test('the example of the central bank is valid', () => {
    expect(parsePix(`${PIX} `)).toEqual({ code: PIX, merchant: 'Fulano de Tal', cents: null });
  });

  test.each([
    '',
    'https://example.com',
    PIX.slice(0, 40),
    PIX.replace('Fulano', 'Gulano'),
    PIX.replace('1D3D', '1D3E'),
  ])('%j is refused', (text) => expect(parsePix(text)).toBeNull());
});

test.each([
  ['1.234,56', 123_456],
  ['R$ 1234,5', 123_450],
  ['1234', 123_400],
  ['0,05', 5],
  ['1.23,00', null],
  ['12,345', null],
  ['-1', null],
  ['', null],
])('amount %j', (text, cents) => expect(parseAmount(text)).toBe(cents));
