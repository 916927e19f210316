// State of a list table: visible columns, order and selection. The server sorts and pages the rows.
import {
  columnVisibilityFeature,
  isFunction,
  rowSelectionFeature,
  type RowSelectionState,
  rowSortingFeature,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table';
import { useMemo, useState } from 'react';
import { useLocation } from 'react-router';

import { columnId, type ListColumn, type ListSort, SORT_PARAM } from './list-column';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature, rowSortingFeature });

const NONE: RowSelectionState = {};

type ListModelOptions<Row extends object, SortKey extends string> = {
  rows: Row[];
  columns: readonly ListColumn<Row, SortKey>[];
  rowKey: (row: Row) => string;
  /** Columns that the person has shown or hidden, by id. */
  chosen: Readonly<Record<string, boolean>>;
  sort: ListSort<SortKey>;
  onSort: (sort: ListSort<SortKey>) => void;
};

export function useListModel<Row extends object, SortKey extends string>({
  rows,
  columns,
  rowKey,
  chosen,
  sort,
  onSort,
}: ListModelOptions<Row, SortKey>) {
  const [rowSelection, setRowSelection] = useSelectionOfAddress();
  const sorting = columns
    .filter((column) => column.sort === sort.by)
    .map((column) => ({ id: columnId(column), desc: !sort.ascending }));
  return useTable<typeof features, Row>({
    features,
    data: rows,
    columns: useMemo(
      () =>
        columns.map((column) => ({
          id: columnId(column),
          enableSorting: column.sort !== undefined,
          enableHiding: column.card !== 'title',
          sortDescFirst: column.sortsDown ?? false,
          accessorFn: column.text,
        })),
      [columns],
    ),
    getRowId: rowKey,
    manualSorting: true,
    enableMultiSort: false,
    enableSortingRemoval: false,
    state: {
      columnVisibility: useMemo(() => visibilityOf(columns, chosen), [columns, chosen]),
      rowSelection,
      sorting,
    },
    onRowSelectionChange: setRowSelection,
    onSortingChange(change) {
      const [next] = apply(change, sorting);
      const column = columns.find((candidate) => columnId(candidate) === next?.id);
      if (next && column?.sort !== undefined) onSort({ by: column.sort, ascending: !next.desc });
    },
  });
}

function visibilityOf<Row>(
  columns: readonly ListColumn<Row>[],
  chosen: Readonly<Record<string, boolean>>,
): Record<string, boolean> {
  const isShown = (column: ListColumn<Row>) =>
    column.card === 'title' || (chosen[columnId(column)] ?? column.isOptional !== true);
  return Object.fromEntries(columns.map((column) => [columnId(column), isShown(column)]));
}

/** A selection belongs to the list that it was made in: another filter ends it, another order does not. */
function useSelectionOfAddress() {
  const params = new URLSearchParams(useLocation().search);
  params.delete(SORT_PARAM);
  const address = params.toString();
  const [state, setState] = useState({ address, selected: NONE });
  if (state.address !== address) setState({ address, selected: NONE });
  const change = (updater: Updater<RowSelectionState>) =>
    setState(({ selected, ...rest }) => ({ ...rest, selected: apply(updater, selected) }));
  return [state.selected, change] as const;
}

function apply<Value>(updater: Updater<Value>, value: Value): Value {
  return isFunction(updater) ? updater(value) : updater;
}
