import { describe, expect, test } from 'vitest';

import { sectionsOf } from '../src/features/help/guide.ts';
import { parseContents, parsePage } from './guide.ts';

const links = {
  checkPage(slug: string) {
    if (slug !== 'outra') throw new Error(slug);
  },
  addPicture: (href: string) => ({ src: href, width: 1440, height: 900 }),
};
const parse = (source: string) => parsePage('pagina', `# Página\n\n${source}`, links);

describe('parsePage', () => {
  test('keeps text, marks and characters of HTML as data', () => {
    expect(parse('Abra **Tickets** & _leia_ `a < b`.')).toEqual([
      {
        kind: 'paragraph',
        content: [
          'Abra ',
          { kind: 'strong', content: ['Tickets'] },
          ' & ',
          { kind: 'em', content: ['leia'] },
          ' ',
          { kind: 'code', content: ['a < b'] },
          '.',
        ],
      },
    ]);
  });

  test('gives sections different ids', () => {
    expect(sectionsOf(parse('## Já é\n\n## Ja e'))).toEqual([
      { id: 'ja-e', title: 'Já é' },
      { id: 'ja-e-2', title: 'Ja e' },
    ]);
  });

  test('links to sections of other pages', () => {
    expect(parse('[Veja](outra.md#pagar)')).toEqual([
      { kind: 'paragraph', content: [{ kind: 'page', slug: 'outra', section: 'pagar', content: ['Veja'] }] },
    ]);
  });

  test('keeps lists in lists, tables and pictures', () => {
    const kinds = parse('1. um\n   - dois\n\n| a | b |\n|---|---|\n| c | d |\n\n![Tela](tela.png)');
    expect(kinds.map(({ kind }) => kind)).toEqual(['list', 'table', 'picture']);
    expect(kinds[0]).toMatchObject({ ordered: true, items: [[{ kind: 'paragraph' }, { kind: 'list' }]] });
  });

  test.each([
    ['<b>texto</b>', 'html'],
    ['[x](javascript:alert)', 'javascript:alert'],
    ['[x](ausente.md)', 'ausente'],
    ['### Fundo demais', 'two number signs'],
  ])('refuses %s', (source, reason) => {
    expect(() => parse(source)).toThrow(reason);
  });
});

test('parseContents reads groups of pages, and refuses a page without a summary', () => {
  const contents = '# Guia\n\n## Para clientes\n\n- [Pagar](pagar.md): com Pix.\n';
  expect(parseContents(contents)).toEqual([
    { title: 'Para clientes', pages: [{ slug: 'pagar', title: 'Pagar', summary: 'com Pix.' }] },
  ]);
  expect(() => parseContents(`${contents}- [Outra](outra.md)\n`)).toThrow('outra');
});
