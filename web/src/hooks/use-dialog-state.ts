// State of a dialog that concerns one item.
import { useCallback, useState } from 'react';

/**
 * Whether a dialog is open, and for which item. The item remains after closing, so the text stays visible during the
 * exit animation.
 */
export function useDialogState<Item>() {
  const [state, setState] = useState<{ open: boolean; item: Item | null; key: number }>({
    open: false,
    item: null,
    key: 0,
  });
  const show = useCallback((item: Item) => setState(({ key }) => ({ open: true, item, key: key + 1 })), []);
  return {
    /** Includes `key`, which changes with every opening: use it as React key to reset the state of the dialog. */
    ...state,
    /** Stable between renders. */
    show,
    close: () => setState((current) => ({ ...current, open: false })),
  };
}
