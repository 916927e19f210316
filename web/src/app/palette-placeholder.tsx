// The input of the command palette until the palette is loaded. It keeps what is typed meanwhile.
import { Search } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

import { isModShortcut } from '~/hooks/use-key-shortcuts';

type PalettePlaceholderProps = { text: string; onChange: (text: string) => void; onClose: () => void };

export function PalettePlaceholder({ text, onChange, onClose }: PalettePlaceholderProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    input.current?.focus();
    // The palette remembers where to return to when it takes the focus over.
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return createPortal(
    <div
      role="dialog"
      aria-modal
      aria-busy
      aria-label="Buscar no portal"
      className="bg-card border-border shadow-popover fixed inset-x-3 top-3 z-50 mx-auto flex max-w-xl items-center gap-3 rounded-xl border px-4 sm:top-[12dvh]"
    >
      <Search size={20} aria-hidden className="text-muted-foreground" />
      <input
        ref={input}
        aria-label="Buscar clientes, documentos, tickets e páginas"
        placeholder="Buscar clientes, documentos, tickets, páginas…"
        maxLength={100}
        value={text}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && !isModShortcut(event, 'k')) return;
          event.preventDefault();
          onClose();
        }}
        className="placeholder:text-muted-foreground h-14 w-full min-w-0 bg-transparent text-base outline-none"
      />
    </div>,
    document.body,
  );
}
