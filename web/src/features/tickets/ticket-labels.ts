// Labels of ticket codes.
import type { TicketCategory, TicketPriority, TicketStatus } from '~/lib/api/database';

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
