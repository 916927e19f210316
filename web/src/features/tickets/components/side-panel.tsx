// Panels beside the thread of a ticket, folded on small screens, and the ID in them.
import { ChevronDown } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';

import { useCopyToClipboard } from '~/hooks/use-copy-to-clipboard';
import { Panel } from '~/ui/card';

/** Width from which the panel is beside the thread, like the breakpoint `lg` of the page. */
const BESIDE = '(min-width: 64rem)';

type SidePanelProps = {
  title: string;
  /** Content beside the title while the panel is folded or open on a small screen. */
  summary?: ReactNode;
  className?: string;
  children: ReactNode;
};

export function SidePanel({ title, summary, className, children }: SidePanelProps) {
  const isBeside = useSyncExternalStore(subscribe, () => matchMedia(BESIDE).matches);
  if (isBeside) {
    return (
      <Panel title={title} {...(className !== undefined && { className })}>
        {children}
      </Panel>
    );
  }
  return (
    <details className={`group border-border bg-card rounded border ${className ?? ''}`}>
      <summary className="flex min-h-14 cursor-pointer list-none items-center gap-3 px-5 py-2 [&::-webkit-details-marker]:hidden">
        <h2 className="text-lg">{title}</h2>
        <span className="ml-auto">{summary}</span>
        <ChevronDown size={20} aria-hidden className="transition-transform group-open:rotate-180" />
      </summary>
      <div className="border-border border-t">{children}</div>
    </details>
  );
}

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(BESIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Short ID of a ticket with a button that copies the whole one. */
export function CopyId({ id }: { id: string }) {
  const copying = useCopyToClipboard('ID copiado');
  return (
    <span className="flex items-center justify-between gap-3">
      <span title={id}>#{id.slice(-4)}</span>
      <button
        type="button"
        onClick={() => copying.mutate(id)}
        className="touch-target text-primary hover:bg-primary-subtle text-body -my-2 -mr-3 rounded px-3 font-medium print:hidden"
      >
        Copiar<span className="sr-only"> ID</span>
      </button>
    </span>
  );
}
