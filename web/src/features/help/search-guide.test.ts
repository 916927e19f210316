import clients from 'virtual:guide/clients';
import staff from 'virtual:guide/staff';
import { expect, test } from 'vitest';

import { loadSearch } from './search-guide';

const slugs = (guide: readonly { pages: { slug: string }[] }[]) =>
  guide.flatMap(({ pages }) => pages.map(({ slug }) => slug));

test('staff read the pages of the clients too, and clients only their own', () => {
  expect(slugs(staff)).toEqual(expect.arrayContaining(slugs(clients)));
  expect(slugs(clients)).not.toContain('configurar-o-escritorio');
});

test('every page has content', async () => {
  const pages = staff.flatMap((group) => group.pages);
  const contents = await Promise.all(pages.map(async ({ load }) => (await load()).default));
  for (const blocks of contents) expect(blocks.length).toBeGreaterThan(1);
});

test('a search finds titles and summaries without accents', async () => {
  const search = await loadSearch(staff);
  const [first] = search('configurar o escritorio').flatMap(({ pages }) => pages);
  expect(first?.title).toBe('Configurar o escritório');
  expect(slugs(search('valor, linha digitavel e pix'))).toEqual(['registrar-guias-a-pagar']);
});

test('a search finds sections by all of its words, with the words around the match', async () => {
  const search = await loadSearch(clients);
  expect(search('lista telefonica')).toEqual([]);
  const pages = search('CODIGO barras banco').flatMap((group) => group.pages);
  expect(pages.map(({ slug }) => slug)).toEqual(['pagar-uma-guia']);
  expect(pages[0]?.sections).toEqual([
    {
      id: 'copiar-o-codigo-e-pagar',
      title: 'Copiar o código e pagar',
      excerpt: expect.stringMatching(/código de barras/i),
    },
  ]);
});

test('pages that match by their title come first', async () => {
  const search = await loadSearch(clients);
  const found = search('documento').flatMap(({ pages }) =>
    pages.map(({ title }) => /documento/i.test(title)),
  );
  expect(found).toEqual(found.toSorted((a, b) => Number(b) - Number(a)));
  expect(found).toEqual(expect.arrayContaining([true, false]));
});
