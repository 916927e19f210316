import { describe, expect, test } from 'vitest';

import { containingLoosely, fold, foundIn } from './text-search';

describe('foundIn', () => {
  test.each([
    ['João da Conceição', 'joao da conc', true],
    ['João da Conceição', ' JOÃO ', true],
    ['JOSE', 'josé', true],
    ['João', 'jo_o', false],
    ['Maria', '', true],
  ])('%s by %s: %s', (text, search, found) => {
    expect(foundIn(text, search)).toBe(found);
  });

  test('composed and decomposed letters are the same', () => {
    expect(fold('ação'.normalize('NFD'))).toBe(fold('ação'.normalize('NFC')));
  });
});

describe('containingLoosely', () => {
  test.each([
    ['joao', '%j___%'],
    [' Conceição ', '%_________%'],
    ['100%_\\', String.raw`%100\%\_\\%`],
    ['brt', '%brt%'],
  ])('%s becomes %s', (search, pattern) => {
    expect(containingLoosely(search)).toBe(pattern);
  });
});
