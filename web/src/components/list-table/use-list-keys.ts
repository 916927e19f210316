// Keys of a list table.
import type { RefObject } from 'react';

import { useKeyShortcuts } from '~/hooks/use-key-shortcuts';

/** `j` and `k` move the focus between the links of the rows, so that Enter opens one. `x` selects the row. */
export function useListKeys(table: RefObject<HTMLElement | null>, onToggle: (id: string) => void): void {
  const move = (step: 'next' | 'previous') => {
    const current = focusedRow();
    const target = current ? neighbor(current, step) : table.current?.querySelector('[data-row]');
    target?.querySelector('a')?.focus();
  };
  useKeyShortcuts({
    j: () => move('next'),
    k: () => move('previous'),
    x: () => {
      const id = focusedRow()?.dataset['row'];
      if (id !== undefined) onToggle(id);
    },
  });
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
