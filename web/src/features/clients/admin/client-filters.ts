// Filters of the client list, kept in URL parameters, which can be bookmarked and shared.
import type { ClientFilters } from '~/features/clients/api/clients';

/** Names of the URL parameters, in Portuguese. */
export const PARAM_NAMES = {
  search: 'busca',
  neverSignedIn: 'sem-acesso',
  withUnopened: 'nao-abertos',
  withTickets: 'tickets',
  mine: 'meus',
} as const satisfies Record<keyof ClientFilters, string>;

export function parseClientFilters(params: URLSearchParams): ClientFilters {
  return {
    search: params.get(PARAM_NAMES.search) ?? '',
    neverSignedIn: params.has(PARAM_NAMES.neverSignedIn),
    withUnopened: params.has(PARAM_NAMES.withUnopened),
    withTickets: params.has(PARAM_NAMES.withTickets),
    mine: params.has(PARAM_NAMES.mine),
  };
}
