import { describe, expect, test } from 'vitest';

import { blankUpload, faultOf, limitLabel, uploadSchema, type UploadValues } from './upload-schema';

const LIMIT = 10 * 1024 ** 2;

const good: UploadValues = {
  clientId: '0192d3a4',
  folderId: 'faturas',
  file: new File(['%PDF'], 'Fatura.pdf'),
  documentName: 'Fatura',
  documentType: 'pdf',
  expiresAt: '',
};

function complaints(values: UploadValues): string[] {
  return uploadSchema.safeParse(values).error?.issues.map(({ message }) => message) ?? [];
}

describe('uploadSchema', () => {
  test('asks for what is missing', () => {
    expect(complaints(blankUpload)).toEqual([
      'Cliente é obrigatório.',
      'Pasta é obrigatória.',
      'Arquivo é obrigatório.',
      'Nome do documento é obrigatório.',
    ]);
  });

  test.each([
    [{}, []],
    [{ expiresAt: '2026-11-30' }, []],
    [{ expiresAt: '2026-02-30' }, ['Data inválida']],
    [{ documentName: '   ' }, ['Nome do documento é obrigatório.']],
    [{ documentType: '' }, []],
  ])('with %o says %o', (changes, said) => {
    expect(complaints({ ...good, ...changes })).toEqual(said);
  });
});

function sized(size: number): File {
  return new File([new Uint8Array(size)], 'Fatura.pdf');
}

describe('faultOf', () => {
  test.each([
    [1, undefined],
    [LIMIT, undefined],
    [LIMIT + 1, 'O arquivo excede o limite de 10MB.'],
    [0, 'O arquivo está vazio.'],
  ])('a file of %i bytes: %s', (size, fault) => {
    expect(faultOf(sized(size), LIMIT)).toBe(fault);
  });
});

test.each([
  [LIMIT, '10MB'],
  [2.5 * 1024 ** 2, '2,5MB'],
])('%i bytes are %s', (bytes, label) => {
  expect(limitLabel(bytes)).toBe(label);
});
