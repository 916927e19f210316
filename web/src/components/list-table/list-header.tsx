// Heading of a list table.
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';

import { cn } from '~/ui/cn';

import { type ListColumn, type ListSort } from './list-column';

type HeadingProps<Row> = {
  column: ListColumn<Row>;
  /** The direction in which the table is sorted by this column. */
  sorted: ListSort | null;
  onSort: (() => void) | undefined;
};

/** The heading of a column. A button sorts by it. */
export function Heading<Row>({ column: { header }, sorted, onSort }: HeadingProps<Row>) {
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
