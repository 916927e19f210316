import { describe, expect, test } from 'vitest';

import { attachmentPath, defaultDocumentName, storagePath } from './storage-path';

const storedPath = (fileName: string) =>
  storagePath({ clientId: 'c1', folderId: 'faturas', fileName, now: 1_790_000_000_000 });

describe('storagePath', () => {
  test.each([
    ['Declaração nº 3 – João.pdf', 'Declaração nº 3 – João.pdf'],
    ['50% de desconto #1?.pdf', '50_ de desconto _1_.pdf'],
    ['../../etc\\passwd', '.._.._etc_passwd'],
    ['a\u0000b\nc\u202Efdp.exe', 'a_b_c_fdp.exe'],
    ['termina em ponto. ', 'termina em ponto'],
    ['\uD800.pdf', '\uFFFD.pdf'],
    ['...', '_'],
  ])('%j is stored as %j', (fileName, name) => {
    expect(storedPath(fileName)).toBe(`public/c1/faturas/1790000000000-${name}`);
  });

  test('normalizes the name to NFC', () => {
    expect(storedPath('Locação.pdf'.normalize('NFD'))).toBe(storedPath('Locação.pdf'));
  });

  test('truncates a long name and keeps its extension', () => {
    const name =
      storedPath(`${'ã'.repeat(200)}.pdf`)
        .split('/')
        .at(-1) ?? '';
    expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^1790000000000-ã+\.pdf$/);
  });
});

describe('defaultDocumentName', () => {
  test.each([
    ['Declaração nº 3 – João.pdf', 'Declaração nº 3 – João'],
    ['Balanço v1.2.xlsx', 'Balanço v1.2'],
    ['sem extensão', 'sem extensão'],
    ['.env', '.env'],
    ['Ata da reunião de 12. de maio', 'Ata da reunião de 12. de maio'],
  ])('%s becomes %s', (fileName, name) => {
    expect(defaultDocumentName(fileName)).toBe(name);
  });
});

test('attachmentPath contains the sender, the ticket and the sanitized name', () => {
  const place = { sender: 'c1', ticketId: 't1', fileName: 'Nota 50%/2.pdf', now: 1_790_000_000_000 };
  expect(attachmentPath(place)).toBe('c1/t1/1790000000000-Nota 50__2.pdf');
});
