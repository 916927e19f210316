import './pdf-view.css';
import { ChevronDown, ChevronUp, ZoomIn, ZoomOut } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';

import { IconButton } from '~/ui/button';
import { Skeleton } from '~/ui/skeleton';

import { openPdf, type PDFDocumentProxy } from './pdf';
import { PdfPage } from './pdf-page';
import { PreviewFrame, Unavailable } from './preview-frame';

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
// At a scale of one, a point is a CSS pixel; on paper it is 1/72 of an inch.
const PAPER_SCALE = 96 / 72;
const GUTTER_PX = 32;
const PAGE_GAP_PX = 16;
const WIDEST_FIT = 1.6;

type PdfViewProps = { file: Blob; actions: ReactNode };

type Opened = { document: PDFDocumentProxy; size: { width: number; height: number } };

/** A PDF: pages drawn as they come into view, zoom, the number of the page in view. */
export function PdfView({ file, actions }: PdfViewProps) {
  const opened = usePdf(file);
  const viewport = useRef<HTMLDivElement>(null);
  const width = useWidth(viewport);
  const [zoom, setZoom] = useState(1);
  const [current, setCurrent] = useState(1);

  if (opened === 'failed') {
    return (
      <PreviewFrame actions={actions}>
        <Unavailable type="pdf" />
      </PreviewFrame>
    );
  }

  const pages = opened?.document.numPages ?? 0;
  const fit = opened && width > 0 ? Math.min((width - GUTTER_PX) / opened.size.width, WIDEST_FIT) : 1;
  const scale = fit * zoom;
  const step = ZOOMS.indexOf(zoom);

  // Only the pages scroll: the browser's own way to bring something into view would move the whole screen too.
  const show = (page: number) => {
    const sheet = viewport.current?.querySelector<HTMLElement>(`[data-page="${page}"]`);
    if (sheet) viewport.current?.scrollTo({ top: sheet.offsetTop - PAGE_GAP_PX });
  };

  return (
    <PreviewFrame
      actions={actions}
      controls={
        opened && (
          <>
            <div className="flex items-center">
              <IconButton
                label="Página anterior"
                icon={<ChevronUp size={20} aria-hidden />}
                disabled={current <= 1}
                onClick={() => show(current - 1)}
              />
              <span className="tabular text-muted min-w-16 text-center text-sm" aria-live="polite">
                <span className="sr-only">Página </span>
                {current} de {pages}
              </span>
              <IconButton
                label="Próxima página"
                icon={<ChevronDown size={20} aria-hidden />}
                disabled={current >= pages}
                onClick={() => show(current + 1)}
              />
            </div>
            <div className="flex items-center">
              <IconButton
                label="Diminuir zoom"
                icon={<ZoomOut size={20} aria-hidden />}
                disabled={step <= 0}
                onClick={() => setZoom(ZOOMS[step - 1] ?? zoom)}
              />
              <span className="tabular text-muted min-w-12 text-center text-sm">
                <span className="sr-only">Zoom </span>
                {Math.round((scale / PAPER_SCALE) * 100)}%
              </span>
              <IconButton
                label="Aumentar zoom"
                icon={<ZoomIn size={20} aria-hidden />}
                disabled={step >= ZOOMS.length - 1}
                onClick={() => setZoom(ZOOMS[step + 1] ?? zoom)}
              />
            </div>
          </>
        )
      }
    >
      <div
        ref={viewport}
        role="region"
        aria-label="Páginas do documento"
        // Scrollable with the arrow keys.
        tabIndex={0}
        onScroll={(event) => setCurrent(pageInView(event.currentTarget))}
        className="bg-sunken relative h-[min(75dvh,60rem)] overflow-auto p-4"
      >
        {opened ? (
          <div className="mx-auto flex w-max flex-col gap-4">
            {Array.from({ length: pages }, (_, at) => (
              <PdfPage
                key={at}
                document={opened.document}
                number={at + 1}
                scale={scale}
                expected={opened.size}
                viewport={viewport}
              />
            ))}
          </div>
        ) : (
          <Skeleton className="mx-auto aspect-[1/1.414] w-full max-w-2xl" />
        )}
      </div>
    </PreviewFrame>
  );
}

function usePdf(file: Blob): Opened | 'failed' | null {
  const [state, setState] = useState<Opened | 'failed' | null>(null);
  useEffect(() => {
    let left = false;
    const opening = openPdf(file).then(async ({ document, close }) => {
      const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
      if (!left) setState({ document, size: { width, height } });
      return close;
    });
    opening.catch(() => !left && setState('failed'));
    return () => {
      left = true;
      void opening.then((close) => close()).catch(() => {});
    };
  }, [file]);
  return state;
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0) + GUTTER_PX),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** The page at a third of the height in view: the one a reader would say they are on. */
function pageInView(viewport: HTMLElement): number {
  const line = viewport.getBoundingClientRect().top + viewport.clientHeight / 3;
  const pages = [...viewport.querySelectorAll<HTMLElement>('[data-page]')];
  const above = pages.filter((page) => page.getBoundingClientRect().top <= line);
  return Math.max(1, above.length);
}
