import { lazy, type ReactNode, Suspense } from 'react';

import { Card } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';

// Loaded on demand, because it is shown without a network only. A browser that does not keep the file shows
// nothing: the banner names the reason.
const OfflineNote = lazy<(props: { card: boolean }) => ReactNode>(async () => ({
  default: await import('./offline-note').then(
    (module) => module.OfflineNote,
    () => () => null,
  ),
}));

export type QueryState = {
  data: unknown;
  isPending: boolean;
  /** Whether the query waits for the network. */
  isPaused?: boolean;
  isError: boolean;
  refetch: () => unknown;
};

type QueryContentProps<Data> = {
  query: QueryState & { data: Data | undefined };
  loading: ReactNode;
  /** Puts the error on a card, where the content brings its own. */
  card?: boolean;
  /** Classes of the error. */
  className?: string;
  children: (data: Data) => ReactNode;
};

/** The content of a query: loading, error with a way to try again, or data. Old data stays when a refetch fails. */
export function QueryContent<Data>({ query, loading, children, ...error }: QueryContentProps<Data>) {
  if (query.data !== undefined) return children(query.data);
  return query.isPending ? (
    <QueryPending query={query} loading={loading} card={error.card} />
  ) : (
    <QueryError query={query} {...error} />
  );
}

type QueryPendingProps = {
  query: Pick<QueryState, 'isPaused'>;
  loading: ReactNode;
  card?: boolean | undefined;
};

/** A query without data: loading, or a note while it waits for the network. */
export function QueryPending({ query, loading, card = false }: QueryPendingProps): ReactNode {
  return query.isPaused ? (
    <Suspense fallback={loading}>
      <OfflineNote card={card} />
    </Suspense>
  ) : (
    loading
  );
}

type QueryErrorProps = { query: QueryState; card?: boolean; className?: string };

export function QueryError({ query, card = false, className = '' }: QueryErrorProps) {
  const error = <ErrorState onRetry={() => void query.refetch()} className={className} />;
  return card ? <Card>{error}</Card> : error;
}
