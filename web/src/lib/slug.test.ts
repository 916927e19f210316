import { expect, test } from 'vitest';

import { uniqueSlug } from './slug';

test.each([
  ['Guias 2026', [], 'guias-2026'],
  ['Certidões & alvarás', [], 'certidoes-alvaras'],
  ['  Férias – 13º ', [], 'ferias-13'],
  ['Guias', ['guias'], 'guias-2'],
  ['Guias', ['guias', 'guias-2'], 'guias-3'],
  ['税', [], 'pasta'],
  ['a'.repeat(200), [], 'a'.repeat(60)],
])('slug of %j with %j taken is %s', (name, taken, slug) => {
  expect(uniqueSlug(name, taken, 'pasta')).toBe(slug);
});
