import { describe, expect, test } from 'vitest';

import { fitColumns, formatSort, type ListColumn, type ListSort, parseSort } from './list-column';

type Row = { name: string };
type Key = 'search_name' | 'last_sign_in_at';

const base = { cell: ({ name }: Row) => name, text: ({ name }: Row) => name };
const columns: ListColumn<Row, Key>[] = [
  { ...base, header: 'Nome', width: [12, 2], sort: 'search_name', card: 'title' },
  { ...base, header: 'Último acesso', width: [8, 0], sort: 'last_sign_in_at' },
  { ...base, header: 'Pendências', width: [6, 0] },
];
const usual: ListSort<Key> = { by: 'search_name', ascending: true };

describe('the order in the address', () => {
  test.each([
    ['', usual],
    ['ordem=ultimo-acesso', { by: 'last_sign_in_at', ascending: true }],
    ['ordem=-ultimo-acesso', { by: 'last_sign_in_at', ascending: false }],
    ['ordem=-nome', { by: 'search_name', ascending: false }],
    ['ordem=pendencias', usual],
    ['ordem=senha', usual],
  ])('"%s" is read', (address, sort) => {
    expect(parseSort(new URLSearchParams(address), columns, usual)).toEqual(sort);
  });

  test('is written as it is read, and the usual order not at all', () => {
    expect(formatSort(usual, columns, usual)).toBe('');
    expect(formatSort({ by: 'last_sign_in_at', ascending: false }, columns, usual)).toBe('-ultimo-acesso');
  });
});

test.each([
  [30, {}, ['Nome', 'Último acesso', 'Pendências']],
  [20, {}, ['Nome', 'Último acesso']],
  [20, { pendencias: true }, ['Nome', 'Pendências']],
  [5, {}, ['Nome']],
])('%i rem with the choice %j have room for %j', (width, chosen, headers) => {
  expect(fitColumns(columns, width, chosen).map(({ header }) => header)).toEqual(headers);
});
