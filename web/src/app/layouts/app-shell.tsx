// The frame of both areas: header, sidebar and content.
import { Menu as MenuIcon, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';

import { OfficeLogo } from '~/components/office-logo';
import { MAIN_ID } from '~/lib/focus-heading';
import { cn } from '~/ui/cn';

export type NavEntry = { to: string; label: string; icon: ReactNode; exact?: boolean };

/** The classes with the colors of an area. Each layout has its own, so that clients do not load those of the office. */
export type ShellClasses = {
  header: string;
  sidebar: string;
  mark: string;
  /** Of the office's name below the product's. */
  office?: string;
  /** Of the name above the entries in a narrow window. */
  title?: string;
  entry: string;
  active: string;
  menu: string;
};

type AppShellProps = {
  classes: ShellClasses;
  name: string;
  /** The name of the office, if `name` is another. */
  office?: string;
  home: string;
  /** The accessible name of the navigation. */
  navLabel: string;
  entries: readonly NavEntry[];
  /** Content below the navigation. */
  footer?: ReactNode;
  /** Content at the right end of the header. */
  account: ReactNode;
};

export function AppShell({ classes, name, office, home, navLabel, entries, footer, account }: AppShellProps) {
  return (
    <div className="flex min-h-dvh flex-col">
      <header
        className={cn(
          'group/header sticky top-(--banner,0px) z-30 flex h-16 items-center gap-1 max-sm:gap-0 border-b px-2 sm:gap-2 sm:px-5 print:hidden',
          classes.header,
        )}
      >
        <SidebarOverlay classes={classes} navLabel={navLabel} entries={entries} name={name} footer={footer} />
        <NavLink
          to={home}
          end
          className="flex min-h-11 min-w-0 items-center gap-2.5 rounded px-1 max-sm:gap-2 max-sm:group-has-data-client-switcher/header:shrink-0"
        >
          <OfficeLogo className={classes.mark} />
          <span className="tight:sr-only min-w-0 max-sm:group-has-data-client-switcher/header:sr-only">
            <span className="max-sm:text-body block truncate text-lg leading-6 font-semibold tracking-tight">
              {name}
            </span>
            {office !== undefined && (
              <span className={cn('text-caption block truncate leading-4', classes.office)}>{office}</span>
            )}
          </span>
        </NavLink>
        {/* On a phone the product's name gives way, or else the name in the switch between clients. */}
        <div className="ml-auto flex min-w-0 items-center max-sm:not-has-data-client-switcher:shrink-0 sm:gap-2">
          {account}
        </div>
      </header>
      <div className="flex flex-1">
        <aside
          className={cn(
            'sticky top-[calc(4rem+var(--banner,0px))] hidden h-[calc(100dvh-4rem-var(--banner,0px))] w-60 shrink-0 overflow-y-auto border-r p-3 lg:block print:hidden',
            classes.sidebar,
          )}
        >
          <Nav classes={classes} label={navLabel} entries={entries} />
          {footer}
        </aside>
        <main
          id={MAIN_ID}
          tabIndex={-1}
          className="mx-auto w-full max-w-[calc(1120px+5rem)] min-w-0 flex-1 px-4 py-6 sm:px-8 sm:py-10 lg:px-10"
        >
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/**
 * The sidebar of a narrow window, as a native modal dialog: Esc closes it, the rest of the page is inert, and focus
 * returns to the button.
 */
function SidebarOverlay({
  classes,
  navLabel,
  entries,
  name,
  footer,
}: Pick<AppShellProps, 'classes' | 'navLabel' | 'entries' | 'name' | 'footer'>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const close = () => dialog.current?.close();
  const { key } = useLocation();
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- every navigation closes it, also going back.
  useEffect(() => dialog.current?.close(), [key]);
  // A wide window hides the dialog with CSS. If it stayed open, the rest of the page would remain inert.
  useEffect(() => {
    const wide = matchMedia('(min-width: 64rem)');
    const closeDialog = () => dialog.current?.close();
    wide.addEventListener('change', closeDialog);
    return () => wide.removeEventListener('change', closeDialog);
  }, []);
  return (
    <>
      <button
        type="button"
        aria-label="Abrir menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => {
          dialog.current?.showModal();
          setOpen(true);
        }}
        className={cn('touch-target inline-flex items-center justify-center rounded lg:hidden', classes.menu)}
      >
        <MenuIcon size={22} aria-hidden />
      </button>
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- Esc closes a modal dialog by itself. */}
      <dialog
        ref={dialog}
        aria-label={navLabel}
        // Links close it, and a click outside does. Only such a click has the dialog as its target, because the content
        // covers the rest of it. Not every browser knows `closedby`.
        onClick={({ target }) =>
          target instanceof Element && (target === dialog.current || target.closest('a')) && close()
        }
        onClose={() => setOpen(false)}
        className={cn(
          'm-0 h-dvh max-h-none w-72 max-w-[85vw] animate-[slide-in_150ms_ease-out] overflow-y-auto border-r p-0 shadow-popover backdrop:bg-overlay lg:hidden',
          classes.sidebar,
        )}
      >
        <div className="min-h-full p-3">
          <div className="mb-2 flex items-center justify-between pl-3">
            <span className={cn('truncate text-lg font-semibold tracking-tight', classes.title)}>{name}</span>
            <button
              type="button"
              aria-label="Fechar menu"
              onClick={close}
              className={cn('touch-target inline-flex items-center justify-center rounded', classes.menu)}
            >
              <X size={22} aria-hidden />
            </button>
          </div>
          <Nav classes={classes} label={navLabel} entries={entries} />
          {footer}
        </div>
      </dialog>
    </>
  );
}

type NavProps = { classes: ShellClasses; label: string; entries: readonly NavEntry[] };

function Nav({ classes, label, entries }: NavProps) {
  const { pathname } = useLocation();
  return (
    <nav aria-label={label}>
      <ul className="flex flex-col gap-1">
        {entries.map(({ to, label: text, icon, exact = false }) => {
          const active = pathname === to || (!exact && pathname.startsWith(`${to}/`));
          return (
            <li key={to}>
              <NavLink
                to={to}
                end={exact}
                className={cn(
                  'flex min-h-11 items-center gap-3 rounded px-3 text-body font-medium transition-colors',
                  classes.entry,
                  active && classes.active,
                )}
              >
                {icon}
                {text}
              </NavLink>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
