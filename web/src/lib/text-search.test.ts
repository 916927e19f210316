import { describe, expect, test } from 'vitest';

import { accentInsensitivePattern, foldAccents, matchesSearch } from './text-search';

describe('matchesSearch', () => {
  test.each([
    ['João da Conceição', 'joao da conc', true],
    ['João da Conceição', ' JOÃO ', true],
    ['JOSE', 'josé', true],
    ['João', 'jo_o', false],
    ['Maria', '', true],
  ])('%s by %s: %s', (text, search, found) => {
    expect(matchesSearch(text, search)).toBe(found);
  });

  test('ignores the Unicode normalization form', () => {
    expect(foldAccents('ação'.normalize('NFD'))).toBe(foldAccents('ação'.normalize('NFC')));
  });
});

describe('accentInsensitivePattern', () => {
  test.each([
    ['joao', '%j___%'],
    [' Conceição ', '%_________%'],
    ['100%_\\', String.raw`%100\%\_\\%`],
    ['brt', '%brt%'],
  ])('%s becomes %s', (search, pattern) => {
    expect(accentInsensitivePattern(search)).toBe(pattern);
  });
});
