import type { ComponentProps, ReactNode } from 'react';

import { Card } from '~/ui/card';
import { EmptyState } from '~/ui/empty-state';
import { InfiniteScroll } from '~/ui/infinite-scroll';

import { QueryError, QueryPending, type QueryState } from './query-content';

type PagedQuery = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
};

export type ListQuery = QueryState & { isPlaceholderData?: boolean } & (PagedQuery | { hasNextPage?: never });

type QueryListProps<Row> = {
  query: ListQuery;
  /** The rows of `query`, filtered; undefined until they are read. */
  rows: readonly Row[] | undefined;
  loading: ReactNode;
  empty: ComponentProps<typeof EmptyState>;
  /** False while an empty list may still get rows. */
  canBeEmpty?: boolean;
  /** Puts the error and the empty state on cards, where the rows bring their own. */
  card?: boolean;
  /** Classes of the error and of the empty state. */
  className?: string;
  children: (rows: readonly Row[]) => ReactNode;
};

/** A list in each of its states: loading, error, empty, rows, and the next page of a query that reads by pages. */
export function QueryList<Row>({
  query,
  rows,
  loading,
  empty,
  canBeEmpty = true,
  card = false,
  className = '',
  children,
}: QueryListProps<Row>) {
  const emptyState = <EmptyState {...empty} className={className} />;
  return (
    <>
      {query.isPending && <QueryPending query={query} loading={loading} card={card} />}
      {query.isError && !rows && <QueryError query={query} card={card} className={className} />}
      {rows?.length === 0 && canBeEmpty && (card ? <Card>{emptyState}</Card> : emptyState)}
      {rows && rows.length > 0 && children(rows)}
      {query.hasNextPage !== undefined && (
        <InfiniteScroll
          hasMore={query.hasNextPage}
          loading={query.isFetchingNextPage}
          failed={query.isFetchNextPageError}
          onLoadMore={query.fetchNextPage}
        />
      )}
      {/* `announceRows` fills it in. */}
      <p role="status" className="sr-only" data-rows={query.isPlaceholderData ? undefined : rows?.length} />
    </>
  );
}
