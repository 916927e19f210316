// Head of a list table.
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';

import { cn } from '~/ui/cn';

import type { ListColumn, ListSort } from './list-column';

type ListHeadProps<Row> = {
  columns: readonly ListColumn<Row>[];
  template: string;
  isCard: boolean;
  hasActions: boolean;
  sort: ListSort;
  onSort: (column: ListColumn<Row>) => void;
  selectAll: ReactNode;
};

/** It stays at the top of the window. Over cards only screen readers have it, so it has no controls there. */
export function ListHead<Row>({
  columns,
  template,
  isCard,
  hasActions,
  sort,
  onSort,
  selectAll,
}: ListHeadProps<Row>) {
  return (
    <thead
      role="rowgroup"
      className={
        isCard
          ? 'sr-only'
          : 'border-border bg-card sticky top-[calc(4rem+var(--banner,0px))] z-10 block rounded-t border-b'
      }
    >
      <tr role="row" className="grid min-h-11 items-center" style={{ gridTemplateColumns: template }}>
        <th role="columnheader" scope="col">
          {isCard ? 'Seleção' : selectAll}
        </th>
        {columns.map((column) => (
          <Heading
            key={column.header}
            column={column}
            sorted={column.sort === sort.by ? sort : null}
            onSort={isCard || column.sort === undefined ? undefined : () => onSort(column)}
          />
        ))}
        {hasActions && (
          <th role="columnheader" scope="col">
            <span className="sr-only">Ações</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

type HeadingProps<Row> = {
  column: ListColumn<Row>;
  /** The direction in which the table is sorted by this column. */
  sorted: ListSort | null;
  onSort: (() => void) | undefined;
};

/** The heading of a column. A button sorts by it. */
function Heading<Row>({ column: { header }, sorted, onSort }: HeadingProps<Row>) {
  const direction = sorted && (sorted.ascending ? 'ascending' : 'descending');
  return (
    <th
      role="columnheader"
      scope="col"
      aria-sort={onSort ? (direction ?? 'none') : undefined}
      className="text-muted-foreground text-caption flex min-w-0 items-center px-3 text-left font-medium"
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cn(
            'group -mx-2 inline-flex h-9 min-w-0 items-center gap-1 rounded px-2 hover:bg-muted hover:text-foreground',
            direction && 'text-foreground',
          )}
        >
          <span className="truncate">{header}</span>
          {direction === 'ascending' && <ArrowUp size={14} aria-hidden />}
          {direction === 'descending' && <ArrowDown size={14} aria-hidden />}
          {!direction && (
            <ChevronsUpDown
              size={14}
              aria-hidden
              className="opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100"
            />
          )}
        </button>
      ) : (
        <span className="truncate">{header}</span>
      )}
    </th>
  );
}
