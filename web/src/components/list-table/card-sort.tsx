// Order of a list whose rows are cards, which have no headings to sort by.
import { Select } from '~/ui/select';

import { columnId, type ListColumn, type ListSort } from './list-column';

type CardSortProps<Row, SortKey extends string> = {
  columns: readonly ListColumn<Row, SortKey>[];
  sort: ListSort<SortKey>;
  onSort: (sort: ListSort<SortKey>) => void;
};

export function CardSort<Row, SortKey extends string>({
  columns,
  sort,
  onSort,
}: CardSortProps<Row, SortKey>) {
  const orders = columns.flatMap((column) => {
    const by = column.sort;
    if (by === undefined) return [];
    return [true, false].map((ascending) => ({
      sort: { by, ascending },
      value: `${ascending ? '' : '-'}${columnId(column)}`,
      label: `${column.header} ${ascending ? '↑' : '↓'}`,
    }));
  });
  const current = orders.find(
    (order) => order.sort.by === sort.by && order.sort.ascending === sort.ascending,
  );
  return (
    <Select
      aria-label="Ordenar por"
      options={orders}
      value={current?.value ?? ''}
      onChange={({ target }) => {
        const order = orders.find(({ value }) => value === target.value);
        if (order) onSort(order.sort);
      }}
    />
  );
}
