// When the lists of the page were read, for the banner of a lost connection.
import { notifyManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

import { useSession } from '~/features/auth/session';
import { lastVisitQuery } from '~/features/documents/api/read-receipts';
import { clientChoiceQuery } from '~/features/members/client-choice';
import { isStoredQuery } from '~/features/offline/stored-copy';
import { queryClient } from '~/lib/api/query-client';
import { formatDateTime, toDay, today } from '~/lib/dates';

/** Queries that are read once, so that their age says nothing about the lists. */
const READ_ONCE: ReadonlySet<unknown> = new Set([
  clientChoiceQuery().queryKey[0],
  lastVisitQuery().queryKey[0],
]);

export function DataTime() {
  const { user } = useSession();
  const at = useSyncExternalStore(subscribe, oldestUpdate);
  if (at === null || !user || user.isAdmin) return null;
  const date = new Date(at);
  const text = formatDateTime(date.toISOString());
  return <> Dados de {toDay(date) === today() ? text.slice(-'00:00'.length) : text}.</>;
}

function subscribe(onChange: () => void): () => void {
  return queryClient.getQueryCache().subscribe(notifyManager.batchCalls(onChange));
}

/** Time of the oldest list on the page, in milliseconds; null if there is none. */
function oldestUpdate(): number | null {
  const times = queryClient
    .getQueryCache()
    .findAll({ type: 'active', predicate: ({ queryKey }) => isStoredQuery(queryKey) })
    .filter(({ queryKey, state }) => state.data !== undefined && !READ_ONCE.has(queryKey[0]))
    .map(({ state }) => state.dataUpdatedAt);
  return times.length > 0 ? Math.min(...times) : null;
}
