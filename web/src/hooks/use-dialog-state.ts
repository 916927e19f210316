import { useState } from 'react';

/** What a dialog asks about. It is kept while the dialog fades, so that its words do not go before it does. */
export function useAsking<Subject>() {
  const [asking, setAsking] = useState<{ open: boolean; subject: Subject | null; round: number }>({
    open: false,
    subject: null,
    round: 0,
  });
  return {
    /** `round` counts the times it was asked: the key of a dialog that begins anew each time. */
    ...asking,
    ask: (subject: Subject) => setAsking(({ round }) => ({ open: true, subject, round: round + 1 })),
    close: () => setAsking((now) => ({ ...now, open: false })),
  };
}
