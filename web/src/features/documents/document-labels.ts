import type { FolderKind } from '~/lib/api/database';

/** What a folder's documents are, which decides the mails about them. */
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
