import { expect, test } from 'vitest';

import { keepMatching, type SearchHit, wordPrefixes } from './api';

test.each([
  ['Certidão neg', 'certidao:* & neg:*'],
  ['11/2026', '11:* & 2026:*'],
  ["d'água & (x) | !y:*", 'd:* & agua:* & x:* & y:*'],
  ['  …  ', ''],
])('the words of %j are searched as %j', (text, query) => {
  expect(wordPrefixes(text)).toBe(query);
});

test.each([
  ['DAS nov', ['Guia DAS novembro']],
  ['nov guia', ['Guia DAS novembro']],
  ['padaria', ['Guia DAS novembro']],
  ['contrato', []],
])('of earlier hits, %j keeps %j', (text, names) => {
  const hit: SearchHit = { id: '1', name: 'Guia DAS novembro', hint: 'Padaria Aurora' };
  const kept = keepMatching({ clients: [], documents: [hit], tickets: [] }, text);
  expect(kept.documents.map(({ name }) => name)).toEqual(names);
});
