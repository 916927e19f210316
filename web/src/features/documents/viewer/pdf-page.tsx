// Page of the PDF viewer.
import { type RefObject, useEffect, useRef, useState } from 'react';

import { type PDFDocumentProxy, TextLayer } from './pdf';

// Maximum canvas size in pixels. Larger canvases cost much memory and gain little sharpness.
const MAX_CANVAS_PIXELS = 16_000_000;

type Size = { width: number; height: number };

type PdfPageProps = {
  document: PDFDocumentProxy;
  number: number;
  scale: number;
  /** Placeholder size (of the first page) until the size of this page is known. */
  expected: Size;
  /** Scroll container. */
  viewport: HTMLElement | null;
  marks: readonly PageMark[];
};

/** A highlighted rectangle, in points from the upper left corner of the page. */
export type PageMark = { page: number; left: number; top: number; right: number; bottom: number };

/**
 * Renders a page while it is near the viewport and releases it afterwards, which limits the memory for long documents.
 */
export function PdfPage({ document, number, scale, expected, viewport, marks }: PdfPageProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const near = useNear(sheet, viewport);
  const [size, setSize] = useState(expected);

  useEffect(() => {
    if (!near || !canvas.current || !text.current) return undefined;
    return draw(document, number, scale, canvas.current, text.current, setSize);
  }, [near, document, number, scale]);

  return (
    <div
      ref={sheet}
      data-page={number}
      className="relative mx-auto bg-white shadow-[0_0_0_1px_var(--border)]"
      style={{
        width: size.width * scale,
        height: size.height * scale,
        // CSS variables that the text layer of pdf.js reads.
        ['--total-scale-factor' as string]: scale,
        ['--scale-round-x' as string]: '1px',
        ['--scale-round-y' as string]: '1px',
      }}
    >
      {/* Canvas and text layer are siblings, because screen readers skip the content of an image. */}
      <div role="img" aria-label={`Página ${number}`} className="size-full">
        {near && <canvas ref={canvas} className="size-full" />}
      </div>
      {near && <div ref={text} className="textLayer" />}
      {marks
        .filter(({ page }) => page === number)
        .map(({ left, top, right, bottom }) => (
          <span
            key={`${left} ${top}`}
            aria-hidden
            className="bg-warning/25 ring-warning pointer-events-none absolute rounded-sm ring-1"
            style={{
              left: left * scale - 2,
              top: top * scale - 2,
              width: (right - left) * scale + 4,
              height: (bottom - top) * scale + 4,
            }}
          />
        ))}
    </div>
  );
}

/** Renders the canvas, then the text layer. Returns a function that cancels the rendering. */
function draw(
  document: PDFDocumentProxy,
  number: number,
  scale: number,
  canvas: HTMLCanvasElement,
  text: HTMLDivElement,
  onSize: (size: Size) => void,
): () => void {
  let stopped = false;
  const stops: (() => void)[] = [];

  const run = async () => {
    const page = await document.getPage(number);
    if (stopped) return;
    const natural = page.getViewport({ scale: 1 });
    onSize({ width: natural.width, height: natural.height });

    const viewport = page.getViewport({ scale });
    const most = Math.sqrt(MAX_CANVAS_PIXELS / (viewport.width * viewport.height));
    const density = Math.min(devicePixelRatio, most);
    canvas.width = Math.floor(viewport.width * density);
    canvas.height = Math.floor(viewport.height * density);
    const drawing = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
    stops.push(() => drawing.cancel());
    await drawing.promise;
    if (stopped) return;

    const layer = new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport });
    stops.push(() => layer.cancel());
    await layer.render();
  };

  run().catch((error: unknown) => {
    // Cancellation rejects both promises. A page that fails to render stays blank.
    if (!stopped) reportError(error);
  });

  return () => {
    stopped = true;
    for (const stop of stops) stop();
    text.replaceChildren();
  };
}

function useNear(element: RefObject<HTMLElement | null>, viewport: HTMLElement | null): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting ?? false), {
      root: viewport,
      rootMargin: '100% 0px',
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, viewport]);
  return near;
}
