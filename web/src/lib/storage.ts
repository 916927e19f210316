// The files' part of the official client, apart from the rest: the pages that only list things do without it.
import { StorageClient } from '@supabase/storage-js';

import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';

/** The private buckets of the portal. */
export type Bucket = 'client-documents' | 'ticket-attachments';

const DOCUMENTS: Bucket = 'client-documents';

let client: StorageClient | undefined;

export function bucket(name: Bucket = DOCUMENTS) {
  client ??= new StorageClient(`${location.origin}/storage/v1`, { apikey: config().anon_key }, fetchAsUser);
  return client.from(name);
}

/** Where an object of a bucket is sent to, for an upload that shows its progress. */
export function objectUrl(path: string, name: Bucket = DOCUMENTS): string {
  return `${location.origin}/storage/v1/object/${name}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
