// Access to stored files. All buckets are private, so each access uses a short-lived signed URL.
import { queryOptions } from '@tanstack/react-query';

import type { Bucket } from '~/lib/api/storage';
import { downloadUrl } from '~/lib/files/download-blob';

const VIEW_SECONDS = 60;
const DOWNLOAD_SECONDS = 300;

/** Content of a file, for preview and print. */
export function fileQuery(path: string, bucket?: Bucket) {
  return queryOptions({
    queryKey: ['files', bucket ?? '', path],
    async queryFn({ signal }): Promise<Blob> {
      const response = await fetch(await signedUrl(path, VIEW_SECONDS, undefined, bucket), { signal });
      if (!response.ok)
        throw Object.assign(new Error('The file could not be read.'), { status: response.status });
      return response.blob();
    },
    // A path is immutable: its content never changes. The content leaves the cache a minute after its last use.
    staleTime: 'static',
    gcTime: 60_000,
  });
}

/** Downloads a file under its own name. */
export async function downloadFile(file: { path: string; name: string; bucket?: Bucket }): Promise<void> {
  const { path, name } = file;
  downloadUrl(await signedUrl(path, DOWNLOAD_SECONDS, name, file.bucket), name);
}

/** Loads the storage module of the official client on demand. */
export const loadStorageClient = () => import('~/lib/api/storage');

async function signedUrl(path: string, seconds: number, download?: string, from?: Bucket): Promise<string> {
  const options = download === undefined ? {} : { download };
  const { storageBucket } = await loadStorageClient();
  const { data, error } = await storageBucket(from).createSignedUrl(path, seconds, options);
  if (error) throw error;
  return data.signedUrl;
}
