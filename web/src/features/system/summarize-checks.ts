// Summary of the checks of the installation.
import type { CheckStatus, SystemCheck, SystemSection } from '~/lib/api/database';
import { pluralize } from '~/lib/format';

const sectionTitles: Record<SystemSection, string> = {
  program: 'Programa',
  data: 'Banco e arquivos',
  mail: 'E-mails',
  backup: 'Backup',
  jobs: 'Tarefas diárias',
  machine: 'Máquina e endereço',
};

export const statusLabels: Record<CheckStatus, string> = { ok: 'OK', warning: 'Atenção', error: 'Erro' };

export type CheckGroup = { section: SystemSection; title: string; checks: SystemCheck[] };

const sections: readonly SystemSection[] = ['program', 'data', 'mail', 'backup', 'jobs', 'machine'];

/** The checks by section, in the order of the sections. Sections without checks are left out. */
export function groupChecks(checks: readonly SystemCheck[]): CheckGroup[] {
  return sections
    .map((section) => ({
      section,
      title: sectionTitles[section],
      checks: checks.filter((check) => check.section === section),
    }))
    .filter((group) => group.checks.length > 0);
}

/** One sentence about all checks. */
export function summarizeChecks(checks: readonly SystemCheck[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const parts = [
    errors > 0 && pluralize(errors, 'erro', 'erros'),
    warnings > 0 && pluralize(warnings, 'ponto de atenção', 'pontos de atenção'),
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'Tudo em ordem' : parts.join(' e ');
}

/** The parts of a sentence; every second one is a command, which stands between backticks. */
export function splitCommands(sentence: string): string[] {
  return sentence.split('`');
}
