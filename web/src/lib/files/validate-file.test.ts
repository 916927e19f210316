import { describe, expect, test } from 'vitest';

import { validateFile, formatSizeLimit } from './validate-file';

const LIMIT = 10 * 1024 ** 2;

describe('validateFile', () => {
  test.each([
    [1, undefined],
    [LIMIT, undefined],
    [LIMIT + 1, 'O arquivo excede o limite de 10MB.'],
    [0, 'O arquivo está vazio.'],
  ])('a file of %i bytes: %s', (size, fault) => {
    expect(validateFile(sized(size), LIMIT)).toBe(fault);
  });
});

test.each([
  [LIMIT, '10MB'],
  [2.5 * 1024 ** 2, '2,5MB'],
])('%i bytes are %s', (bytes, label) => {
  expect(formatSizeLimit(bytes)).toBe(label);
});

function sized(size: number): File {
  return new File([new Uint8Array(size)], 'Fatura.pdf');
}
