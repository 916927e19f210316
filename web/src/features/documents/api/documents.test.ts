// Unit tests of the document queries.
import { expect, test } from 'vitest';

import { isUnread, type FolderDocument } from './documents';

const document: FolderDocument = {
  id: '1',
  name: 'Guia',
  type: 'pdf',
  created_at: '2026-11-20T03:00:00.000000+00:00',
  expires_at: null,
  uploaded_at: '2026-11-20T12:00:00.000000+00:00',
  file_url: 'public/1/faturas/guia.pdf',
  status: 'active',
  opened: false,
  document_payments: [],
};

test.each([
  ['uploaded since the last visit', {}, '2026-11-19T12:00:00.000000+00:00', true],
  ['on a first visit', {}, null, true],
  ['uploaded before the last visit', {}, '2026-11-20T12:00:00.000000+00:00', false],
  ['once opened', { opened: true }, '2026-11-19T12:00:00.000000+00:00', false],
  ['without a file', { file_url: null }, null, false],
  ['not released yet', { status: 'pending' }, null, false],
])('isUnread: %s', (_, change, lastVisit, expected) => {
  expect(isUnread({ ...document, ...change }, lastVisit)).toBe(expected);
});
