// One file on its way into storage.
import { serverConfig } from './server-config';
import type { Bucket } from './storage';
import { getAccessToken } from './supabase';

export type UploadRequest = {
  bucket: Bucket;
  path: string;
  file: File;
  /** Called with the share of the file that is on its way out, from 0 to 1. */
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/**
 * The official client's own upload, by the one means in a browser that measures what has gone out. Tells whether the
 * file was sent: `false` when it was called off on the way.
 */
export async function uploadFile({
  bucket,
  path,
  file,
  onProgress,
  signal,
}: UploadRequest): Promise<boolean> {
  const token = await getAccessToken();
  const body = new FormData();
  body.append('cacheControl', '3600');
  body.append('', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(true);
      else reject(toUploadError(request));
    });
    // As `fetch` says it, so that the words for it are the same.
    request.addEventListener('error', () => reject(new TypeError('Failed to fetch')));
    request.addEventListener('abort', () => resolve(false));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', `/storage/v1/object/${bucket}/${path.split('/').map(encodeURIComponent).join('/')}`);
    request.setRequestHeader('apikey', serverConfig().anon_key);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('x-upsert', 'false');
    if (signal.aborted) resolve(false);
    else request.send(body);
  });
}

function toUploadError({ status, response }: XMLHttpRequest): Error {
  const said: { code?: string; message?: string } = response ?? {};
  return Object.assign(new Error(said.message ?? `storage answered ${status}`), { code: said.code, status });
}
