import type { ReactNode } from 'react';

import { cn } from '~/ui/class-names';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** The cell that names the row: it heads the card on a phone and needs no label there. */
  primary?: boolean;
  /** Buttons: to the right, under the card on a phone, with the header only read aloud. */
  actions?: boolean;
  className?: string;
};

type DataTableProps<Row> = {
  /** Read aloud as the table's name. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
};

/** A table that becomes a list of cards on a phone. The roles are spelt out since CSS would take them away. */
export function DataTable<Row>({ caption, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <table role="table" className="w-full border-collapse text-left text-[15px] max-md:block">
      <caption className="sr-only">{caption}</caption>
      <thead role="rowgroup" className="max-md:sr-only">
        <tr role="row" className="border-hairline border-b">
          {columns.map(({ header, actions }) => (
            <th
              key={header}
              role="columnheader"
              scope="col"
              className={cn('px-5 py-3 text-[13px] font-medium text-muted', actions && 'text-right')}
            >
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" className="max-md:block">
        {rows.map((row) => (
          <tr
            key={rowKey(row)}
            role="row"
            className="border-hairline hover:bg-sunken/60 border-b transition-colors last:border-b-0 max-md:block max-md:px-5 max-md:py-4"
          >
            {columns.map((column) => (
              <td
                key={column.header}
                role="cell"
                className={cn(
                  'px-5 py-3 align-middle wrap-anywhere max-md:p-0',
                  column.primary && 'max-md:block max-md:pb-1.5 max-md:font-medium',
                  column.actions && 'text-right max-md:block max-md:pt-2',
                  !column.primary &&
                    !column.actions &&
                    'max-md:grid max-md:grid-cols-[7rem_1fr] max-md:gap-3 max-md:py-0.5 max-md:text-sm',
                  column.className,
                )}
              >
                {!column.primary && !column.actions && (
                  <span aria-hidden className="text-muted md:hidden">
                    {column.header}
                  </span>
                )}
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
