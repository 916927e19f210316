import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';

import { readWordDocument, wrapPage } from './word';

test('a page allows no scripts, and styles only the tags of the library', () => {
  const page = wrapPage('<p>&lt;img src=x&gt;</p><table><tr><td>a</td></tr></table><img src="data:," />');
  expect(page).toContain("default-src 'none'");
  expect(page).toMatch(/<p style="[^"]+">&lt;img src=x&gt;<\/p><table style="/);
  expect(page).toMatch(/<td style="[^"]+">a<\/td>/);
  expect(page).toMatch(/<img style="[^"]+" src="data:," \/>/);
});

test('an archive without a document is refused', async () => {
  await expect(readWordDocument(zipSync({ 'a.xml': strToU8('<a/>') }))).rejects.toThrow('Could not find');
});
