// The stored files, all in private buckets: they are reached only by a short-lived signed address.
import { queryOptions } from '@tanstack/react-query';

import type { Bucket } from '~/lib/api/storage';
import { downloadUrl } from '~/lib/files/download-blob';

const VIEW_SECONDS = 60;
const DOWNLOAD_SECONDS = 300;

/** The bytes of a file, for showing and printing it. */
export function fileQuery(path: string) {
  return queryOptions({
    queryKey: ['files', path],
    async queryFn({ signal }): Promise<Blob> {
      const response = await fetch(await signedUrl(path, VIEW_SECONDS), { signal });
      if (!response.ok)
        throw Object.assign(new Error('The file could not be read.'), { status: response.status });
      return response.blob();
    },
    // A stored file never changes under its path; it is kept in memory only while it is looked at.
    staleTime: 'static',
    gcTime: 60_000,
  });
}

/** Hands the file to the browser as a download under its own name, untouched. */
export async function downloadFile(file: { path: string; name: string; bucket?: Bucket }): Promise<void> {
  const { path, name } = file;
  downloadUrl(await signedUrl(path, DOWNLOAD_SECONDS, name, file.bucket), name);
}

/** The official client's part for files, read while the page is already on the screen. */
export const loadStorageClient = () => import('~/lib/api/storage');

async function signedUrl(path: string, seconds: number, download?: string, from?: Bucket): Promise<string> {
  const options = download === undefined ? {} : { download };
  const { storageBucket } = await loadStorageClient();
  const { data, error } = await storageBucket(from).createSignedUrl(path, seconds, options);
  if (error) throw error;
  return data.signedUrl;
}
