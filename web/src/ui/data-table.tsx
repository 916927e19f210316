// Responsive table.
import type { ReactNode } from 'react';

import { cn } from './cn';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The text of the cell, which a dense table shows on hover where the end of the cell is cut off. */
  text?: (row: Row) => string;
  /** Whether a dense table shows the whole cell, however many lines it takes. */
  whole?: boolean;
  /** Whether the cell names the row. It becomes the heading of the card and has no label there. */
  primary?: boolean;
  /** Whether the cell shows what people typed. Its words are of any length, and break anywhere. */
  freeText?: boolean;
  /** Whether the cell contains buttons. They are at the end of a row and at the bottom of a card. */
  actions?: boolean;
  className?: string;
};

type DataTableProps<Row> = {
  /** The accessible name of the table. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Rows of 48 px, where a cell has two lines at most. The classes of the columns give their widths. */
  dense?: boolean;
};

/**
 * A table that becomes a list of cards in a narrow container. The ARIA roles are explicit because browsers drop the
 * implicit ones when CSS changes `display`.
 */
export function DataTable<Row>({ caption, columns, rows, rowKey, dense = false }: DataTableProps<Row>) {
  return (
    <div className="@container">
      <table
        role="table"
        className={cn(
          'text-body w-full border-collapse text-left @max-4xl:block',
          dense && '@4xl:table-fixed',
        )}
      >
        <caption className="sr-only">{caption}</caption>
        <thead role="rowgroup" className="@max-4xl:sr-only">
          <tr role="row" className="border-border border-b">
            {columns.map(({ header, actions, className }) => (
              <th
                key={header}
                role="columnheader"
                scope="col"
                className={cn(
                  'px-4 py-3 text-caption font-medium whitespace-nowrap text-muted-foreground first:pl-5 last:pr-5',
                  actions && 'text-right',
                  // The first row gives a table with fixed columns their widths.
                  dense && className,
                )}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup" className="@max-4xl:block">
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              role="row"
              data-row={rowKey(row)}
              className="border-border hover:bg-muted/60 has-focus-visible:bg-muted border-b transition-colors last:border-b-0 @max-4xl:block @max-4xl:px-5 @max-4xl:py-4"
            >
              {columns.map((column) => (
                <td
                  key={column.header}
                  role="cell"
                  className={cn(
                    'px-4 py-3 align-middle first:pl-5 last:pr-5 @max-4xl:px-0! @max-4xl:py-0 @max-4xl:wrap-anywhere',
                    column.primary || column.freeText ? '@4xl:min-w-32 wrap-anywhere' : 'wrap-break-word',
                    column.primary && '@max-4xl:block @max-4xl:pb-1.5 @max-4xl:font-medium',
                    column.actions && 'text-right @max-4xl:-mb-2 @max-4xl:block @max-4xl:pt-1',
                    !column.primary &&
                      !column.actions &&
                      '@max-4xl:grid @max-4xl:grid-cols-[6rem_1fr] @max-4xl:gap-3 @max-4xl:py-0.5 @max-4xl:text-sm',
                    dense && '@4xl:h-12 @4xl:py-0.5! @4xl:text-sm',
                    column.className,
                  )}
                  title={dense ? column.text?.(row) : undefined}
                >
                  {!column.primary && !column.actions && (
                    <span aria-hidden className="text-muted-foreground @4xl:hidden">
                      {column.header}
                    </span>
                  )}
                  {dense && !column.actions && !column.whole ? (
                    <span className="min-w-0 @4xl:line-clamp-2">{column.cell(row)}</span>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
