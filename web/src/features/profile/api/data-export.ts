// A copy of everything that is a person's, as one file: taken by themselves, or by the office for them.
import { portalApi } from '~/lib/api/portal-api';
import { downloadBlob } from '~/lib/files/download-blob';

export type DownloadProgress = {
  bytes: number;
  /** From 0 to 1, of what the server expects to send. */
  progress: number;
};

/** Fetches the archive and hands it to the browser. One that was cut off is an error, never a file. */
export async function downloadMyData(onProgress: (received: DownloadProgress) => void): Promise<void> {
  await download('export', onProgress);
}

/** The same of a client who asks by letter. */
export async function downloadClientData(
  clientId: string,
  onProgress: (received: DownloadProgress) => void,
): Promise<void> {
  await download(`clients/${clientId}/export`, onProgress);
}

async function download(path: string, onProgress: (received: DownloadProgress) => void): Promise<void> {
  const response = await portalApi(path);
  const expected = Number(response.headers.get('x-expected-bytes'));
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      onProgress({ bytes, progress: Math.min(1, bytes / Math.max(expected, 1)) });
      controller.enqueue(piece);
    },
  });
  // The browser keeps the pieces where it keeps downloads; no copy of them is made here.
  const archive = await new Response(response.body?.pipeThrough(counter)).blob();
  downloadBlob(archive, fileNameFromHeaders(response));
}

function fileNameFromHeaders(response: Response): string {
  const said = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
  return said?.[1] ?? 'meus-dados.zip';
}
