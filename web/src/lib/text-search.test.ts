import { describe, expect, test } from 'vitest';

import { accentInsensitiveRegex, foldAccents, matchesSearch, matchesWords } from './text-search';

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

test.each([
  ['joao conc', true],
  [' CONC  joão ', true],
  ['joao maria', false],
  ['', true],
])('all words of %j: %s', (search, found) => {
  expect(matchesWords('João da Conceição', search)).toBe(found);
});

describe('accentInsensitiveRegex', () => {
  test.each([
    ['joao', 'João da Conceição', true],
    [' CONCEIÇÃO ', 'joão da conceicao', true],
    ['conceição', 'Concessão', false],
    ['100% (a.b)', 'Desconto de 100% (Á.B)', true],
    ['a.b', 'axb', false],
    [String.raw`c:\notas`, String.raw`C:\Notas`, true],
  ])('%s in %s: %s', (search, text, found) => {
    expect(new RegExp(accentInsensitiveRegex(search), 'iu').test(text)).toBe(found);
  });

  test('the longest is within the limit of the server', () => {
    expect(accentInsensitiveRegex('a'.repeat(1000)).length).toBeLessThanOrEqual(256);
  });
});
