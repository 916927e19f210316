// The storage client. It is a separate module, so pages without files do not load it.
import { StorageClient } from '@supabase/storage-js';

import { serverConfig } from './server-config';
import { fetchAsUser } from './supabase';

/** The private buckets of the portal. */
export type Bucket =
  | 'client-documents'
  | 'ticket-attachments'
  | 'inbox'
  | 'received-files'
  | 'deleted-documents'
  | 'document-versions';

let client: StorageClient | undefined;

export function storageBucket(name: Bucket = 'client-documents') {
  client ??= new StorageClient(
    `${location.origin}/storage/v1`,
    { apikey: serverConfig().anon_key },
    fetchAsUser,
  );
  return client.from(name);
}
