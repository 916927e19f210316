import { readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

const names = (folder: string) =>
  readdirSync(new URL(folder, import.meta.url))
    .filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))
    .toSorted();

test('the gallery shows every piece of src/ui', () => {
  expect(names('./pieces/')).toEqual(names('../src/ui/'));
});
