// Documents that the office takes back from their clients, and publishes again.
import { batches } from '~/lib/api/batches';
import { db } from '~/lib/api/postgrest';

/** Maximum number of documents in one request. */
const BATCH_SIZE = 500;

/** Hides published documents from their clients, and cancels mails that are not sent yet. */
export async function withdrawDocuments(ids: readonly string[]): Promise<void> {
  for (const documents of batches(ids, BATCH_SIZE)) {
    await db().rpc('withdraw_documents', { documents }).throwOnError();
  }
}

/** Shows a withdrawn document to its client again. */
export async function republishDocument(id: string): Promise<void> {
  await db()
    .rpc('republish_documents', { documents: [id] })
    .throwOnError();
}
