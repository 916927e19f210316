import { expect, test } from 'vitest';

import { matchesTicketSearch, type Ticket } from './tickets';

const ticket: Ticket = {
  id: '019b7600-0000-7000-8000-00000000000a',
  created_at: '2026-11-21T15:00:00+00:00',
  updated_at: '2026-11-21T15:00:00+00:00',
  closed_at: null,
  status: 'open',
  subject: 'Declaração de renda',
  category: 'support',
  priority: 'normal',
  message: 'Não recebi a guia.',
  follow_up_of_id: null,
  document_id: null,
  member_name: null,
};

test.each([
  ['declaracao', true],
  [' NÃO ', true],
  ['Declarac\u0327a\u0303o', true],
  ['019B7600-0000-7000-8000-00000000000A', true],
  ['', true],
  ['declinacao', false],
])('matchesTicketSearch ignores case and accents: %s', (search, found) => {
  expect(matchesTicketSearch(ticket, search)).toBe(found);
});
