import { useState } from 'react';

/** What a dialog asks about. It is kept while the dialog fades, so that its words do not go before it does. */
export function useAsking<Subject>() {
  const [asking, setAsking] = useState<{ open: boolean; subject: Subject | null }>({
    open: false,
    subject: null,
  });
  return {
    ...asking,
    ask: (subject: Subject) => setAsking({ open: true, subject }),
    close: () => setAsking(({ subject }) => ({ open: false, subject })),
  };
}
