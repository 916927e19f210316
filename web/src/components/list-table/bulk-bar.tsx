// Bar with the actions on the selected rows of a list.
import type { ReactNode } from 'react';

import { pluralize } from '~/lib/format';
import { Button } from '~/ui/button';

export type Selection = {
  ids: string[];
  clear: () => void;
  /**
   * Keeps rows that leave the list in the selection, while an action shows its progress or its result. Stable between
   * renders.
   */
  hold: (isHeld: boolean) => void;
};

type BulkBarProps = {
  count: number;
  onClear: () => void;
  /** Selects all rows of the list, also those that are not read yet. Undefined if all of them are selected. */
  onSelectAll?: (() => void) | undefined;
  isSelectingAll: boolean;
  children: ReactNode;
};

/** It stays at the bottom of the window while rows are selected. */
export function BulkBar({ count, onClear, onSelectAll, isSelectingAll, children }: BulkBarProps) {
  return (
    <div
      data-slot="bulk-bar"
      className="border-border bg-card shadow-popover z-20 mt-4 flex flex-wrap items-center gap-2 border p-2 max-sm:fixed max-sm:inset-x-0 max-sm:bottom-0 max-sm:border-x-0 max-sm:pb-[max(0.5rem,env(safe-area-inset-bottom))] sm:sticky sm:bottom-4 sm:rounded sm:pl-4"
    >
      <p role="status" className="text-body font-medium tabular-nums max-sm:pl-2">
        {pluralize(count, 'selecionado', 'selecionados')}
      </p>
      {onSelectAll && (
        <Button variant="quiet" pending={isSelectingAll} onClick={onSelectAll} className="max-sm:px-2">
          Selecionar todos
        </Button>
      )}
      <Button variant="quiet" onClick={onClear} className="max-sm:ml-auto max-sm:px-2">
        <span>
          Limpar<span className="max-sm:sr-only"> seleção</span>
        </span>
      </Button>
      {/* On a phone each button is as wide as its label, and the remaining width is shared. */}
      <div className="flex gap-2 max-sm:w-full max-sm:gap-1 max-sm:*:flex-auto max-sm:*:px-1 max-sm:*:whitespace-normal sm:ml-auto sm:flex-wrap max-sm:[&_svg]:hidden">
        {children}
      </div>
    </div>
  );
}
