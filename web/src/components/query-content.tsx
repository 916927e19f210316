import type { ReactNode } from 'react';

import { Card } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';

export type QueryState = { data: unknown; isPending: boolean; isError: boolean; refetch: () => unknown };

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
  return query.isPending ? loading : <QueryError query={query} {...error} />;
}

type QueryErrorProps = { query: QueryState; card?: boolean; className?: string };

export function QueryError({ query, card = false, className = '' }: QueryErrorProps) {
  const error = <ErrorState onRetry={() => void query.refetch()} className={className} />;
  return card ? <Card>{error}</Card> : error;
}
