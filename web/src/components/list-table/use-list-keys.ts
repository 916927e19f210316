// Keys of a list table.
import { type RefObject, useRef } from 'react';

import { useKeyShortcuts } from '~/hooks/use-key-shortcuts';

/** Acts on the row with this id. */
export type RowKeys = Readonly<Record<string, (id: string) => void>>;

/**
 * `j` and `k` move the focus between the links or buttons that open the rows, so that Enter opens one. `x` selects the
 * row, and further keys act on it.
 */
export function useListKeys(
  table: RefObject<HTMLElement | null>,
  onToggle: (id: string) => void,
  rowKeys: RowKeys = {},
): void {
  /** The place of the row that a key chose last. A row that an action removed leaves its place to the next one. */
  const place = useRef(0);
  const move = (step: 'next' | 'previous') => {
    const current = focusedRow();
    const rows = table.current?.querySelectorAll('[data-row]');
    const target = current ? neighbor(current, step) : rows?.item(Math.min(place.current, rows.length - 1));
    if (!target) return;
    target.querySelector<HTMLElement>('a, button')?.focus();
    place.current = rows ? [...rows].indexOf(target) : 0;
  };
  useKeyShortcuts({
    j: () => move('next'),
    k: () => move('previous'),
    ...mapRowKeys({ x: onToggle, ...rowKeys }),
  });
}

function mapRowKeys(rowKeys: RowKeys): Record<string, () => void> {
  const entries = Object.entries(rowKeys).map(([key, act]) => [
    key,
    () => {
      const id = focusedRow()?.dataset['row'];
      if (id !== undefined) act(id);
    },
  ]);
  return Object.fromEntries(entries);
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
}

/** The row after or before another one, also in the next group of rows. */
function neighbor(row: Element, step: 'next' | 'previous'): Element | null {
  const { parentElement: group } = row;
  return step === 'next'
    ? (row.nextElementSibling ?? group?.nextElementSibling?.firstElementChild ?? null)
    : (row.previousElementSibling ??
        group?.previousElementSibling?.querySelector('[data-row]:last-child') ??
        null);
}
