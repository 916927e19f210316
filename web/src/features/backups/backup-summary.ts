// Summary of the backup status. Problems come first, with the action that solves them.
import type { Rights } from '~/features/auth/rights';
import type { BackupErrorCode, BackupStatus } from '~/lib/api/database';
import { formatDateTime } from '~/lib/dates';
import { formatSize, pluralize } from '~/lib/format';

const reasons: Record<BackupErrorCode, string> = {
  no_room: 'O disco está cheio. Libere espaço ou escolha outro destino.',
  unreachable:
    'O destino do backup não está acessível. Confira se está ligado e se o portal pode gravar nele.',
  busy: 'Outro backup estava sendo gravado no mesmo destino.',
  key: 'A chave de cifra (backup_key) não é a deste destino.',
  damaged: 'O que está gravado não é o que foi escrito. Faça um backup novo em outro disco.',
  database: 'O banco de dados não respondeu.',
  files: 'Um arquivo do portal não pôde ser lido. Rode portaria fsck no servidor.',
  held_up: 'O backup ficou parado por tempo demais e foi interrompido.',
  refused: 'Não foi possível. O registro do servidor diz por quê.',
};

export type BackupSummary = {
  status: 'ok' | 'error' | 'idle';
  title: string;
  /** Consequences of the status, or recommended actions. */
  lines: string[];
  facts: string[];
};

/** Only administrators read how to set up backups: other members of the staff have no use for it. */
export function summarizeBackup(
  backup: BackupStatus,
  { isAdministrator }: Pick<Rights, 'isAdministrator'>,
): BackupSummary {
  const { scheduled, at, every, encrypted, made, failed, rehearsed, overdue } = backup;
  const restoreError = rehearsed?.code ?? null;
  const encryptionNote = !scheduled ? '' : encrypted ? ', cifrado' : ', sem cifra';
  const facts = [
    made && `Último backup: ${formatDateTime(made.at)}`,
    made &&
      `${formatSize(made.bytes)}${encryptionNote}: ${made.files === 0 ? 'só' : pluralize(made.files, 'arquivo', 'arquivos') + ' e'} o banco`,
    rehearsed &&
      restoreError === null &&
      `Restauração ensaiada: ${formatDateTime(rehearsed.at)}, tudo voltou`,
  ].filter((fact) => typeof fact === 'string');
  const errorSummary = (title: string, ...lines: string[]): BackupSummary => ({
    status: 'error',
    title,
    lines,
    facts,
  });

  if (failed)
    return errorSummary('O último backup falhou', `${formatDateTime(failed.at)}: ${reasons[failed.code]}`);
  if (overdue) {
    if (every !== null) {
      return errorSummary('Sem backup há mais de uma hora', 'O registro do servidor diz o que falta.');
    }
    return errorSummary(
      'Sem backup há mais de um dia',
      `O backup das ${at} não foi feito. Confira se o portal fica no ar a essa hora; o registro do servidor diz mais.`,
    );
  }
  if (rehearsed && restoreError !== null) {
    return errorSummary(
      'O backup não pôde ser restaurado no ensaio',
      `${formatDateTime(rehearsed.at)}: ${reasons[restoreError]}`,
    );
  }
  if (made && made.broken > 0) {
    return errorSummary(
      'O portal perdeu arquivos',
      `${pluralize(made.broken, 'arquivo não está', 'arquivos não estão')} como ${made.broken === 1 ? 'foi guardado' : 'foram guardados'}; os outros estão no backup. Rode portaria fsck no servidor para saber quais.`,
    );
  }
  if (!scheduled) {
    return {
      status: 'idle',
      title: 'Sem backup automático',
      lines: isAdministrator ? ['Nenhum destino foi definido. Quem cuida do servidor define backup_to.'] : [],
      facts,
    };
  }
  if (!made) {
    return {
      status: 'idle',
      title: 'Ainda não há backup',
      lines: [every === null ? `O primeiro será feito às ${at}.` : 'O primeiro será feito em instantes.'],
      facts,
    };
  }
  return { status: 'ok', title: 'Backup em dia', lines: [], facts };
}
