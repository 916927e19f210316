// Queries of the audit log. Staff may read it, and only the server writes it.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';

import type { RecordChange } from '~/hooks/use-guarded-save';
import type { ActivityRow } from '~/lib/api/database';
import { PAGE_SIZE } from '~/lib/api/pagination';
import { db } from '~/lib/api/postgrest';
import { addDaysToDay, type Day, startOfDayUtc } from '~/lib/dates';

export type ActivityEntry = ActivityRow;

export type ActivityFilter = {
  /** An empty list selects all events. */
  events: readonly string[];
  /** ID of the actor or of the affected person. */
  person: string | null;
  from: Day | undefined;
  to: Day | undefined;
};

export const activityKeys = { all: ['activity'] as const };

const LATEST = 10;
const SIGN_IN_EVENTS = ['session.began', 'session.refused', 'session.ended'];
/** Maximum number of rows that the server returns in one response. */
const EXPORTED_AT_ONCE = 1000;

const failure = { title: 'Erro ao buscar atividades' };

/** Audit events, newest first, paginated by event number. New events do not shift the pages. */
export function activityQuery(filter: ActivityFilter) {
  return infiniteQueryOptions({
    queryKey: [...activityKeys.all, 'list', filter],
    async queryFn({ pageParam, signal }): Promise<ActivityEntry[]> {
      return (await selectActivity(filter, pageParam, PAGE_SIZE, signal)).data;
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.number),
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

/** Latest events without sign-ins, which would displace all others. */
export function recentActivityQuery() {
  return queryOptions({
    queryKey: [...activityKeys.all, 'latest'],
    async queryFn({ signal }): Promise<ActivityEntry[]> {
      const { data } = await db()
        .from('activity')
        .select('*')
        .not('event', 'in', `(${SIGN_IN_EVENTS.join()})`)
        .order('number', { ascending: false })
        .limit(LATEST)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: failure },
  });
}

/** Latest name of a person in the audit log. */
export function activityPersonQuery(person: string) {
  return queryOptions({
    queryKey: [...activityKeys.all, 'name', person],
    async queryFn({ signal }): Promise<string | null> {
      const named = (id: 'actor_id' | 'person_id', name: 'actor_name' | 'person_name') =>
        db()
          .from('activity')
          .select('number,name:' + name)
          .eq(id, person)
          .not(name, 'is', null)
          .order('number', { ascending: false })
          .limit(1)
          .abortSignal(signal)
          .overrideTypes<{ number: number; name: string }[], { merge: false }>()
          .throwOnError();
      const found = await Promise.all([named('actor_id', 'actor_name'), named('person_id', 'person_name')]);
      const rows = found.flatMap(({ data }) => data);
      return rows.toSorted((a, b) => b.number - a.number)[0]?.name ?? null;
    },
  });
}

type ChangedRecord = {
  event: 'template.changed' | 'document.changed' | 'account.changed' | 'office.changed';
  id: string;
  /** The column of the audit log with the id. */
  column: 'subject_id' | 'person_id';
  /** The changed columns that count. Default: all. */
  columns?: readonly string[];
};

/** The latest change of a record. `updatedAt` is its time, if known: the audit log leaves out changes by jobs. */
export async function findRecordChange(
  { event, id, column, columns }: ChangedRecord,
  updatedAt: string | null = null,
): Promise<RecordChange> {
  const { data } = await db()
    .from('activity')
    .select('actor_name,created_at,detail')
    .eq(column, id)
    .eq('event', event)
    // The order of the index that begins with the column.
    .order(column === 'subject_id' ? 'created_at' : 'number', { ascending: false })
    .limit(LATEST)
    .throwOnError();
  const counts = ({ detail }: Pick<ActivityRow, 'detail'>) =>
    !columns || detail.columns?.some((name) => columns.includes(name)) === true;
  const latest = data.find(counts);
  if (!latest || latest.created_at < (updatedAt ?? '')) return { author: null, at: updatedAt };
  return { author: latest.actor_name, at: latest.created_at };
}

/** All events that match the filter, newest first. */
export async function fetchAllActivity(filter: ActivityFilter): Promise<ActivityEntry[]> {
  const all: ActivityEntry[] = [];
  for (;;) {
    // Keyset pagination: each page begins after the last row of the previous page.
    // oxlint-disable-next-line no-await-in-loop
    const { data } = await selectActivity(filter, all.at(-1)?.number ?? null, EXPORTED_AT_ONCE);
    all.push(...data);
    if (data.length < EXPORTED_AT_ONCE) return all;
  }
}

function selectActivity(filter: ActivityFilter, before: number | null, limit: number, signal?: AbortSignal) {
  const { events, person, from, to } = filter;
  let query = db().from('activity').select('*');
  // The index of the events serves a list of names, also in the order of the numbers, but no prefix.
  if (events.length > 0) query = query.in('event', events);
  if (person !== null) query = query.or(`actor_id.eq.${person},person_id.eq.${person}`);
  if (from !== undefined) query = query.gte('created_at', startOfDayUtc(from));
  if (to !== undefined) query = query.lt('created_at', startOfDayUtc(addDaysToDay(to, 1)));
  if (before !== null) query = query.lt('number', before);
  query = query.order('number', { ascending: false }).limit(limit);
  return (signal ? query.abortSignal(signal) : query).throwOnError();
}
