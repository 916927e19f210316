// Card with a paginated list.
import type { ReactNode } from 'react';

import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { ErrorState } from '~/ui/error-state';
import { Skeleton } from '~/ui/skeleton';

import { QueryPending } from './query-content';

/** The part of an infinite query that `QueryListCard` uses. */
export type InfiniteQueryState<Row> = {
  data: { pages: Row[][] } | undefined;
  isPaused: boolean;
  isError: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch: () => Promise<unknown>;
  fetchNextPage: () => Promise<unknown>;
};

type QueryListCardProps<Row extends { id: string }> = {
  title: string;
  action?: ReactNode;
  pages: InfiniteQueryState<Row>;
  /** The text for an empty list. */
  empty: string;
  children: (row: Row) => ReactNode;
};

/** A card with one of several lists of a page. A button loads further rows. */
export function QueryListCard<Row extends { id: string }>({
  title,
  action,
  pages,
  empty,
  children,
}: QueryListCardProps<Row>) {
  const rows = pages.data?.pages.flat();
  return (
    <Panel title={title} action={action}>
      {!rows && !pages.isError && <QueryPending query={pages} loading={<LoadingRows />} />}
      {!rows && pages.isError && <ErrorState onRetry={() => void pages.refetch()} />}
      {rows?.length === 0 && <p className="text-muted-foreground text-body px-5 py-8 text-center">{empty}</p>}
      {rows && rows.length > 0 && (
        <ul aria-label={title} className="divide-border divide-y">
          {rows.map((row) => (
            <li key={row.id} className="px-5 py-3">
              {children(row)}
            </li>
          ))}
        </ul>
      )}
      {pages.hasNextPage && (
        <div className="border-border border-t p-2 text-center">
          <Button
            variant="quiet"
            pending={pages.isFetchingNextPage}
            aria-label={`Mostrar mais: ${title}`}
            onClick={() => void pages.fetchNextPage()}
          >
            Mostrar mais
          </Button>
        </div>
      )}
    </Panel>
  );
}

function LoadingRows() {
  return (
    <div role="status" className="flex flex-col gap-3 p-5">
      <span className="sr-only">Carregando…</span>
      <Skeleton className="h-10" />
      <Skeleton className="h-10" />
    </div>
  );
}
