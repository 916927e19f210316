// Unit tests of the ticket filters.
import { expect, test } from 'vitest';

import { parseTicketFilters } from './ticket-filters';

test('an empty query string selects the tickets that are not closed', () => {
  expect(parseTicketFilters(new URLSearchParams())).toEqual({
    search: '',
    status: 'unsettled',
    assignee: null,
    priority: null,
    category: null,
    unanswered: false,
    overdue: false,
  });
});

test('parameters set the filters, and unknown values are ignored', () => {
  const query = 'busca=DAS&status=closed&responsavel=nobody&prioridade=urgent&categoria=toString&atrasados=1';
  expect(parseTicketFilters(new URLSearchParams(query))).toEqual({
    search: 'DAS',
    status: 'closed',
    assignee: 'nobody',
    priority: 'urgent',
    category: null,
    unanswered: false,
    overdue: true,
  });
});

test('the assignee is a UUID or a department', () => {
  const id = '019b7600-0000-7000-8000-000000000001';
  expect(parseTicketFilters(new URLSearchParams(`responsavel=${id}`)).assignee).toBe(id);
  expect(parseTicketFilters(new URLSearchParams('responsavel=x')).assignee).toBeNull();
  const department = 'departamento:Fiscal';
  expect(parseTicketFilters(new URLSearchParams({ responsavel: department })).assignee).toBe(department);
});
