// Runs the worker that reads a file for its preview.
import { type Preview, type PreviewFormat, PreviewRefusedError, type Refusal } from './preview';

/** Time after which the worker is ended. Ordinary files take less than a second. */
const TIMEOUT_MS = 10_000;
/** Maximum size of a file that is read. */
const MAX_FILE_BYTES = 25 * 1024 * 1024;

export type PreviewRequest = { format: PreviewFormat; bytes: ArrayBuffer };
export type PreviewAnswer = { preview: Preview } | { refusal: Refusal };

/**
 * Reads a file in a worker of its own, which is ended afterwards.
 *
 * @throws {PreviewRefusedError}
 */
export async function readPreview(file: Blob, format: PreviewFormat, signal: AbortSignal): Promise<Preview> {
  if (file.size > MAX_FILE_BYTES) throw new PreviewRefusedError('too-large');
  const bytes = await file.arrayBuffer();
  const worker = new Worker(new URL('preview-worker.ts', import.meta.url), { type: 'module' });
  try {
    const answer = await new Promise<PreviewAnswer>((resolve, reject) => {
      const timer = setTimeout(() => resolve({ refusal: 'too-slow' }), TIMEOUT_MS);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
      worker.addEventListener('message', ({ data }: MessageEvent<PreviewAnswer>) => {
        clearTimeout(timer);
        resolve(data);
      });
      worker.addEventListener('error', () => {
        clearTimeout(timer);
        resolve({ refusal: 'unreadable' });
      });
      worker.postMessage({ format, bytes } satisfies PreviewRequest, [bytes]);
    });
    if ('refusal' in answer) throw new PreviewRefusedError(answer.refusal);
    return answer.preview;
  } finally {
    worker.terminate();
  }
}
