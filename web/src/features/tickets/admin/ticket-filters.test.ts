import { expect, test } from 'vitest';

import { withParam, parseTicketFilters } from './ticket-filters';

test('an empty address shows what is not closed', () => {
  expect(parseTicketFilters(new URLSearchParams())).toEqual({
    search: '',
    status: 'unsettled',
    assignee: null,
    priority: null,
    category: null,
    overdue: false,
  });
});

test('an address shows what it says, and nothing for words that are none of ours', () => {
  const said = 'busca=DAS&status=closed&responsavel=nobody&prioridade=urgent&categoria=toString&atrasados=1';
  expect(parseTicketFilters(new URLSearchParams(said))).toEqual({
    search: 'DAS',
    status: 'closed',
    assignee: 'nobody',
    priority: 'urgent',
    category: null,
    overdue: true,
  });
});

test('whoever sees to a ticket is told by an id', () => {
  const id = '019b7600-0000-7000-8000-000000000001';
  expect(parseTicketFilters(new URLSearchParams(`responsavel=${id}`)).assignee).toBe(id);
  expect(parseTicketFilters(new URLSearchParams('responsavel=x')).assignee).toBeNull();
});

test('a word of the address is changed, or goes', () => {
  const address = new URLSearchParams('status=open&busca=DAS');
  expect(withParam(address, 'status', 'all').toString()).toBe('status=all&busca=DAS');
  expect(withParam(address, 'status', '').toString()).toBe('busca=DAS');
});
