// Keys of a list table.
import type { RefObject } from 'react';

import { useKeyShortcuts } from '~/hooks/use-key-shortcuts';

/** `j` and `k` move the focus between the links of the rows, so that Enter opens one. `x` selects the row. */
export function useListKeys(table: RefObject<HTMLElement | null>, onToggle: (id: string) => void): void {
  const rows = () => [...(table.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])];
  const move = (step: 1 | -1) => {
    const all = rows();
    const current = focusedRow();
    const next = current ? all[all.indexOf(current) + step] : all[0];
    next?.querySelector('a')?.focus();
  };
  useKeyShortcuts({
    j: () => move(1),
    k: () => move(-1),
    x: () => {
      const id = focusedRow()?.dataset['row'];
      if (id !== undefined) onToggle(id);
    },
  });
}

function focusedRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
}
