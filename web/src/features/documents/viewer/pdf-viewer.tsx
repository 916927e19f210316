// PDF viewer.
import './pdf-viewer.css';
import { type Dispatch, type ReactNode, type SetStateAction, useEffect, useState } from 'react';

import { Skeleton } from '~/ui/skeleton';

import { FIT_WIDTH, PdfControls, steppedZoom } from './pdf-controls';
import { type PageMark, PdfPage } from './pdf-page';
import { PdfPasswordForm } from './pdf-password-form';
import { usePdf } from './use-pdf';
import { ViewerFrame, Unavailable } from './viewer-frame';

// Scale of the paper size: at scale 1, a point (1/72 inch) is one CSS pixel (1/96 inch).
const PAPER_SCALE = 96 / 72;
const GUTTER_PX = 32;
const PAGE_GAP_PX = 16;
const WIDEST_FIT = 1.6;

type PdfViewerProps = { file: Blob; actions: ReactNode; marks: readonly PageMark[] };

/** Renders pages near the viewport, with zoom controls and the number of the current page. */
export function PdfViewer({ file, actions, marks }: PdfViewerProps) {
  const pdf = usePdf(file);
  const [viewport, setViewport] = useState<HTMLElement | null>(null);
  const width = useWidth(viewport);
  const [zoom, setZoom] = useState(FIT_WIDTH);
  useZoomKeys(viewport, setZoom);
  const [current, setCurrent] = useState(1);

  if (pdf.step === 'failed') {
    return (
      <ViewerFrame actions={actions}>
        <Unavailable
          type="pdf"
          hint="O arquivo parece estar danificado. Baixe-o para tentar abri-lo em outro programa."
        />
      </ViewerFrame>
    );
  }
  if (pdf.step === 'locked') {
    return (
      <ViewerFrame actions={actions}>
        <PdfPasswordForm wrong={pdf.wrong} onUnlock={pdf.unlock} />
      </ViewerFrame>
    );
  }

  const pages = pdf.step === 'open' ? pdf.document.numPages : 0;
  const fit =
    pdf.step === 'open' && width > 0 ? Math.min((width - GUTTER_PX) / pdf.size.width, WIDEST_FIT) : 1;
  const scale = fit * zoom;

  // Scrolls the page container only. `scrollIntoView` would also scroll the window.
  const show = (page: number) => {
    const sheet = viewport?.querySelector<HTMLElement>(`[data-page="${page}"]`);
    if (sheet) viewport?.scrollTo({ top: sheet.offsetTop - PAGE_GAP_PX });
  };

  return (
    <ViewerFrame
      actions={actions}
      controls={
        pdf.step === 'open' && (
          <PdfControls
            page={current}
            pages={pages}
            onPage={show}
            zoom={zoom}
            percent={Math.round((scale / PAPER_SCALE) * 100)}
            onZoom={setZoom}
          />
        )
      }
    >
      <div
        ref={setViewport}
        role="region"
        aria-label="Páginas do documento"
        // Makes the container scrollable with the keyboard.
        tabIndex={0}
        onScroll={(event) => setCurrent(pageInView(event.currentTarget))}
        className="bg-muted relative h-[min(75dvh,60rem)] overflow-auto p-4"
      >
        {pdf.step === 'open' ? (
          <div className="mx-auto flex w-max flex-col gap-4">
            {Array.from({ length: pages }, (_, at) => (
              <PdfPage
                marks={marks}
                key={at}
                document={pdf.document}
                number={at + 1}
                scale={scale}
                expected={pdf.size}
                viewport={viewport}
              />
            ))}
          </div>
        ) : (
          <Skeleton className="mx-auto aspect-[1/1.414] w-full max-w-2xl" />
        )}
      </div>
    </ViewerFrame>
  );
}

/**
 * Keyboard shortcuts `+`, `-` and `0` while the pages have the focus. The browser's zoom shortcuts use Ctrl and are not
 * affected.
 */
function useZoomKeys(viewport: HTMLElement | null, setZoom: Dispatch<SetStateAction<number>>): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '+' || event.key === '=') setZoom((zoom) => steppedZoom(zoom, 1));
      else if (event.key === '-') setZoom((zoom) => steppedZoom(zoom, -1));
      else if (event.key === '0') setZoom(FIT_WIDTH);
      else return;
      event.preventDefault();
    };
    viewport?.addEventListener('keydown', onKey);
    return () => viewport?.removeEventListener('keydown', onKey);
  }, [viewport, setZoom]);
}

function useWidth(element: HTMLElement | null): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element) return undefined;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0) + GUTTER_PX),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** Number of the page at one third of the viewport height. */
function pageInView(viewport: HTMLElement): number {
  const line = viewport.getBoundingClientRect().top + viewport.clientHeight / 3;
  const pages = [...viewport.querySelectorAll<HTMLElement>('[data-page]')];
  const above = pages.filter((page) => page.getBoundingClientRect().top <= line);
  return Math.max(1, above.length);
}
