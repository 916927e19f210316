// What the queue shows stands in its address: going back to it, or sending it to a colleague, shows the same.
import type { Progress, QueueFilter } from '~/features/tickets/api/admin-tickets';
import {
  ticketCategoryLabels,
  ticketPriorityLabels,
  ticketStatusLabels,
} from '~/features/tickets/ticket-labels';
import { isId } from '~/lib/uuid';
import { optionsOf } from '~/ui/select';

export const progressLabels: Record<Progress, string> = {
  unsettled: 'Não fechados',
  ...ticketStatusLabels,
  all: 'Todos',
};

export const priorityOptions = optionsOf(ticketPriorityLabels);
export const categoryOptions = optionsOf(ticketCategoryLabels);

/** The names in the address, as a reader of it understands them. */
export const names = {
  search: 'busca',
  progress: 'status',
  assignee: 'responsavel',
  priority: 'prioridade',
  category: 'categoria',
  overdue: 'atrasados',
} as const satisfies Record<keyof QueueFilter, string>;

/** What an address asks for; words that are none of ours ask for nothing. */
export function shownBy(address: URLSearchParams): QueueFilter {
  return {
    search: address.get(names.search) ?? '',
    progress: oneOf(progressLabels, address.get(names.progress)) ?? 'unsettled',
    assignee: assigneeIn(address.get(names.assignee)),
    priority: oneOf(ticketPriorityLabels, address.get(names.priority)),
    category: oneOf(ticketCategoryLabels, address.get(names.category)),
    overdue: address.has(names.overdue),
  };
}

/** An address with one of its words changed; an empty one goes. */
export function changed(address: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(address);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

function assigneeIn(value: string | null): string | null {
  return value !== null && (value === 'nobody' || isId(value)) ? value : null;
}

function oneOf<Name extends string>(labels: Record<Name, string>, value: string | null): Name | null {
  const isName = (name: string): name is Name => Object.hasOwn(labels, name);
  return value !== null && isName(value) ? value : null;
}
