// The items of a month as a grid: a row for each client, a column for each item.
import type { OfficeItem } from '~/features/requests/api/admin-requests';

export type MonthGrid = {
  /** Names of items, the most frequent first. */
  columns: string[];
  rows: { id: string; name: string; cells: Map<string, OfficeItem> }[];
};

export function buildMonthGrid(items: readonly OfficeItem[]): MonthGrid {
  const frequency = new Map<string, number>();
  const rows = new Map<string, MonthGrid['rows'][number]>();
  for (const item of items) {
    if (item.client === null) continue;
    frequency.set(item.name, (frequency.get(item.name) ?? 0) + 1);
    const { id, fullName, email } = item.client;
    const row = rows.get(id) ?? { id, name: fullName ?? email, cells: new Map<string, OfficeItem>() };
    row.cells.set(item.name, item);
    rows.set(id, row);
  }
  return {
    columns: [...frequency.keys()].toSorted(
      (one, next) => (frequency.get(next) ?? 0) - (frequency.get(one) ?? 0) || byName(one, next),
    ),
    rows: [...rows.values()].toSorted((one, next) => byName(one.name, next.name)),
  };
}

function byName(one: string, next: string): number {
  return one.localeCompare(next, 'pt-BR', { numeric: true });
}
