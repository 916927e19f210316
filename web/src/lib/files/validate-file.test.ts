import { describe, expect, test } from 'vitest';

import { validateFile, formatSizeLimit } from './validate-file';

const LIMIT = 10 * 1024 ** 2;

describe('validateFile', () => {
  test.each([
    [1, undefined],
    [LIMIT, undefined],
    [LIMIT + 1, 'O arquivo excede o limite de 10MB.'],
    [0, 'O arquivo está vazio.'],
  ])('size of %i bytes: %s', (size, message) => {
    expect(validateFile(fileOfSize(size), LIMIT)).toBe(message);
  });
});

test.each([
  [LIMIT, '10MB'],
  [2.5 * 1024 ** 2, '2,5MB'],
])('formatSizeLimit formats %i bytes as %s', (bytes, label) => {
  expect(formatSizeLimit(bytes)).toBe(label);
});

function fileOfSize(size: number): File {
  return new File([new Uint8Array(size)], 'Fatura.pdf');
}
