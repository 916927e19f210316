// Toolbar of the PDF viewer: page navigation and zoom.
import { ChevronDown, ChevronUp, MoveHorizontal, ZoomIn, ZoomOut } from 'lucide-react';

import { IconButton } from '~/ui/icon-button';

// Zoom levels relative to the width of the viewport, which is 1.
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
export const FIT_WIDTH = 1;

/** Next zoom level up or down, unchanged at either end. */
export function steppedZoom(zoom: number, steps: 1 | -1): number {
  return ZOOMS[ZOOMS.indexOf(zoom) + steps] ?? zoom;
}

type PdfControlsProps = {
  page: number;
  pages: number;
  onPage: (page: number) => void;
  zoom: number;
  /** Zoom in percent of the paper size. */
  percent: number;
  onZoom: (zoom: number) => void;
};

export function PdfControls({ page, pages, onPage, zoom, percent, onZoom }: PdfControlsProps) {
  return (
    <>
      <div className="flex items-center">
        <IconButton
          label="Página anterior"
          icon={<ChevronUp size={20} aria-hidden />}
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <span
          className="text-muted-foreground min-w-12 text-center text-sm tabular-nums sm:min-w-16"
          role="status"
        >
          <span className="sr-only">Página </span>
          {page} de {pages}
        </span>
        <IconButton
          label="Próxima página"
          icon={<ChevronDown size={20} aria-hidden />}
          disabled={page >= pages}
          onClick={() => onPage(page + 1)}
        />
      </div>
      <div className="flex items-center">
        <IconButton
          label="Diminuir zoom"
          icon={<ZoomOut size={20} aria-hidden />}
          aria-keyshortcuts="-"
          disabled={steppedZoom(zoom, -1) === zoom}
          onClick={() => onZoom(steppedZoom(zoom, -1))}
        />
        <span
          className="text-muted-foreground min-w-12 text-center text-sm tabular-nums max-sm:sr-only"
          role="status"
        >
          <span className="sr-only">Zoom </span>
          {percent}%
        </span>
        <IconButton
          label="Aumentar zoom"
          icon={<ZoomIn size={20} aria-hidden />}
          aria-keyshortcuts="+"
          disabled={steppedZoom(zoom, 1) === zoom}
          onClick={() => onZoom(steppedZoom(zoom, 1))}
        />
        <IconButton
          label="Ajustar à largura"
          icon={<MoveHorizontal size={20} aria-hidden />}
          aria-keyshortcuts="0"
          disabled={zoom === FIT_WIDTH}
          onClick={() => onZoom(FIT_WIDTH)}
        />
      </div>
    </>
  );
}
