import { departmentOf } from '~/features/staff/departments';
// Filters of the ticket queue, kept in URL parameters, which can be bookmarked and shared.
import type { QueueFilters, StatusFilter } from '~/features/tickets/api/ticket-queue';
import {
  ticketCategoryLabels,
  ticketPriorityLabels,
  ticketStatusLabels,
} from '~/features/tickets/ticket-labels';
import { isUuid } from '~/lib/uuid';
import { toOptions } from '~/ui/select';

export const statusFilterLabels: Record<StatusFilter, string> = {
  unsettled: 'Não fechados',
  ...ticketStatusLabels,
  all: 'Todos',
};

export const priorityOptions = toOptions(ticketPriorityLabels);
export const categoryOptions = toOptions(ticketCategoryLabels);

/** Names of the URL parameters, in Portuguese. */
export const PARAM_NAMES = {
  search: 'busca',
  status: 'status',
  assignee: 'responsavel',
  priority: 'prioridade',
  category: 'categoria',
  unanswered: 'sem-resposta',
  overdue: 'atrasados',
} as const satisfies Record<keyof QueueFilters, string>;

/** Parses the URL parameters. Unknown values are ignored. */
export function parseTicketFilters(address: URLSearchParams): QueueFilters {
  return {
    search: address.get(PARAM_NAMES.search) ?? '',
    status: parseEnum(statusFilterLabels, address.get(PARAM_NAMES.status)) ?? 'unsettled',
    assignee: parseAssignee(address.get(PARAM_NAMES.assignee)),
    priority: parseEnum(ticketPriorityLabels, address.get(PARAM_NAMES.priority)),
    category: parseEnum(ticketCategoryLabels, address.get(PARAM_NAMES.category)),
    unanswered: address.has(PARAM_NAMES.unanswered),
    overdue: address.has(PARAM_NAMES.overdue),
  };
}

function parseAssignee(value: string | null): string | null {
  if (value === null) return null;
  return value === 'nobody' || isUuid(value) || departmentOf(value) !== null ? value : null;
}

function parseEnum<Name extends string>(labels: Record<Name, string>, value: string | null): Name | null {
  const isName = (name: string): name is Name => Object.hasOwn(labels, name);
  return value !== null && isName(value) ? value : null;
}
