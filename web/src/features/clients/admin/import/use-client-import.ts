import { useEffect, useRef, useState } from 'react';

import { createClient } from '~/features/clients/api/client-mutations';
import { clientKeys } from '~/features/clients/api/clients';
import { explain } from '~/lib/api/error-messages';
import { isUnreachable } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';

import type { ImportLine, LineFault } from './parse-clients-csv';

/** So many accounts are made at once: the server hashes no more passwords than that side by side. */
const AT_ONCE = 3;

export type ImportRun = {
  running: boolean;
  total: number;
  done: number;
  invited: number;
  faults: LineFault[];
  /** Lines that are yet to be sent, since the import was stopped or the server out of reach. */
  left: ImportLine[];
};

const idle: ImportRun = { running: false, total: 0, done: 0, invited: 0, faults: [], left: [] };

/** The making of clients out of lines: one by one, and what became of each. */
export function useImport() {
  const [run, setRun] = useState<ImportRun>(idle);
  const stopped = useRef(false);
  // Whoever leaves the page stops what has not been sent.
  useEffect(
    () => () => {
      stopped.current = true;
    },
    [],
  );

  const goOn = async (from: ImportRun) => {
    stopped.current = false;
    const waiting = [...from.left];
    let now: ImportRun = { ...from, running: true };
    const tell = (changes: Partial<ImportRun>) => {
      now = { ...now, ...changes };
      setRun(now);
    };
    tell({});
    const work = async () => {
      for (;;) {
        const line = stopped.current ? undefined : waiting.shift();
        if (!line) return;
        try {
          await createClient(line);
          tell({ done: now.done + 1, invited: now.invited + (line.password === '' ? 1 : 0) });
        } catch (error) {
          if (isUnreachable(error)) {
            // Without a server the other lines would only fail too.
            stopped.current = true;
            waiting.unshift(line);
            continue;
          }
          const reason = explain(error, 'O servidor recusou esta linha.');
          tell({ faults: [...now.faults, { line: line.line, who: line.email, reason }] });
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    tell({ running: false, left: waiting, faults: now.faults.toSorted((a, b) => a.line - b.line) });
    await queryClient.invalidateQueries({ queryKey: clientKeys.all });
  };

  return {
    run,
    start: (lines: ImportLine[]) => void goOn({ ...idle, total: lines.length, left: lines }),
    /** Sends what is left. */
    resume: () => void goOn(run),
    stop: () => {
      stopped.current = true;
    },
    reset: () => setRun(idle),
  };
}
