import { describe, expect, test } from 'vitest';

import type { CheckStatus, SystemCheck, SystemSection } from '~/lib/api/database';

import { groupChecks, splitCommands, summarizeChecks } from './summarize-checks';

const check = (section: SystemSection, status: CheckStatus): SystemCheck => ({
  section,
  check: section,
  title: 'Disco',
  status,
  message: 'Há espaço.',
});

describe('groupChecks', () => {
  test('orders the sections and leaves out empty ones', () => {
    const groups = groupChecks([check('machine', 'ok'), check('program', 'ok'), check('machine', 'error')]);
    expect(groups.map(({ section, checks }) => [section, checks.length])).toEqual([
      ['program', 1],
      ['machine', 2],
    ]);
  });
});

describe('summarizeChecks', () => {
  test.each([
    [[], 'Tudo em ordem'],
    [['ok'], 'Tudo em ordem'],
    [['ok', 'warning'], '1 ponto de atenção'],
    [['error', 'warning', 'warning'], '1 erro e 2 pontos de atenção'],
    [['error', 'error'], '2 erros'],
  ] as const)('%j is "%s"', (statuses, sentence) => {
    expect(summarizeChecks(statuses.map((status) => check('data', status)))).toBe(sentence);
  });
});

describe('splitCommands', () => {
  test('separates commands from text', () => {
    expect(splitCommands('Rode `portaria fsck` agora.')).toEqual(['Rode ', 'portaria fsck', ' agora.']);
  });
});
