// PDF access with pdf.js, loaded on demand. It runs in a worker from the same origin. Scripts in documents never run,
// because the scripting sandbox of pdf.js is not included.
import * as pdfjs from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

pdfjs.GlobalWorkerOptions.workerSrc = workerUrl;

export { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist';

/** Called when a file requires a password, and again after a wrong password. */
export type AskPassword = (answer: (password: string) => void, wrong: boolean) => void;

export type OpeningPdf = { document: Promise<pdfjs.PDFDocumentProxy>; close: () => void };

/** Passwords by file, for as long as the file is in memory, so that printing does not ask again. */
const passwords = new WeakMap<Blob, string>();

/** Opens a file. Without `ask`, a protected file fails with the code `file_locked`. */
export function openPdf(file: Blob, ask?: AskPassword): OpeningPdf {
  let task: pdfjs.PDFDocumentLoadingTask | undefined;
  let closed = false;
  const open = async () => {
    const data = new Uint8Array(await file.arrayBuffer());
    if (closed) throw new Error('The file was closed before it was open.');
    const known = passwords.get(file);
    task = pdfjs.getDocument({
      data,
      ...(known !== undefined && { password: known }),
      cMapUrl: `${PDFJS_FILES}cmaps/`,
      standardFontDataUrl: `${PDFJS_FILES}standard_fonts/`,
      wasmUrl: `${PDFJS_FILES}wasm/`,
      iccUrl: `${PDFJS_FILES}iccs/`,
      enableXfa: false,
    });
    let tried = known;
    if (ask) {
      task.onPassword = (answer: (password: string) => void, reason: number) => {
        const reply = (password: string) => {
          tried = password;
          answer(password);
        };
        ask(reply, reason === pdfjs.PasswordResponses.INCORRECT_PASSWORD);
      };
    }
    const document = await task.promise.catch((error: unknown) => {
      if (error instanceof pdfjs.PasswordException) throw Object.assign(error, { code: 'file_locked' });
      throw error;
    });
    if (tried !== undefined) passwords.set(file, tried);
    return document;
  };
  return {
    document: open(),
    close() {
      closed = true;
      void task?.destroy();
    },
  };
}

// Print resolution: sharp enough for small text, small enough for long documents.
const PRINT_DPI = 150;
const POINTS_PER_INCH = 72;

export type PrintedPages = { images: Blob[]; widthPt: number; heightPt: number };

/** Renders every page as an image for the printer, in sequence. */
export async function pagesForPrint(
  file: Blob,
  onProgress: (page: number, pages: number) => void,
): Promise<PrintedPages> {
  const opening = openPdf(file);
  try {
    const document = await opening.document;
    const images: Blob[] = [];
    let first = { width: 0, height: 0 };
    for (let number = 1; number <= document.numPages; number++) {
      onProgress(number, document.numPages);
      const page = await document.getPage(number);
      if (number === 1) first = page.getViewport({ scale: 1 });
      images.push(await renderImage(page));
      page.cleanup();
    }
    return { images, widthPt: first.width, heightPt: first.height };
  } finally {
    opening.close();
  }
}

async function renderImage(page: pdfjs.PDFPageProxy): Promise<Blob> {
  const viewport = page.getViewport({ scale: PRINT_DPI / POINTS_PER_INCH });
  const canvas = document.createElement('canvas');
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport, intent: 'print' }).promise;
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The page could not be drawn.'))),
      'image/png',
    );
  });
}

const MAX_SCANNED_PAGES = 300;

/**
 * Text of a file. A PDF may split a word into several items or omit spaces between words, so the result contains the
 * items twice: joined, and separated by spaces.
 */
export async function textOfPdf(file: Blob): Promise<string> {
  const opening = openPdf(file);
  try {
    const document = await opening.document;
    const pages: string[] = [];
    for (let number = 1; number <= Math.min(document.numPages, MAX_SCANNED_PAGES); number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      const pieces = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
      pages.push(pieces.join(''), pieces.join(' '));
      page.cleanup();
    }
    return pages.join('\n');
  } finally {
    opening.close();
  }
}
