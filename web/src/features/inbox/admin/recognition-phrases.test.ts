import { describe, expect, test } from 'vitest';

import { findPhraseError, splitPhrases } from './recognition-phrases';

describe('phrases of a rule', () => {
  test('are the lines that differ', () => {
    expect(splitPhrases(' taxa de condomínio \r\n\nEdifício Aurora\ntaxa de condomínio')).toEqual([
      'taxa de condomínio',
      'Edifício Aurora',
    ]);
  });

  test('have three letters or digits, and are at most five', () => {
    expect(findPhraseError(['PIX', 'nº 12'])).toBeUndefined();
    expect(findPhraseError(['a — b'])).toContain('“a — b”');
    expect(findPhraseError(['x'.repeat(81)])).toBeDefined();
    expect(findPhraseError(['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff'])).toContain('5');
  });
});
