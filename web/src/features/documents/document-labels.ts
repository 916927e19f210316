// Labels of document kinds and statuses.
import type { FolderKind } from '~/lib/api/database';

/** Labels of the folder kinds, which determine the notification e-mails. */
export const folderKindLabels: Record<FolderKind, string> = {
  contrato: 'Contrato',
  fatura: 'Fatura',
  relatorio: 'Relatório',
  aviso: 'Aviso',
};

export function documentStatusLabel(status: string): string {
  if (status === 'active') return 'Ativo';
  return status === 'pending' ? 'Pendente' : 'Inativo';
}
