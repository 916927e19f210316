// Upload that waits for the network and continues.
import { getErrorInfo, isNetworkError } from './errors';
import { checkServerStatus, serverStatus } from './server-status';
import { uploadFile, type UploadRequest } from './upload-file';

/** Minimum size of a file that is sent in parts. */
const MIN_RESUMABLE_BYTES = 1024 ** 2;
/** Maximum number of failures in a row while the server responds. */
const MAX_FAILURES = 7;
const MIN_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;

/** Codes of errors that pass: another request writes to the same upload, or the server has too many uploads. */
const transientCodes: ReadonlySet<string | undefined> = new Set(['ResourceLocked', 'TusError', 'ServerBusy']);

type PersistentUploadRequest = UploadRequest & {
  /** Receives whether the upload waits for the network. */
  onWait: (isWaiting: boolean) => void;
};

/**
 * Uploads a file to a path that is new. While the server cannot be reached, it waits, and a large file continues after
 * the bytes that the server has. Resolves to false if `signal` aborts the upload.
 */
export async function uploadPersistently({ onWait, ...request }: PersistentUploadRequest): Promise<boolean> {
  const { file, signal } = request;
  let failures = 0;
  const onProgress = (progress: number) => {
    failures = 0;
    request.onProgress(progress);
  };
  let send: (() => Promise<boolean>) | undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      send ??=
        file.size < MIN_RESUMABLE_BYTES
          ? () => uploadFile({ ...request, onProgress })
          : (await import('./resumable-upload')).createResumableUpload({ ...request, onProgress });
      return await send();
    } catch (error) {
      // The server stored the file, but its response was lost.
      if (attempt > 1 && getErrorInfo(error).code === 'KeyAlreadyExists') return true;
      failures += 1;
      if (!isTransient(error) || failures > MAX_FAILURES) throw error;
      const isCutOff = isNetworkError(error);
      if (isCutOff) onWait(true);
      try {
        await waitForServer(Math.min(MIN_DELAY_MS * 2 ** (failures - 1), MAX_DELAY_MS), signal);
      } finally {
        if (isCutOff) onWait(false);
      }
      if (signal.aborted) return false;
    }
  }
}

function isTransient(error: unknown): boolean {
  const { code, status } = getErrorInfo(error);
  return isNetworkError(error) || transientCodes.has(code) || status === 502 || status === 504;
}

/** Waits for `delay` milliseconds, and then for a server that responds or for the abort. */
async function waitForServer(delay: number, signal: AbortSignal): Promise<void> {
  checkServerStatus();
  await new Promise<void>((resolve) => {
    let isDelayed = true;
    const check = () => {
      if (!signal.aborted && (isDelayed || serverStatus.get() !== 'up')) return;
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener('abort', check);
      resolve();
    };
    const timer = setTimeout(() => {
      isDelayed = false;
      check();
    }, delay);
    const unsubscribe = serverStatus.subscribe(check);
    signal.addEventListener('abort', check);
  });
}
