// Download of the data export of a client, for the client and for administrators.
import { accountApi } from '~/lib/api/account-api';
import { downloadBlob } from '~/lib/files/download-blob';

export type DownloadProgress = {
  bytes: number;
  /** Received fraction of the expected size, from 0 to 1. */
  progress: number;
};

/** Downloads the archive of the signed-in user. An incomplete download is an error and saves no file. */
export async function downloadMyData(onProgress: (received: DownloadProgress) => void): Promise<void> {
  await download('export', onProgress);
}

/** Downloads the archive of a client, for requests that reach the office by other means. */
export async function downloadClientData(
  clientId: string,
  onProgress: (received: DownloadProgress) => void,
): Promise<void> {
  await download(`clients/${clientId}/export`, onProgress);
}

async function download(path: string, onProgress: (received: DownloadProgress) => void): Promise<void> {
  const response = await accountApi(path);
  const expected = Number(response.headers.get('x-expected-bytes'));
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      bytes += piece.byteLength;
      onProgress({ bytes, progress: Math.min(1, bytes / Math.max(expected, 1)) });
      controller.enqueue(piece);
    },
  });
  // `blob()` lets the browser keep the data outside the page's memory.
  const archive = await new Response(response.body?.pipeThrough(counter)).blob();
  downloadBlob(archive, fileNameFromHeaders(response));
}

function fileNameFromHeaders(response: Response): string {
  const match = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '');
  return match?.[1] ?? 'meus-dados.zip';
}
