// Acceptance of many answers: their files become documents, item by item.
import { proposeNames } from '~/features/requests/proposed-names';
import { batches } from '~/lib/api/batches';
import { toUserMessage } from '~/lib/api/error-messages';
import { getErrorInfo, isNetworkError, isSessionExpired } from '~/lib/api/errors';

import { fileReceivedFiles, itemLabel, type OfficeItem, selectItems, toOfficeItem } from './admin-requests';
import { isWaiting } from './requests';

export type RefusedItem = { id: string; label: string; reason: string };
export type Acceptance = {
  accepted: number;
  /** Items that the server did not accept, with its reasons. */
  failed: RefusedItem[];
  /** Items that were not tried, because the server did not answer. */
  left: string[];
};

/** Number of items that are read at once. */
const READ_BATCH = 100;
/** Maximum number of files that the server files in one request. */
const FILE_BATCH = 100;
const CHANGED = 'A situação do item mudou.';

/**
 * Accepts answers whose files go to one folder under the proposed names. Each item is a transaction of its own, so that one
 * that fails stops no other. `onProgress` receives the number of items that are done. After an answer that did not
 * arrive the rest is left; an item that the server accepted all the same counts as accepted in the next attempt.
 */
export async function acceptItems(
  { ids, folder }: { ids: readonly string[]; folder: string },
  onProgress: (done: number) => void,
): Promise<Acceptance> {
  const result: Acceptance = { accepted: 0, failed: [], left: [] };
  let done = 0;
  try {
    for (const batch of batches(ids, READ_BATCH)) {
      const { data } = await selectItems().in('id', batch).throwOnError();
      const items = new Map(data.map(toOfficeItem).map((item) => [item.id, item]));
      for (const id of batch) {
        const item = items.get(id);
        const reason = item ? await acceptItem(item, folder) : 'A solicitação foi excluída.';
        if (reason === null) result.accepted += 1;
        else result.failed.push({ id, label: item ? itemLabel(item) : 'Item', reason });
        done += 1;
        onProgress(done);
      }
    }
  } catch (error) {
    // Without any effect the error itself is the best answer.
    if (done === 0 || isSessionExpired(error)) throw error;
    result.left = ids.slice(done);
  }
  return result;
}

/** Accepts one answer. Returns the reason if the server refuses it, otherwise null. Throws if the server is away. */
async function acceptItem(item: OfficeItem, folder: string): Promise<string | null> {
  if (item.status === 'accepted') return null;
  if (item.status !== 'answered') return CHANGED;
  try {
    const names = Object.entries(proposeNames(item.received_files.filter(isWaiting), item.name));
    for (const batch of batches(names, FILE_BATCH)) {
      await fileReceivedFiles({ folder, names: Object.fromEntries(batch) });
    }
    return null;
  } catch (error) {
    if (isOutage(error)) throw error;
    return toUserMessage(error, CHANGED);
  }
}

/** Whether the next items would fail for the same reason. */
function isOutage(error: unknown): boolean {
  return isNetworkError(error) || isSessionExpired(error) || (getErrorInfo(error).status ?? 0) >= 500;
}
