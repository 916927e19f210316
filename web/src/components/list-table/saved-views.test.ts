import { expect, test } from 'vitest';

import { canonicalSearch } from './saved-views';

const search = (text: string) => canonicalSearch(new URLSearchParams(text));

test('equal filters in another order are the same view', () => {
  expect(search('status=open&busca=das')).toBe(search('busca=das&status=open'));
  expect(search('busca=das')).not.toBe(search('busca=inss'));
});
