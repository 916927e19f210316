import { expect, test } from 'vitest';

import { parseUnopenedFilters, toUrlParam } from './unopened-filters';

const ID = '019b7600-0000-7000-8000-000000000001';
const NONE = { due: null, folder: '', category: '', client: '', responsible: '' };

test('filters come back from the URL', () => {
  const filters = {
    due: 'week',
    folder: 'faturas',
    category: 'das',
    client: ID,
    responsible: 'nobody',
  } as const;
  const params = new URLSearchParams([
    toUrlParam('due', filters.due),
    toUrlParam('folder', filters.folder),
    toUrlParam('category', filters.category),
    toUrlParam('client', filters.client),
    toUrlParam('responsible', filters.responsible),
  ]);
  expect(params.toString()).toBe(
    `vencimento=7-dias&pasta=faturas&categoria=das&cliente=${ID}&responsavel=ninguem`,
  );
  expect(parseUnopenedFilters(params)).toEqual(filters);
});

test('a filter without a value has an empty parameter', () => {
  expect(toUrlParam('due', null)).toEqual(['vencimento', '']);
  expect(toUrlParam('responsible', '')).toEqual(['responsavel', '']);
});

test('invalid parameters are ignored', () => {
  const params = new URLSearchParams('vencimento=ontem&cliente=x&responsavel=y');
  expect(parseUnopenedFilters(params)).toEqual(NONE);
});
