// Sending a document: first its file, with progress that is measured, then its row.
import { config } from '~/lib/config';
import { type Day, today } from '~/lib/dates';
import { bucket, objectUrl } from '~/lib/storage';
import { storagePath } from '~/lib/stored-name';
import { bearer, server } from '~/lib/supabase';

export type NewDocument = {
  clientId: string;
  folderId: string;
  documentName: string;
  documentType: string;
  expiresAt: Day | null;
  file: File;
};

export type Sending = {
  document: NewDocument;
  /** Called with the share of the file that is on its way out, from 0 to 1. */
  onProgress: (share: number) => void;
  /** Stops the sending; once the file has arrived it is too late. */
  signal: AbortSignal;
};

/** Tells whether the document was sent: `false` when it was called off on the way. */
export async function sendDocument({ document, onProgress, signal }: Sending): Promise<boolean> {
  const { clientId, folderId, file } = document;
  const path = storagePath({ clientId, folderId, fileName: file.name, now: Date.now() });
  if (!(await upload(path, file, onProgress, signal))) return false;
  try {
    await server()
      .rest.from('documents')
      .insert({
        folder_id_supabase: folderId,
        name: document.documentName,
        type: document.documentType,
        created_at: today(),
        expires_at: document.expiresAt,
        status: 'active',
        file_url: path,
        uploaded_at: new Date().toISOString(),
      })
      .throwOnError();
  } catch (error) {
    // A file without a document must not stay. Should this fail too, the server's sweep finds it.
    await bucket().remove([path]);
    throw error;
  }
  return true;
}

/** The official client's own upload, by the one means in a browser that measures what has gone out. */
async function upload(
  path: string,
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const token = await bearer();
  const body = new FormData();
  body.append('cacheControl', '3600');
  body.append('', file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve(true);
      else reject(refusal(request));
    });
    // As `fetch` says it, so that the words for it are the same.
    request.addEventListener('error', () => reject(new TypeError('Failed to fetch')));
    request.addEventListener('abort', () => resolve(false));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', objectUrl(path));
    request.setRequestHeader('apikey', config().anon_key);
    request.setRequestHeader('Authorization', `Bearer ${token}`);
    request.setRequestHeader('x-upsert', 'false');
    if (signal.aborted) resolve(false);
    else request.send(body);
  });
}

function refusal({ status, response }: XMLHttpRequest): Error {
  const said: { code?: string; message?: string } = response ?? {};
  return Object.assign(new Error(said.message ?? `storage answered ${status}`), { code: said.code, status });
}
