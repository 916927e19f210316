// The items of a month as a grid: a row for each client, a column for each item.
import type { OfficeItem } from '~/features/requests/api/admin-requests';
import { isMissing } from '~/features/requests/request-labels';
import { formatTaxId } from '~/lib/tax-id';
import { matchesWords } from '~/lib/text-search';

export type MonthGrid = {
  /** Names of items, the most frequent first. */
  columns: string[];
  rows: {
    id: string;
    name: string;
    /** CPF, CNPJ or e-mail address of a client whose name another row has as well. */
    detail: string | null;
    cells: Map<string, OfficeItem>;
  }[];
};

export function buildMonthGrid(items: readonly OfficeItem[]): MonthGrid {
  const frequency = new Map<string, number>();
  const rows = new Map<string, MonthGrid['rows'][number]>();
  const details = new Map<string, string>();
  const clients = new Map<string, Set<string>>();
  for (const item of items) {
    if (item.client === null) continue;
    frequency.set(item.name, (frequency.get(item.name) ?? 0) + 1);
    const { id, fullName, email, taxId } = item.client;
    const name = fullName ?? email;
    const row = rows.get(id) ?? { id, name, detail: null, cells: new Map<string, OfficeItem>() };
    row.cells.set(item.name, item);
    rows.set(id, row);
    details.set(id, taxId === null ? email : formatTaxId(taxId));
    clients.set(name, (clients.get(name) ?? new Set()).add(id));
  }
  return {
    columns: [...frequency.keys()].toSorted(
      (one, next) => (frequency.get(next) ?? 0) - (frequency.get(one) ?? 0) || byName(one, next),
    ),
    rows: [...rows.values()]
      .map((row) =>
        clients.get(row.name)?.size === 1 ? row : { ...row, detail: details.get(row.id) ?? null },
      )
      .toSorted((one, next) => byName(one.name, next.name)),
  };
}

/** The rows whose client has all words of the search, and with `missing` those with an item that was not sent. */
export function filterRows(
  rows: MonthGrid['rows'],
  { search, missing }: { search: string; missing: boolean },
): MonthGrid['rows'] {
  return rows.filter(
    ({ name, cells }) => matchesWords(name, search) && (!missing || [...cells.values()].some(isMissing)),
  );
}

function byName(one: string, next: string): number {
  return one.localeCompare(next, 'pt-BR', { numeric: true });
}
