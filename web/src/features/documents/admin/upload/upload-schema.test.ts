// Unit tests of the upload form's validation.
import { describe, expect, test } from 'vitest';

import { blankPayment } from '../payment-schema';
import { blankUpload, uploadSchema, type UploadValues } from './upload-schema';

const good: UploadValues = {
  clientId: '0192d3a4',
  folderId: 'faturas',
  file: new File(['%PDF'], 'Fatura.pdf'),
  documentName: 'Fatura',
  documentType: 'pdf',
  expiresAt: '',
  kind: '',
  approvalRequest: '',
  ...blankPayment,
};

function validationErrors(values: UploadValues): string[] {
  return uploadSchema.safeParse(values).error?.issues.map(({ message }) => message) ?? [];
}

describe('uploadSchema', () => {
  test('requires client, folder, file and name', () => {
    expect(validationErrors(blankUpload)).toEqual([
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
    [{ paymentLine: '123' }, ['A linha digitável não confere. Confira os 47 ou 48 dígitos.']],
    [{ pixCode: '000201' }, ['O Pix não confere. Copie o código inteiro outra vez.']],
    [{ amount: 'dez' }, ['Informe um valor, como 1.234,56.']],
  ])('%o has the errors %o', (changes, expected) => {
    expect(validationErrors({ ...good, ...changes })).toEqual(expected);
  });
});
