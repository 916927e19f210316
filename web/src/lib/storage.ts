// The files' part of the official client, apart from the rest: the pages that only list things do without it.
import { StorageClient } from '@supabase/storage-js';

import { config } from '~/lib/config';
import { fetchAsUser } from '~/lib/supabase';

const BUCKET = 'client-documents';

let client: StorageClient | undefined;

/** The one private bucket of the portal. */
export function bucket() {
  client ??= new StorageClient(`${location.origin}/storage/v1`, { apikey: config().anon_key }, fetchAsUser);
  return client.from(BUCKET);
}

/** Where an object of the bucket is sent to, for an upload that shows its progress. */
export function objectUrl(path: string): string {
  return `${location.origin}/storage/v1/object/${BUCKET}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
