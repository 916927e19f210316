import type { ComponentProps } from 'react';

import { Card } from '~/ui/card';
import { type Column, DataTable } from '~/ui/data-table';
import type { EmptyState } from '~/ui/empty-state';
import { SkeletonList } from '~/ui/skeleton';

import { type ListQuery, QueryList } from './query-list';

type QueryTableProps<Row> = {
  query: ListQuery & { isPlaceholderData: boolean };
  /** The rows of `query`, filtered; undefined until they are read. */
  rows: readonly Row[] | undefined;
  /** Read aloud as the table's name. */
  caption: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty: ComponentProps<typeof EmptyState>;
  /** Rows of 48 px. */
  dense?: boolean;
  /** Number of rows that are drawn while the first ones are read. */
  skeletonRows?: number;
};

/** A table on a card, in each of its states. */
export function QueryTable<Row>({
  query,
  rows,
  empty,
  dense = false,
  skeletonRows = 6,
  ...table
}: QueryTableProps<Row>) {
  return (
    <QueryList
      query={query}
      rows={rows}
      loading={<SkeletonList rows={skeletonRows} rowClassName={dense ? 'h-12' : 'h-16'} />}
      empty={empty}
      card
    >
      {(shown) => (
        <Card aria-busy={query.isPlaceholderData}>
          <DataTable {...table} dense={dense} rows={shown} />
        </Card>
      )}
    </QueryList>
  );
}
