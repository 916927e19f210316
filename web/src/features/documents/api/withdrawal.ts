// Documents that the office takes back from their clients, and publishes again.
import { db } from '~/lib/api/postgrest';

/** Hides published documents from their clients, and cancels mails that are not sent yet. */
export async function withdrawDocuments(documents: readonly string[]): Promise<void> {
  await db()
    .rpc('withdraw_documents', { documents: [...documents] })
    .throwOnError();
}

/** Shows withdrawn documents to their clients again. */
export async function republishDocuments(documents: readonly string[]): Promise<void> {
  await db()
    .rpc('republish_documents', { documents: [...documents] })
    .throwOnError();
}
