// Upload of a file to a bucket, with progress.
import { serverConfig } from './server-config';
import type { Bucket } from './storage';
import { getAccessToken } from './supabase';

export type UploadRequest = {
  bucket: Bucket;
  path: string;
  file: File;
  /** Metadata that the server keeps with the file. */
  metadata?: Record<string, string>;
  /** Receives the fraction of the request that has been sent, from 0 to 1. */
  onProgress: (progress: number) => void;
  signal: AbortSignal;
};

/**
 * Uploads a file with the request that the Supabase client sends. `XMLHttpRequest` replaces `fetch` because only it
 * reports upload progress. Resolves to false if `signal` aborts the upload.
 */
export async function uploadFile({
  bucket,
  path,
  file,
  metadata,
  onProgress,
  signal,
}: UploadRequest): Promise<boolean> {
  const token = await getAccessToken();
  const body = new FormData();
  body.append('cacheControl', '3600');
  if (metadata) body.append('metadata', JSON.stringify(metadata));
  body.append('', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(true);
      else reject(toUploadError(request.status, request.response, bucket));
    });
    // The same error as from `fetch`, so it gets the same message.
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

/** The error of a refused upload, with the properties of the errors of the Supabase client. */
export function toUploadError(status: number, response: unknown, bucket?: Bucket): Error {
  const body: { code?: string; message?: string } = response ?? {};
  // These buckets take more types, which the message names.
  const isSent = bucket === 'ticket-attachments' || bucket === 'received-files';
  const code = isSent && body.code === 'InvalidMimeType' ? 'InvalidSentType' : body.code;
  return Object.assign(new Error(body.message ?? `storage answered ${status}`), { code, status });
}
