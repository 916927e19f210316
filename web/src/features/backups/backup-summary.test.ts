// Unit tests of the backup summary.
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

const ADMINISTRATOR = { isAdministrator: true };

describe('backup summary', () => {
  it.each<[string, Partial<BackupStatus>, string, string]>([
    ['a recent backup is ok', {}, 'ok', 'Backup em dia'],
    [
      'a failed backup is an error',
      { failed: { at: made.at, code: 'no_room' } },
      'error',
      'O último backup falhou',
    ],
    ['a daily backup is overdue', { overdue: true }, 'error', 'Sem backup há mais de um dia'],
    [
      'a backup with a short interval is overdue',
      { every: 3, overdue: true },
      'error',
      'Sem backup há mais de uma hora',
    ],
    [
      'a failed restore test is an error',
      { rehearsed: { at: made.at, code: 'damaged' } },
      'error',
      'O backup não pôde ser restaurado no ensaio',
    ],
    [
      'missing files of the portal are an error',
      { made: { ...made, broken: 2 } },
      'error',
      'O portal perdeu arquivos',
    ],
    ['no schedule', { scheduled: false, made: null, rehearsed: null }, 'idle', 'Sem backup automático'],
    ['a schedule without a first backup', { made: null, rehearsed: null }, 'idle', 'Ainda não há backup'],
  ])('%s', (_, change, mood, title) => {
    const summary = summarizeBackup({ ...good, ...change }, ADMINISTRATOR);
    expect([summary.status, summary.title]).toEqual([mood, title]);
  });

  it('states time, size and restore test of the last backup', () => {
    expect(summarizeBackup(good, ADMINISTRATOR).facts).toEqual([
      'Último backup: 22/11/2026 às 03:00',
      '2,4 MB, cifrado: 3 arquivos e o banco',
      'Restauração ensaiada: 22/11/2026 às 03:00, tudo voltou',
    ]);
  });

  it('explains to administrators only how to set up backups', () => {
    const unscheduled = { ...good, scheduled: false, made: null, rehearsed: null };
    expect(summarizeBackup(unscheduled, ADMINISTRATOR).lines).toHaveLength(1);
    expect(summarizeBackup(unscheduled, { isAdministrator: false }).lines).toEqual([]);
  });
});
