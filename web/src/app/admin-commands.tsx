// Search button and shortcuts of the back office. The palette is loaded when the browser is idle. Before that,
// a placeholder takes the keys that follow its shortcut, and before this code, `public/boot.js`. The other dialog is
// loaded when it is first opened.
import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';

import { useKeyShortcuts, useModShortcut } from '~/hooks/use-key-shortcuts';
import { runNewestAction } from '~/lib/toast';
import { whenIdle } from '~/lib/when-idle';
import { cn } from '~/ui/cn';

import type { PalettePage } from './command-palette';
import { PalettePlaceholder } from './palette-placeholder';

const loadPalette = () => import('./command-palette');
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }));
const ShortcutsDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog')).ShortcutsDialog }));

type Open = 'palette' | 'shortcuts' | null;

type AdminCommandsProps = { pages: readonly PalettePage[]; className: string };

export function AdminCommands({ pages, className }: AdminCommandsProps) {
  const [early] = useState(() => document.documentElement.dataset['palette']);
  const [open, setOpen] = useState<Open>(early === undefined ? null : 'palette');
  const [used, setUsed] = useState<ReadonlySet<Open>>(new Set([open]));
  /** Text that is typed before the palette is loaded. */
  const [typed, setTyped] = useState(early ?? '');
  const show = (dialog: Open) => {
    setTyped('');
    setOpen(dialog);
    setUsed((before) => new Set([...before, dialog]));
  };
  useEffect(() => {
    delete document.documentElement.dataset['palette'];
  }, []);
  useEffect(() => whenIdle(() => void loadPalette().catch(() => {})), []);
  useKeyShortcuts({ '?': () => show('shortcuts'), z: runNewestAction });
  useModShortcut('k', () => show('palette'));
  return (
    <>
      <button
        type="button"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => show('palette')}
        className={cn(
          'touch-target inline-flex items-center justify-center gap-2 rounded px-3 text-sm max-sm:px-0',
          className,
        )}
      >
        <Search size={20} aria-hidden />
        <span className="max-sm:sr-only">Buscar</span>
        <kbd
          aria-hidden
          className="border-sidebar-border rounded border px-1.5 py-0.5 font-sans text-xs whitespace-nowrap max-lg:hidden"
        >
          {SHORTCUT}
        </kbd>
      </button>
      <Suspense
        fallback={
          open === 'palette' && (
            <PalettePlaceholder text={typed} onChange={setTyped} onClose={() => setOpen(null)} />
          )
        }
      >
        {used.has('palette') && (
          <CommandPalette
            open={open === 'palette'}
            onOpenChange={(isOpen) => setOpen(isOpen ? 'palette' : null)}
            initialText={typed}
            pages={pages}
            onShowShortcuts={() => show('shortcuts')}
          />
        )}
      </Suspense>
      <Suspense>
        {used.has('shortcuts') && (
          <ShortcutsDialog
            open={open === 'shortcuts'}
            onOpenChange={(isOpen) => setOpen(isOpen ? 'shortcuts' : null)}
          />
        )}
      </Suspense>
    </>
  );
}

const SHORTCUT = /Mac|iP(?:hone|ad)/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';
