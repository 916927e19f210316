import clients from 'virtual:guide/clients';
import staff from 'virtual:guide/staff';
import { expect, test } from 'vitest';

import { searchGuide } from './search-guide';

const titles = (search: string) =>
  searchGuide(staff, search).flatMap(({ pages }) => pages.map((page) => page.title));

const slugs = (guide: typeof staff) => guide.flatMap(({ pages }) => pages.map(({ slug }) => slug));

test('staff read the pages of the clients too, and clients only their own', () => {
  expect(slugs(staff)).toEqual(expect.arrayContaining(slugs(clients)));
  expect(slugs(clients)).not.toContain('configurar-o-escritorio');
});

test('every page has content', async () => {
  const pages = staff.flatMap((group) => group.pages);
  const contents = await Promise.all(pages.map(async ({ load }) => (await load()).default));
  for (const blocks of contents) expect(blocks.length).toBeGreaterThan(1);
});

test('a search finds titles, summaries and sections without accents', () => {
  expect(titles('configurar o escritorio')).toEqual(['Configurar o escritório']);
  expect(titles('linha digitavel')).toEqual(['Registrar guias a pagar']);
  const [group] = searchGuide(staff, 'link pessoal');
  expect(group?.pages[0]?.sections.map(({ title }) => title)).toEqual(['Link pessoal']);
});

test('without a search all pages are listed, without their sections', () => {
  expect(titles(' ')).toHaveLength(staff.flatMap(({ pages }) => pages).length);
  expect(searchGuide(staff, '')[0]?.pages[0]?.sections).toEqual([]);
});
