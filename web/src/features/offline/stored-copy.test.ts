import { expect, test, vi } from 'vitest';

import { newAnswerCountQuery, overdueQuery } from '~/features/dashboard/portal-api';
import { unansweredQuery } from '~/features/documents/api/approvals';
import {
  documentCountQuery,
  documentQuery,
  expiriesBetweenQuery,
  expiringSoonQuery,
  folderDocumentsQuery,
  upcomingQuery,
} from '~/features/documents/api/documents';
import { paymentsOfYearQuery } from '~/features/documents/api/payments-of-year';
import { lastVisitQuery, unreadCountsQuery } from '~/features/documents/api/read-receipts';
import { foldersQuery } from '~/features/folders/api';
import { peopleQuery } from '~/features/members/api';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { currentItemsQuery, missingItemsQuery } from '~/features/requests/api/requests';
import { ticketQuery } from '~/features/tickets/api/ticket-thread';
import { latestTicketsQuery, ticketCountQuery, ticketsQuery } from '~/features/tickets/api/tickets';

import { isStoredQuery, MAX_ROWS, storedCopy } from './stored-copy';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

const SECRET = 'isto não pode ser guardado';
const ID = '00000000-0000-4000-8000-000000000001';

/** A row in which every text field that is not a name, a date or a status holds the secret. */
const row = (named: Readonly<Record<string, unknown>>) => ({
  payment_line: SECRET,
  pix_code: SECRET,
  amount_cents: 14_359,
  message: SECRET,
  note: SECRET,
  hint: SECRET,
  member_name: SECRET,
  newest: [{ body: SECRET, from_staff: true }],
  document_payments: [{ id: ID, paid_on: '2026-11-20', receipt: SECRET }],
  unread: [{ id: ID, text: SECRET }],
  file_url: `public/${ID}/faturas/${SECRET}.PDF`,
  ...named,
});
const document = row({ id: ID, name: 'Guia', type: 'pdf', expires_at: '2026-11-30', status: 'active' });
const ticket = row({ id: ID, subject: 'Férias', status: 'open', created_at: '2026-11-01' });

test.each([
  ['folders', foldersQuery(), [row({ id: 'faturas', name: 'Faturas', documents: 3 })], 'Faturas'],
  ['count of documents', documentCountQuery(), 3, '3'],
  [
    'documents of a folder',
    folderDocumentsQuery('faturas', ''),
    { pages: [[document]], pageParams: [0] },
    'Guia',
  ],
  ['soon', expiringSoonQuery(), { documents: [document], total: 1 }, 'Guia'],
  ['overdue', overdueQuery(), { documents: [document], total: 1 }, 'Guia'],
  ['upcoming', upcomingQuery(), [document], 'Guia'],
  ['month', expiriesBetweenQuery('2026-11-01', '2026-11-30'), [document], 'Guia'],
  ['unanswered', unansweredQuery(), { documents: [document], total: 1 }, 'Guia'],
  ['last visit', lastVisitQuery(), '2026-11-01', '2026-11-01'],
  ['tickets', ticketsQuery({ search: '', status: 'open' }), { pages: [[ticket]], pageParams: [0] }, 'Férias'],
  ['latest tickets', latestTicketsQuery(), [ticket], 'Férias'],
  ['count of tickets', ticketCountQuery('open'), 2, '2'],
  ['new answers', newAnswerCountQuery(null), 1, '1'],
  ['missing items', missingItemsQuery(), { items: [row({ id: ID, name: 'Extrato' })], total: 1 }, 'Extrato'],
  ['clients', clientChoiceQuery(), [row({ id: ID, name: 'Padaria', is_active: true })], 'Padaria'],
])('the copy of %s has its names and no secret', (_, { queryKey }, data, expected) => {
  const copy = JSON.stringify(storedCopy(queryKey, data));
  expect(copy).toContain(expected);
  expect(copy).not.toContain(SECRET);
  expect(copy).not.toContain('14359');
});

test('the number of unread documents by folder is kept', () => {
  const counts = new Map([['faturas', 2]]);
  expect(storedCopy(unreadCountsQuery(null).queryKey, counts)).toEqual(counts);
});

test('a copy has the fields that its list shows', () => {
  const key = folderDocumentsQuery('faturas', '').queryKey;
  expect(storedCopy(key, { pages: [[document]], pageParams: [0] })).toEqual({
    pages: [
      [
        {
          id: ID,
          name: 'Guia',
          type: 'pdf',
          created_at: undefined,
          expires_at: '2026-11-30',
          uploaded_at: undefined,
          file_url: '.pdf',
          status: 'active',
          opened: undefined,
          document_payments: [{ id: ID }],
        },
      ],
    ],
    pageParams: [0],
  });
});

test.each([
  ['a document', documentQuery(ID)],
  ['a search in a folder', folderDocumentsQuery('faturas', 'guia')],
  ['payments', paymentsOfYearQuery(2026)],
  ['a ticket', ticketQuery(ID)],
  ['a search for tickets', ticketsQuery({ search: 'férias', status: null })],
  ['requested items', currentItemsQuery()],
  ['people', peopleQuery(ID, false)],
])('nothing is kept of %s', (_, { queryKey }) => {
  expect(isStoredQuery(queryKey)).toBe(false);
  expect(storedCopy(queryKey, [document])).toBeUndefined();
});

test('data of an unexpected shape is not kept', () => {
  expect(storedCopy(foldersQuery().queryKey, { message: SECRET })).toBeUndefined();
  expect(storedCopy(documentCountQuery().queryKey, SECRET)).toBeUndefined();
  const nested = [{ id: ID, name: { text: SECRET } }];
  expect(JSON.stringify(storedCopy(foldersQuery().queryKey, nested))).not.toContain(SECRET);
});

test('a long list is cut', () => {
  const page = Array.from({ length: 150 }, () => ticket);
  const key = ticketsQuery({ search: '', status: null }).queryKey;
  const copy = storedCopy(key, { pages: [page, page], pageParams: [0, 150] });
  expect(copy).toMatchObject({ pageParams: [0] });
  const many = Array.from({ length: MAX_ROWS + 1 }, () => document);
  expect(storedCopy(upcomingQuery().queryKey, many)).toHaveLength(MAX_ROWS);
});
