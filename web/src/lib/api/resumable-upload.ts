// Upload of a file in parts with tus. An interrupted upload continues after the bytes that the server has, also after a
// reload. The module is loaded with the first large file.
import { DetailedError, type PreviousUpload, Upload, type UrlStorage } from 'tus-js-client';

import { safeLocalStorage } from '~/lib/safe-storage';

import { serverConfig } from './server-config';
import { getAccessToken } from './supabase';
import { toUploadError, type UploadRequest } from './upload-file';

/** Size of a part. Proxies limit the size of requests, some of them to this one. */
const PART_BYTES = 1024 ** 2;
/** Lifetime of an unfinished upload on the server. Milliseconds. */
const LIFETIME_MS = 24 * 60 * 60_000;
const KEY_PREFIX = 'portaria-upload/';

/** Addresses of the uploads that run in this tab. A file that is chosen twice is sent twice. */
const running = new Set<string>();

/**
 * Returns a function that sends the bytes of a file that the server does not have yet. It resolves to false if `signal`
 * aborts the upload. After an error it can be called again.
 */
export function createResumableUpload({
  bucket,
  path,
  file,
  metadata,
  onProgress,
  signal,
}: UploadRequest): () => Promise<boolean> {
  const upload = new Upload(file, {
    endpoint: `${location.origin}/storage/v1/upload/resumable`,
    chunkSize: PART_BYTES,
    // The caller repeats what failed.
    retryDelays: null,
    urlStorage: uploadAddresses,
    fingerprint: () => hashIdentity(file, bucket),
    removeFingerprintOnSuccess: true,
    headers: { apikey: serverConfig().anon_key, 'x-upsert': 'false' },
    metadata: {
      bucketName: bucket,
      objectName: path,
      contentType: file.type,
      cacheControl: '3600',
      ...(metadata && { metadata: JSON.stringify(metadata) }),
    },
    async onBeforeRequest(request) {
      // The token changes during a long upload.
      request.setHeader('Authorization', `Bearer ${await getAccessToken()}`);
    },
    onUploadUrlAvailable: () => {
      if (upload.url !== null) running.add(upload.url);
    },
    onProgress: (sent, total) => onProgress(sent / total),
  });
  const send = () =>
    new Promise<boolean>((resolve, reject) => {
      upload.options.onSuccess = () => resolve(true);
      upload.options.onError = (error) => reject(toError(error));
      signal.addEventListener('abort', () => {
        void upload.abort();
        resolve(false);
      });
      upload.start();
    });
  return async () => {
    if (upload.url === null) {
      const previous = await upload.findPreviousUploads();
      const own = previous.find(({ uploadUrl }) => uploadUrl !== null && !running.has(uploadUrl));
      if (own) upload.resumeFromPreviousUpload(own);
    }
    if (signal.aborted) return false;
    try {
      return await send();
    } finally {
      if (upload.url !== null) running.delete(upload.url);
    }
  };
}

/** Converts an error of the tus client to that of an upload in one request. */
function toError(error: Error): Error {
  if (!(error instanceof DetailedError)) return error;
  const response = error.originalResponse;
  // The same error as from `fetch`, so it gets the same message.
  if (response === null) return new TypeError('Failed to fetch');
  return toUploadError(response.getStatus(), parseJson(response.getBody()));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A hash that recognizes a file in a later visit. Names of files can contain personal data, so they are not stored. */
async function hashIdentity({ name, type, size, lastModified }: File, bucket: string): Promise<string> {
  // Browsers hash only on pages with HTTPS. Without a hash nothing is stored.
  if (!isSecureContext) return '';
  const text = JSON.stringify([bucket, name, type, size, lastModified]);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The addresses of unfinished uploads, by file and time. An address is of use only to the person who began the upload. */
const uploadAddresses: UrlStorage = {
  findAllUploads: () => findUploads(KEY_PREFIX),
  findUploadsByFingerprint: (hash) => findUploads(`${KEY_PREFIX}${hash}/`),
  async removeUpload(key) {
    safeLocalStorage.remove(key);
  },
  async addUpload(hash, { uploadUrl }) {
    const key = `${KEY_PREFIX}${hash}/${Date.now()}`;
    safeLocalStorage.set(key, uploadUrl ?? '');
    return key;
  },
};

async function findUploads(prefix: string): Promise<PreviousUpload[]> {
  const stored = safeLocalStorage.keys().filter((key) => key.startsWith(KEY_PREFIX));
  for (const key of stored.filter(isExpired)) safeLocalStorage.remove(key);
  return stored
    .filter((key) => key.startsWith(prefix) && !isExpired(key))
    .map((key) => ({
      urlStorageKey: key,
      uploadUrl: safeLocalStorage.get(key),
      parallelUploadUrls: null,
      // The hash contains the size and the server has the metadata.
      size: null,
      metadata: {},
      creationTime: '',
    }));
}

/** Whether the server has aborted the upload of a key, which ends with its time. */
function isExpired(key: string): boolean {
  return Number(key.split('/').at(-1)) < Date.now() - LIFETIME_MS;
}
