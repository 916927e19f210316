import { expect, test } from 'vitest';

import { changed, shownBy } from './ticket-filters';

test('an empty address shows what is not closed', () => {
  expect(shownBy(new URLSearchParams())).toEqual({
    search: '',
    progress: 'unsettled',
    assignee: null,
    priority: null,
    category: null,
    overdue: false,
  });
});

test('an address shows what it says, and nothing for words that are none of ours', () => {
  const said = 'busca=DAS&status=closed&responsavel=nobody&prioridade=urgent&categoria=toString&atrasados=1';
  expect(shownBy(new URLSearchParams(said))).toEqual({
    search: 'DAS',
    progress: 'closed',
    assignee: 'nobody',
    priority: 'urgent',
    category: null,
    overdue: true,
  });
});

test('whoever sees to a ticket is told by an id', () => {
  const id = '019b7600-0000-7000-8000-000000000001';
  expect(shownBy(new URLSearchParams(`responsavel=${id}`)).assignee).toBe(id);
  expect(shownBy(new URLSearchParams('responsavel=x')).assignee).toBeNull();
});

test('a word of the address is changed, or goes', () => {
  const address = new URLSearchParams('status=open&busca=DAS');
  expect(changed(address, 'status', 'all').toString()).toBe('status=all&busca=DAS');
  expect(changed(address, 'status', '').toString()).toBe('busca=DAS');
});
