// The words for what the tables keep as codes.
import type { FolderKind, TicketCategory, TicketPriority, TicketStatus } from '~/lib/api/database.types';

export const ticketStatusLabels: Record<TicketStatus, string> = {
  open: 'Aberto',
  'in-progress': 'Em andamento',
  closed: 'Fechado',
};

export const ticketCategoryLabels: Record<TicketCategory, string> = {
  support: 'Suporte Técnico',
  billing: 'Faturamento',
  account: 'Conta',
  other: 'Outros',
};

export const ticketPriorityLabels: Record<TicketPriority, string> = {
  low: 'Baixa',
  normal: 'Normal',
  high: 'Alta',
  urgent: 'Urgente',
};

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

/** The options of a select, in the order they are written. */
export function optionsOf<Value extends string>(
  labels: Record<Value, string>,
): { value: string; label: string }[] {
  return Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
}
