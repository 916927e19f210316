// Frame of the document previews.
import type { ReactNode } from 'react';

import { Card } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';

/** Note at the end of a preview that shows a part of a file. */
export const REST = 'O restante está no arquivo baixado.';

/** Classes of the scrolling part of a preview. */
export const viewport = 'bg-muted h-[min(75dvh,60rem)] overflow-auto';

type ViewerFrameProps = { controls?: ReactNode; actions: ReactNode; children: ReactNode };

/**
 * Frame with the controls of the viewer, the action buttons and the preview. It is hidden in print, because the print
 * button prints the document itself.
 */
export function ViewerFrame({ controls, actions, children }: ViewerFrameProps) {
  return (
    <Card className="overflow-hidden print:hidden">
      <div className="border-border flex min-h-15 flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b px-3 py-2">
        <div className="flex flex-wrap items-center gap-x-3">{controls}</div>
        <div className="flex gap-2 max-sm:w-full max-sm:*:flex-1">{actions}</div>
      </div>
      {children}
    </Card>
  );
}

/** Placeholder for a file without a preview. */
export function Unavailable({
  type,
  path = null,
  hint,
}: {
  type: string;
  path?: string | null;
  /** Recommended action. */
  hint: string;
}) {
  return (
    <div className="bg-muted flex min-h-80 flex-col items-center justify-center gap-4 p-8 text-center">
      <FileIcon type={type} path={path} size={56} />
      <div className="max-w-sm">
        <p className="font-medium">Pré-visualização indisponível</p>
        <p className="text-muted-foreground mt-1 text-sm">{hint}</p>
      </div>
    </div>
  );
}
