// Worker that reads a file of a client or of the office for its preview. The content is not trusted: the worker has
// limits of bytes, rows and elements, and its page ends it after a time.
import { type Preview, PreviewRefusedError } from './preview';
import type { PreviewAnswer, PreviewRequest } from './read-preview';
import { readSpreadsheet } from './spreadsheet';
import { readXmlPreview } from './xml-preview';

addEventListener('message', ({ data }: MessageEvent<PreviewRequest>) => {
  void read(data).then((preview) => postMessage({ preview } satisfies PreviewAnswer), refuse);
});

async function read({ format, bytes }: PreviewRequest): Promise<Preview> {
  switch (format) {
    case 'xlsx':
      return { kind: 'sheets', sheets: readSpreadsheet(new Uint8Array(bytes)) };
    case 'xml':
      return readXmlPreview(bytes);
    case 'docx': {
      const { readWordDocument } = await import('./word');
      return { kind: 'page', html: await readWordDocument(new Uint8Array(bytes)) };
    }
  }
}

function refuse(error: unknown): void {
  const refusal = error instanceof PreviewRefusedError ? error.reason : 'unreadable';
  postMessage({ refusal } satisfies PreviewAnswer);
}
