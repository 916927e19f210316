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
import { findRemovedRows } from './removed-rows';

const features = tableFeatures({ columnVisibilityFeature, rowSelectionFeature, rowSortingFeature });

const NONE: RowSelectionState = {};

const NO_ROWS: never[] = [];

type ListRows<Row> = {
  /** Undefined until they are read. Stable between renders, as is `rowKey`. */
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Whether the rows are those of other filters or of another order, until the right ones are read. */
  isPlaceholder: boolean;
  /** Whether the list has rows that are not read. */
  hasMore: boolean;
  /** Whether the selection keeps rows that leave the list, until it is released. */
  isHeld: boolean;
};

type ListModelOptions<Row extends object, SortKey extends string> = ListRows<Row> & {
  columns: readonly ListColumn<Row, SortKey>[];
  /** Columns that the person has shown or hidden, by id. */
  chosen: Readonly<Record<string, boolean>>;
  sort: ListSort<SortKey>;
  onSort: (sort: ListSort<SortKey>) => void;
};

export function useListModel<Row extends object, SortKey extends string>({
  columns,
  chosen,
  sort,
  onSort,
  ...list
}: ListModelOptions<Row, SortKey>) {
  const [rowSelection, setRowSelection] = useSelection(list);
  const sorting = columns
    .filter((column) => column.sort === sort.by)
    .map((column) => ({ id: columnId(column), desc: !sort.ascending }));
  return useTable<typeof features, Row>({
    features,
    data: list.rows ?? NO_ROWS,
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
    getRowId: list.rowKey,
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

/** The filters of the list, and its order, as the address of the page has them. */
export function useListAddress(): { address: string; order: string | null } {
  const params = new URLSearchParams(useLocation().search);
  const order = params.get(SORT_PARAM);
  params.delete(SORT_PARAM);
  return { address: params.toString(), order };
}

type SelectionState<Row> = {
  address: string;
  selected: RowSelectionState;
  /** The rows that were read last, and their order in the address. */
  rows: Row[] | undefined;
  order: string | null;
};

/**
 * A selection belongs to the list that it was made in: another filter ends it, another order does not. A row that leaves
 * the list leaves the selection too, so that no action changes a row that is out of sight.
 */
function useSelection<Row>({ rows, rowKey, isPlaceholder, hasMore, isHeld }: ListRows<Row>) {
  const { address, order } = useListAddress();
  const start: SelectionState<Row> = { address, selected: NONE, rows: undefined, order };
  const [state, setState] = useState(start);
  if (state.address !== address) setState(start);
  else if (rows !== undefined && rows !== state.rows && !isPlaceholder && !isHeld) {
    const before = state.order === order ? (state.rows ?? []) : [];
    const removed = findRemovedRows(before.map(rowKey), rows.map(rowKey), hasMore);
    setState({ address, selected: without(state.selected, removed), rows, order });
  }
  const change = (updater: Updater<RowSelectionState>) =>
    setState(({ selected, ...rest }) => ({ ...rest, selected: apply(updater, selected) }));
  return [state.selected, change] as const;
}

function without(selected: RowSelectionState, removed: ReadonlySet<string>): RowSelectionState {
  return Object.fromEntries(Object.entries(selected).filter(([id]) => !removed.has(id)));
}

function apply<Value>(updater: Updater<Value>, value: Value): Value {
  return isFunction(updater) ? updater(value) : updater;
}
