// pdf.js, loaded when the first PDF is opened. It runs in a worker served by ourselves; scripts inside a
// document never run, since nothing here knows how to.
import * as pdfjs from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';

pdfjs.GlobalWorkerOptions.workerSrc = workerUrl;

export { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist';

export type OpenPdf = { document: pdfjs.PDFDocumentProxy; close: () => void };

export async function openPdf(file: Blob): Promise<OpenPdf> {
  const task = pdfjs.getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: `${PDFJS_FILES}cmaps/`,
    standardFontDataUrl: `${PDFJS_FILES}standard_fonts/`,
    wasmUrl: `${PDFJS_FILES}wasm/`,
    iccUrl: `${PDFJS_FILES}iccs/`,
    enableXfa: false,
  });
  return { document: await task.promise, close: () => void task.destroy() };
}

// Sharp enough for small print, light enough for a long document.
const PRINT_DPI = 150;
const POINTS_PER_INCH = 72;

export type PrintedPages = { images: Blob[]; widthPt: number; heightPt: number };

/** Every page as a picture for the printer, one after the other. */
export async function pagesForPrint(
  file: Blob,
  onProgress: (page: number, pages: number) => void,
): Promise<PrintedPages> {
  const { document, close } = await openPdf(file);
  try {
    const images: Blob[] = [];
    let first = { width: 0, height: 0 };
    for (let number = 1; number <= document.numPages; number++) {
      onProgress(number, document.numPages);
      const page = await document.getPage(number);
      if (number === 1) first = page.getViewport({ scale: 1 });
      images.push(await pictureOf(page));
      page.cleanup();
    }
    return { images, widthPt: first.width, heightPt: first.height };
  } finally {
    close();
  }
}

async function pictureOf(page: pdfjs.PDFPageProxy): Promise<Blob> {
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
