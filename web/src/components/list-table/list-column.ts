// Columns of a list table, and the order of its rows, which the address keeps.
import type { ReactNode } from 'react';

import { uniqueSlug } from '~/lib/slug';

/**
 * The place of a cell on the card that a row becomes on a phone. A card has three lines, and a fourth one where the cell
 * has a text.
 */
export type CardPlace = 'title' | 'second' | 'second-end' | 'third' | 'third-end' | 'fourth';

export type ListColumn<Row, SortKey extends string = string> = {
  /** The heading. It also names the column in the address, in the file, and on a card. */
  header: string;
  cell: (row: Row) => ReactNode;
  /** The text of the cell: in the exported file, and as the title of a cell whose end is cut off. */
  text: (row: Row) => string;
  /** The column of the exported file where it differs: values that a spreadsheet reads as numbers and times. */
  file?: { header?: string; text: (row: Row) => string };
  /** The smallest width in rem, and the share of the remaining width. */
  width: readonly [min: number, share: number];
  /** The column or path that the server sorts by. */
  sort?: SortKey;
  /** Whether the first click on the heading sorts downwards, as for times. */
  sortsDown?: boolean;
  /** Columns without a place are not on the card. The column `title` names the row and cannot be hidden. */
  card?: CardPlace;
  /** Whether the card shows the heading before the cell. */
  isLabelled?: boolean;
  /** Whether a long text takes a second line, for which a comfortable row has room, instead of losing its end. */
  wraps?: boolean;
  /** Whether the column is hidden until a person chooses it. */
  isOptional?: boolean;
};

export type ListSort<SortKey extends string = string> = { by: SortKey; ascending: boolean };

/** Name of the URL parameter of the order. */
export const SORT_PARAM = 'ordem';
const DOWN = '-';

export function columnId({ header }: { header: string }): string {
  return uniqueSlug(header, [], 'coluna');
}

/** The order in the address. A value that names no column gives the usual order. */
export function parseSort<Row, SortKey extends string>(
  params: URLSearchParams,
  columns: readonly ListColumn<Row, SortKey>[],
  usual: ListSort<SortKey>,
): ListSort<SortKey> {
  const value = params.get(SORT_PARAM) ?? '';
  const isDown = value.startsWith(DOWN);
  const id = isDown ? value.slice(DOWN.length) : value;
  const column = columns.find((candidate) => candidate.sort !== undefined && columnId(candidate) === id);
  return column?.sort === undefined ? usual : { by: column.sort, ascending: !isDown };
}

/** The value of the URL parameter: empty for the usual order. */
export function formatSort<Row, SortKey extends string>(
  sort: ListSort<SortKey>,
  columns: readonly ListColumn<Row, SortKey>[],
  usual: ListSort<SortKey>,
): string {
  const column = columns.find((candidate) => candidate.sort === sort.by);
  if (!column || (sort.by === usual.by && sort.ascending === usual.ascending)) return '';
  return `${sort.ascending ? '' : DOWN}${columnId(column)}`;
}

/**
 * The columns that fit into a width in rem. The last ones give way first, and those that a person chose after all others;
 * the title stays. Widths are known in advance, so that rows outside the viewport need no layout.
 */
export function fitColumns<Column extends Pick<ListColumn<never>, 'header' | 'width' | 'card'>>(
  columns: readonly Column[],
  available: number,
  chosen: Readonly<Record<string, boolean>>,
): Column[] {
  const rank = (column: Column) => (column.card === 'title' ? 0 : chosen[columnId(column)] === true ? 1 : 2);
  const fitting = new Set<Column>();
  let used = 0;
  for (const column of columns.toSorted((a, b) => rank(a) - rank(b))) {
    used += column.width[0];
    if (rank(column) === 0 || used <= available) fitting.add(column);
  }
  return columns.filter((column) => fitting.has(column));
}
