// State and control of a running client import.
import { useEffect, useRef, useState } from 'react';

import { createClient } from '~/features/clients/api/client-mutations';
import { clientKeys } from '~/features/clients/api/clients';
import { toUserMessage } from '~/lib/api/error-messages';
import { isNetworkError } from '~/lib/api/errors';
import { refetchChanged } from '~/lib/api/query-client';

import type { ClientRow, RowError } from './parse-clients-csv';

/** Maximum number of concurrent requests. It equals the number of passwords that the server hashes concurrently. */
const AT_ONCE = 3;

export type ImportState = {
  running: boolean;
  total: number;
  done: number;
  invited: number;
  rowErrors: RowError[];
  /** Rows not yet sent, after a stop or a network failure. */
  remaining: ClientRow[];
};

const idle: ImportState = { running: false, total: 0, done: 0, invited: 0, rowErrors: [], remaining: [] };

/** Creates one client per row and records the outcome of each row. */
export function useClientImport() {
  const [run, setRun] = useState<ImportState>(idle);
  const stopped = useRef(false);
  // Unmounting stops the import.
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
            // Without a connection, every further request would fail too.
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
    await refetchChanged(clientKeys.all);
  };

  return {
    run,
    start: (lines: ClientRow[]) => void runImport({ ...idle, total: lines.length, remaining: lines }),
    /** Sends the remaining rows. */
    resume: () => void runImport(run),
    stop: () => {
      stopped.current = true;
    },
    reset: () => setRun(idle),
  };
}
