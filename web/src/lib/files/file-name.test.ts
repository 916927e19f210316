import { expect, test } from 'vitest';

import { downloadFileName, getExtension } from './file-name';

test.each([
  [
    'Declaração nº 3 – João',
    'pdf',
    'public/7/faturas/1700-Declaração nº 3 – João.pdf',
    'Declaração nº 3 – João.pdf',
  ],
  ['Contrato.pdf', 'pdf', 'public/7/contratos/1700-Contrato.PDF', 'Contrato.pdf'],
  // The type of a document is free text, so the extension of the file has precedence.
  ['Guia', 'guia de imposto', 'public/7/guias/1700-guia.xlsx', 'Guia.xlsx'],
  ['Foto', 'JPG', null, 'Foto.jpg'],
  ['Ata 3.2', 'pdf', 'public/7/atas/1700-ata.pdf', 'Ata 3.2.pdf'],
  ['Honorários 11/2026', 'pdf', 'public/7/faturas/1.pdf', 'Honorários 11-2026.pdf'],
  ['Sem tipo', 'vários anexos', 'public/7/faturas/1700-arquivo', 'Sem tipo'],
])('downloadFileName of %s (%s) from %s is %s', (name, type, file_url, expected) => {
  expect(downloadFileName({ name, type, file_url })).toBe(expected);
});

test('getExtension returns only a short suffix of the last path segment', () => {
  expect(getExtension('a/b.c/d')).toBe('');
  expect(getExtension('nota.PDF')).toBe('pdf');
});
