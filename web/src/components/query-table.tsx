// Paginated table.
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ComponentProps } from 'react';

import { Card } from '~/ui/card';
import { type Column, DataTable } from '~/ui/data-table';
import { EmptyState } from '~/ui/empty-state';
import { ErrorState } from '~/ui/error-state';
import { InfiniteScroll } from '~/ui/infinite-scroll';
import { SkeletonList } from '~/ui/skeleton';

type QueryTableProps<Row> = {
  list: UseInfiniteQueryResult<InfiniteData<Row[]>>;
  /** The accessible name of the table. */
  caption: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** The empty state. */
  empty: ComponentProps<typeof EmptyState>;
};

/** A table of an infinite query, with its pending, error and empty states. */
export function QueryTable<Row>({ list, caption, columns, rowKey, empty }: QueryTableProps<Row>) {
  const rows = list.data?.pages.flat();
  return (
    <>
      {list.isPending && <SkeletonList rows={6} rowClassName="h-16" />}
      {list.isError && !rows && (
        <Card>
          <ErrorState onRetry={() => void list.refetch()} />
        </Card>
      )}
      {rows?.length === 0 && (
        <Card>
          <EmptyState {...empty} />
        </Card>
      )}
      {rows && rows.length > 0 && (
        <Card aria-busy={list.isPlaceholderData}>
          <DataTable caption={caption} columns={columns} rows={rows} rowKey={rowKey} />
        </Card>
      )}
      <InfiniteScroll
        hasMore={list.hasNextPage}
        loading={list.isFetchingNextPage}
        failed={list.isFetchNextPageError}
        onLoadMore={list.fetchNextPage}
      />
    </>
  );
}
