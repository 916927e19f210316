// Reminders by mail of a number of documents or items.
import { batches } from './batches';
import type { ReminderCounts } from './database';

/** Maximum number of documents or items in one request. */
const BATCH_SIZE = 500;

/** Adds up the reminders of any number of ids. */
export async function remindInBatches(
  ids: readonly string[],
  remind: (batch: string[]) => Promise<ReminderCounts>,
): Promise<ReminderCounts> {
  const total = { reminded: 0, repeated: 0, unreachable: 0, settled: 0 };
  for (const batch of batches(ids, BATCH_SIZE)) {
    const counts = await remind(batch);
    total.reminded += counts.reminded;
    total.repeated += counts.repeated;
    total.unreachable += counts.unreachable;
    total.settled += counts.settled;
  }
  return total;
}
