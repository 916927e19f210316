import { useEffect, useRef, useState } from 'react';

import { createClient } from '~/features/clients/api/client-mutations';
import { clientKeys } from '~/features/clients/api/clients';
import { toUserMessage } from '~/lib/api/error-messages';
import { isNetworkError } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';

import type { ClientRow, RowError } from './parse-clients-csv';

/** So many accounts are made at once: the server hashes no more passwords than that side by side. */
const AT_ONCE = 3;

export type ImportState = {
  running: boolean;
  total: number;
  done: number;
  invited: number;
  rowErrors: RowError[];
  /** Lines that are yet to be sent, since the import was stopped or the server out of reach. */
  remaining: ClientRow[];
};

const idle: ImportState = { running: false, total: 0, done: 0, invited: 0, rowErrors: [], remaining: [] };

/** The making of clients out of lines: one by one, and what became of each. */
export function useClientImport() {
  const [run, setRun] = useState<ImportState>(idle);
  const stopped = useRef(false);
  // Whoever leaves the page stops what has not been sent.
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  const runImport = async (from: ImportState) => {
    stopped.current = false;
    const waiting = [...from.remaining];
    let now: ImportState = { ...from, running: true };
    const update = (changes: Partial<ImportState>) => {
      now = { ...now, ...changes };
      setRun(now);
    };
    update({});
    const work = async () => {
      for (;;) {
        const line = stopped.current ? undefined : waiting.shift();
        if (!line) return;
        try {
          await createClient(line);
          update({ done: now.done + 1, invited: now.invited + (line.password === '' ? 1 : 0) });
        } catch (error) {
          if (isNetworkError(error)) {
            // Without a server the other lines would only fail too.
            stopped.current = true;
            waiting.unshift(line);
            continue;
          }
          const reason = toUserMessage(error, 'O servidor recusou esta linha.');
          update({ rowErrors: [...now.rowErrors, { line: line.line, who: line.email, reason }] });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    update({
      running: false,
      remaining: waiting,
      rowErrors: now.rowErrors.toSorted((a, b) => a.line - b.line),
    });
    await queryClient.invalidateQueries({ queryKey: clientKeys.all });
  };

  return {
    run,
    start: (lines: ClientRow[]) => void runImport({ ...idle, total: lines.length, remaining: lines }),
    /** Sends what is left. */
    resume: () => void runImport(run),
    stop: () => {
      stopped.current = true;
    },
    reset: () => setRun(idle),
  };
}
