// Filters of the client list, kept in URL parameters, which can be bookmarked and shared.
import { type ClientFilters, NO_TEAM } from '~/features/clients/api/clients';
import { departmentOf } from '~/features/staff/departments';
import { isUuid } from '~/lib/uuid';

/** Names of the URL parameters, in Portuguese. */
export const PARAM_NAMES = {
  search: 'busca',
  neverSignedIn: 'sem-acesso',
  withUnopened: 'nao-abertos',
  withTickets: 'tickets',
  mine: 'meus',
  team: 'equipe',
} as const satisfies Record<keyof ClientFilters, string>;

/** Parses the URL parameters. Unknown values are ignored. */
export function parseClientFilters(params: URLSearchParams): ClientFilters {
  return {
    search: params.get(PARAM_NAMES.search) ?? '',
    neverSignedIn: params.has(PARAM_NAMES.neverSignedIn),
    withUnopened: params.has(PARAM_NAMES.withUnopened),
    withTickets: params.has(PARAM_NAMES.withTickets),
    mine: params.has(PARAM_NAMES.mine),
    team: parseTeam(params.get(PARAM_NAMES.team)),
  };
}

function parseTeam(value: string | null): string {
  if (value === null) return '';
  return value === NO_TEAM || isUuid(value) || departmentOf(value) !== null ? value : '';
}
