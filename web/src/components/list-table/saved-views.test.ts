import { expect, test } from 'vitest';

import { canonicalSearch, MAX_VIEWS, parseViews } from './saved-views';

const search = (text: string) => canonicalSearch(new URLSearchParams(text));

test('equal filters in another order are the same view', () => {
  expect(search('status=open&busca=das')).toBe(search('busca=das&status=open'));
  expect(search('busca=das')).not.toBe(search('busca=inss'));
});

test('stored views are read, and damaged ones left out', () => {
  const view = { id: '1', name: 'Atrasados', search: 'atrasados=1' };
  expect(parseViews(JSON.stringify([view, { id: 2 }, null]))).toEqual([view]);
  expect(parseViews('{')).toEqual([]);
  expect(parseViews(null)).toEqual([]);
  expect(parseViews(JSON.stringify(Array.from({ length: 99 }, () => view)))).toHaveLength(MAX_VIEWS);
});
