// Filters of the activity table, kept in URL parameters.
import { activityFilterGroups, getGroupEvents } from '~/features/activity/activity-labels';
import type { ActivityFilter } from '~/features/activity/api';
import { type UrlDay, useUrlDay } from '~/hooks/use-url-day';
import { useUrlParams } from '~/hooks/use-url-params';
import { parseDay } from '~/lib/dates';
import { isUuid } from '~/lib/uuid';

type Values = { tipo: string; pessoa: string; de: string; ate: string };

export type ActivityFilters = {
  values: Values;
  set: (name: 'tipo' | 'pessoa', value: string) => void;
  from: UrlDay;
  to: UrlDay;
  clear: () => void;
  filter: ActivityFilter;
  isFiltered: boolean;
};

export function useActivityFilters(): ActivityFilters {
  const url = useUrlParams();
  const [params, setParam, clear] = url;
  const values = readValues(params);
  const from = useUrlDay('de', url);
  const to = useUrlDay('ate', url);
  return {
    values,
    set: setParam,
    from,
    to,
    clear() {
      from.clear();
      to.clear();
      clear();
    },
    filter: toActivityQuery(values),
    isFiltered: Object.values(values).some((value) => value !== ''),
  };
}

/** Parses the URL parameters. Invalid values are ignored. */
export function parseActivityFilters(params: URLSearchParams): ActivityFilter {
  return toActivityQuery(readValues(params));
}

function readValues(params: URLSearchParams): Values {
  const text = (name: keyof Values) => params.get(name) ?? '';
  const kind = activityFilterGroups.find(({ value }) => value === text('tipo'));
  return {
    tipo: kind?.value ?? '',
    pessoa: isUuid(text('pessoa')) ? text('pessoa') : '',
    de: parseDay(text('de')) ?? '',
    ate: parseDay(text('ate')) ?? '',
  };
}

function toActivityQuery({ tipo, pessoa, de, ate }: Values): ActivityFilter {
  return {
    events: getGroupEvents(tipo),
    person: pessoa === '' ? null : pessoa,
    from: parseDay(de),
    to: parseDay(ate),
  };
}
