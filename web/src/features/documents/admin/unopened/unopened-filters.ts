// Filters of the documents that wait to be opened, kept in URL parameters, which can be bookmarked and shared.
import type { UnopenedFilters } from '~/features/documents/api/unopened';
import { DUE_VALUES, dueRanges, parseDueRange } from '~/features/documents/due-ranges';
import { departmentOf } from '~/features/staff/departments';
import { isUuid } from '~/lib/uuid';

export const NOBODY = 'nobody';
const NOBODY_VALUE = 'ninguem';

/** Names of the URL parameters, in Portuguese. */
const PARAM_NAMES = {
  due: 'vencimento',
  folder: 'pasta',
  category: 'categoria',
  client: 'cliente',
  responsible: 'responsavel',
} as const satisfies Record<keyof UnopenedFilters, string>;

/** Parses the URL parameters. Invalid values are ignored. */
export function parseUnopenedFilters(params: URLSearchParams): UnopenedFilters {
  const text = (name: keyof UnopenedFilters) => params.get(PARAM_NAMES[name]) ?? '';
  const responsible = text('responsible');
  return {
    due: parseDueRange(text('due')),
    folder: text('folder'),
    category: text('category'),
    client: uuid(text('client')),
    responsible: parseResponsible(responsible),
  };
}

/** The name and the value of a filter in the URL; an empty value removes it. */
export function toUrlParam<Name extends keyof UnopenedFilters>(
  name: Name,
  value: UnopenedFilters[Name],
): [name: string, value: string] {
  const due = dueRanges.find((range) => name === 'due' && range === value);
  const text = due ? DUE_VALUES[due] : value === NOBODY ? NOBODY_VALUE : (value ?? '');
  return [PARAM_NAMES[name], text];
}

function parseResponsible(value: string): string {
  if (value === NOBODY_VALUE) return NOBODY;
  return departmentOf(value) === null ? uuid(value) : value;
}

function uuid(value: string): string {
  return isUuid(value) ? value : '';
}
