import { expect, test } from 'vitest';

import { wordPrefixes } from './api';

test.each([
  ['Certidão neg', 'certidao:* & neg:*'],
  ['11/2026', '11:* & 2026:*'],
  ["d'água & (x) | !y:*", 'd:* & agua:* & x:* & y:*'],
  ['  …  ', ''],
])('the words of %j are searched as %j', (text, query) => {
  expect(wordPrefixes(text)).toBe(query);
});
