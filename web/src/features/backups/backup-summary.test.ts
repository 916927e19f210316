import { describe, expect, it, vi } from 'vitest';

import type { BackupStatus } from '~/lib/api/database';

import { summarizeBackup } from './backup-summary';

vi.mock('~/lib/api/server-config', () => ({ serverConfig: () => ({ time_zone: 'America/Sao_Paulo' }) }));

const made = { at: '2026-11-22T06:00:00+00:00', files: 3, bytes: 2_516_582, broken: 0 };
const good: BackupStatus = {
  scheduled: true,
  at: '03:00',
  every: null,
  encrypted: true,
  made,
  failed: null,
  rehearsed: { at: '2026-11-22T06:00:00+00:00', code: null },
  overdue: false,
};

describe('what is said of the backups', () => {
  it.each<[string, Partial<BackupStatus>, string, string]>([
    ['all is well', {}, 'ok', 'Backup em dia'],
    ['one failed', { failed: { at: made.at, code: 'no_room' } }, 'error', 'O último backup falhou'],
    ['nobody made one', { overdue: true }, 'error', 'Sem backup há mais de um dia'],
    ['nobody made one for an hour', { every: 3, overdue: true }, 'error', 'Sem backup há mais de uma hora'],
    [
      'it could not be brought back',
      { rehearsed: { at: made.at, code: 'damaged' } },
      'error',
      'O backup não pôde ser restaurado no ensaio',
    ],
    ['the portal lost files', { made: { ...made, broken: 2 } }, 'error', 'O portal perdeu arquivos'],
    ['none is planned', { scheduled: false, made: null, rehearsed: null }, 'idle', 'Sem backup automático'],
    ['the first is to come', { made: null, rehearsed: null }, 'idle', 'Ainda não há backup'],
  ])('%s', (_, change, mood, title) => {
    const words = summarizeBackup({ ...good, ...change });
    expect([words.status, words.title]).toEqual([mood, title]);
  });

  it('tells when, how much, and whether it would come back', () => {
    expect(summarizeBackup(good).facts).toEqual([
      'Último backup: 22/11/2026 às 03:00',
      '2,4 MB, cifrado: 3 arquivos e o banco',
      'Restauração ensaiada: 22/11/2026 às 03:00, tudo voltou',
    ]);
  });
});
