// The query client of the app. It shows the error toasts of failed queries.
import { onlineManager, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';

import { toast } from '~/lib/toast';

import { toUserMessage } from './error-messages';
import { getErrorInfo, isSessionExpired } from './errors';
import { serverStatus } from './server-status';

/** The toast for the failure of a query. Without a description the toast shows the server's error. */
export type QueryErrorToast = { errorToast: { title: string; description?: string } };

declare module '@tanstack/react-query' {
  interface Register {
    /** Announced changes refetch a query, unless `isLive` is false. */
    queryMeta: Partial<QueryErrorToast> & { isLive?: boolean };
  }
}

// The manager knows only changes. Without a network at the start, queries wait for it and do not fail.
if ('onLine' in navigator && !navigator.onLine) onlineManager.setOnline(false);

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const failure = query.meta?.errorToast;
      if (!failure || isSessionExpired(error)) return;
      const description =
        failure.description ?? toUserMessage(error, 'O servidor não conseguiu responder. Tente novamente.');
      toast({ title: failure.title, description, variant: 'error', yields: true });
    },
  }),
  defaultOptions: {
    queries: {
      // A window that becomes visible again refetches data older than this. Mutations invalidate it earlier.
      staleTime: 30_000,
      retry: (failures, error) => failures < 1 && isRetryable(error),
    },
    // Without a network a mutation fails at once. The default would pause it and run it later, unexpectedly.
    mutations: { networkMode: 'always' },
  },
});

/**
 * Refetches the queries below a key after a change of their data. A query that has no data yet starts again: its first
 * response may be older than the change, and `invalidateQueries` alone would wait for it and keep it.
 */
export async function refetchChanged(queryKey: QueryKey): Promise<void> {
  await queryClient.cancelQueries({ queryKey });
  await queryClient.invalidateQueries({ queryKey });
}

/** Whether a retry can succeed: network errors and server errors (5xx), but not other responses. */
function isRetryable(error: unknown): boolean {
  const { code, status } = getErrorInfo(error);
  return status === undefined ? code === undefined : status >= 500;
}

// Refetches all visible data when the server becomes reachable again.
let previousStatus = serverStatus.get();
serverStatus.subscribe(() => {
  const status = serverStatus.get();
  if (status === 'up' && previousStatus !== 'up') void queryClient.invalidateQueries();
  previousStatus = status;
});
