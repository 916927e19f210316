import { useState } from 'react';

/** What a dialog asks about. It is kept while the dialog fades, so that its words do not go before it does. */
export function useDialogState<Item>() {
  const [state, setState] = useState<{ open: boolean; item: Item | null; key: number }>({
    open: false,
    item: null,
    key: 0,
  });
  return {
    /** `key` counts the times it was asked: the key of a dialog that begins anew each time. */
    ...state,
    show: (item: Item) => setState(({ key }) => ({ open: true, item, key: key + 1 })),
    close: () => setState((now) => ({ ...now, open: false })),
  };
}
