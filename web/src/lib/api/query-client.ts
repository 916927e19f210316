// The one cache of what the server said, and the one place where a failed load becomes a toast.
import { QueryCache, QueryClient } from '@tanstack/react-query';

import { toast } from '~/lib/toast';

import { toUserMessage } from './error-messages';
import { getErrorInfo, isSessionExpired } from './errors';
import { serverStatus } from './server-status';

/** Put on a query as `meta`: the toast to show when it fails. Without a description the server's reason is told. */
export type QueryErrorToast = { errorToast: { title: string; description?: string } };

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: Partial<QueryErrorToast>;
  }
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      const failure = query.meta?.errorToast;
      if (!failure || isSessionExpired(error)) return;
      const description =
        failure.description ?? toUserMessage(error, 'O servidor não conseguiu responder. Tente novamente.');
      toast({ title: failure.title, description, variant: 'error' });
    },
  }),
  defaultOptions: {
    queries: {
      // Data is refetched when its window comes back into view after this long, and after own writes.
      staleTime: 30_000,
      retry: (failures, error) => failures < 1 && isRetryable(error),
      throwOnError: false,
    },
    // Without a network an action fails and says so; put off, it would be done when nobody expects it any more.
    mutations: { networkMode: 'always' },
  },
});

/** What the server refused it will refuse again; what never reached it may have better luck. */
function isRetryable(error: unknown): boolean {
  const { code, status } = getErrorInfo(error);
  return status === undefined ? code === undefined : status >= 500;
}

/** When the server is back, what is on the screen is read anew. */
let before = serverStatus.get();
serverStatus.subscribe(() => {
  const now = serverStatus.get();
  if (now === 'up' && before !== 'up') void queryClient.invalidateQueries();
  before = now;
});
