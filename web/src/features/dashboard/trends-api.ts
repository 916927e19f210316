// Queries of the dashboard's charts. Each number is a count of the server, by ranges of time in the portal's time zone.
import { queryOptions } from '@tanstack/react-query';

import { documentKeys } from '~/features/documents/api/documents';
import { ticketKeys } from '~/features/tickets/api/tickets';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';
import { addDaysToDay, type Day, startOfDayUtc, today } from '~/lib/dates';

/** A week from Monday to Sunday. */
export type WeekCounts = { monday: Day; published: number; opened: number };

const WEEKS = 8;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const failure = { title: 'Erro ao buscar os gráficos' };

/** The Mondays of the last weeks, the oldest first. The last week is the present one. */
export function lastMondays(day: Day): Day[] {
  const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: WEEKS }, (_, at) => addDaysToDay(day, (at + 1 - WEEKS) * 7 - sinceMonday));
}

/**
 * Published documents and openings of the last weeks. A change of a document counts the present week again. The past
 * weeks are counted once an hour: few changes, such as a deletion, concern them.
 */
export function weekCountsQuery() {
  return queryOptions({
    queryKey: [...documentKeys.all, 'weeks'],
    async queryFn({ signal }): Promise<WeekCounts[]> {
      const mondays = lastMondays(today());
      const present = mondays.slice(-1);
      const [past, now] = await Promise.all([
        queryClient.fetchQuery(pastWeekCountsQuery(mondays.slice(0, -1))),
        Promise.all(present.map((monday) => fetchWeekCounts(monday, signal))),
      ]);
      return [...past, ...now];
    },
    meta: { errorToast: failure },
  });
}

/** The key is not below the one of the documents, whose changes invalidate all queries below it. */
function pastWeekCountsQuery(mondays: readonly Day[]) {
  return queryOptions({
    queryKey: ['past-weeks', mondays],
    queryFn: ({ signal }) => Promise.all(mondays.map((monday) => fetchWeekCounts(monday, signal))),
    staleTime: HOUR_MS,
    // No component observes the query.
    gcTime: HOUR_MS,
    // The query of the last weeks retries.
    retry: false,
  });
}

async function fetchWeekCounts(monday: Day, signal: AbortSignal): Promise<WeekCounts> {
  const [from, until] = [startOfDayUtc(monday), startOfDayUtc(addDaysToDay(monday, 7))];
  const options = { count: 'exact', head: true } as const;
  const [published, opened] = await Promise.all([
    db()
      .from('documents')
      .select('id', options)
      .eq('status', 'active')
      .not('client_id', 'is', null)
      .gte('uploaded_at', from)
      .lt('uploaded_at', until)
      .abortSignal(signal)
      .throwOnError(),
    db()
      .from('document_receipts')
      .select('id', options)
      .eq('action', 'opened')
      .gte('created_at', from)
      .lt('created_at', until)
      .abortSignal(signal)
      .throwOnError(),
  ]);
  return { monday, published: published.count ?? 0, opened: opened.count ?? 0 };
}

/** Ages of tickets in days, from the first (exclusive) to the second (inclusive). */
export const TICKET_AGES = [
  { label: 'Até 1 dia', from: 0, to: 1 },
  { label: '2 a 3 dias', from: 1, to: 3 },
  { label: '4 a 7 dias', from: 3, to: 7 },
  { label: '8 a 30 dias', from: 7, to: 30 },
  { label: 'Mais de 30 dias', from: 30, to: null },
] as const;

/** Numbers of tickets that are not closed, for each of `TICKET_AGES`. */
export function ticketAgesQuery() {
  return queryOptions({
    queryKey: [...ticketKeys.all, 'ages'],
    async queryFn({ signal }): Promise<number[]> {
      const now = Date.now();
      const before = (days: number) => new Date(now - days * DAY_MS).toISOString();
      return Promise.all(
        TICKET_AGES.map(async ({ from, to }) => {
          let query = db()
            .from('tickets')
            .select('id', { count: 'exact', head: true })
            .in('status', ['open', 'in-progress']);
          if (from > 0) query = query.lt('created_at', before(from));
          if (to !== null) query = query.gte('created_at', before(to));
          const { count } = await query.abortSignal(signal).throwOnError();
          return count ?? 0;
        }),
      );
    },
    meta: { errorToast: failure },
  });
}
