// Layout of the portal.
import {
  CalendarDays,
  ChevronDown,
  CircleHelp,
  FileText,
  FolderOpen,
  House,
  LogOut,
  MessageSquareText,
  UserRound,
  UsersRound,
} from 'lucide-react';
import { lazy, Suspense, useRef } from 'react';
import { Link } from 'react-router';

import { useSignOut } from '~/app/auth/use-sign-out';
import { useUser } from '~/features/auth/session';
import { getImpersonation } from '~/lib/api/impersonation';
import { serverConfig } from '~/lib/api/server-config';
import { paths } from '~/paths';
import { EmailText } from '~/ui/email-text';
import { ThemeSwitch } from '~/ui/theme-switch';

import { AppShell } from './app-shell';

// Loaded on demand, because clients never see it.
const ImpersonationBanner = lazy(async () => ({
  default: (await import('./impersonation-banner')).ImpersonationBanner,
}));

const PortalTools = lazy(async () => ({ default: (await import('./portal-tools')).PortalTools }));

const entries = [
  { to: paths.home(), label: 'Início', icon: <House size={20} aria-hidden />, exact: true },
  { to: paths.tickets(), label: 'Tickets', icon: <MessageSquareText size={20} aria-hidden /> },
  { to: paths.documents(), label: 'Documentos', icon: <FolderOpen size={20} aria-hidden /> },
  { to: paths.calendar(), label: 'Calendário', icon: <CalendarDays size={20} aria-hidden /> },
  { to: paths.requests(), label: 'Solicitações', icon: <FileText size={20} aria-hidden /> },
];

const classes = {
  header: 'border-border bg-card text-foreground',
  sidebar: 'border-border bg-card',
  mark: 'text-primary',
  entry: 'text-muted-foreground hover:bg-muted hover:text-foreground',
  active: 'bg-primary-subtle text-primary hover:bg-primary-subtle hover:text-primary',
  menu: 'text-muted-foreground hover:bg-muted hover:text-foreground',
};

const MENU_ID = 'menu-da-conta';
const MENU_ITEM = 'hover:bg-muted flex min-h-11 w-full items-center gap-3 rounded-md px-3';

export { PortalLayout as Component };

function PortalLayout() {
  const impersonation = getImpersonation();
  const { id: ownId } = useUser();
  return (
    <div className={impersonation ? '[--banner:3.5rem]' : undefined}>
      {impersonation && (
        <Suspense>
          <ImpersonationBanner {...impersonation} />
        </Suspense>
      )}
      <AppShell
        classes={classes}
        name={serverConfig().product_name}
        home={paths.home()}
        navLabel="Principal"
        entries={entries}
        account={
          <>
            <Suspense fallback={<span className="size-11" />}>
              <PortalTools ownId={ownId} />
            </Suspense>
            <UserMenu />
          </>
        }
      />
    </div>
  );
}

function UserMenu() {
  const { email, fullName } = useUser();
  const signOut = useSignOut();
  const menu = useRef<HTMLDivElement>(null);
  const firstItem = useRef<HTMLAnchorElement>(null);
  const initials = email.slice(0, 2).toUpperCase() || 'CL';
  const name = fullName ?? 'Cliente';
  return (
    <>
      <button
        type="button"
        popoverTarget={MENU_ID}
        className="hover:bg-muted flex min-h-11 min-w-11 items-center gap-2.5 rounded p-1 text-left transition-colors sm:pr-2"
      >
        <span
          aria-hidden
          className="bg-primary-subtle text-primary flex size-9 shrink-0 items-center justify-center rounded-full text-sm font-semibold"
        >
          {initials}
        </span>
        <span className="max-w-64 min-w-0 max-sm:sr-only" title={`${name}\n${email}`}>
          <span className="sr-only">Menu da conta: </span>
          <span className="block truncate text-sm leading-5 font-medium">{name}</span>
          <span className="text-muted-foreground text-caption block truncate leading-4">{email}</span>
        </span>
        <ChevronDown size={16} aria-hidden className="text-muted-foreground hidden sm:block" />
      </button>
      {/* A native popover: Esc and a click outside close it, and focus returns to the button. */}
      <div
        id={MENU_ID}
        ref={menu}
        popover="auto"
        role="group"
        aria-label="Conta"
        onToggle={(event) => event.newState === 'open' && firstItem.current?.focus()}
        className="border-border bg-card text-foreground shadow-popover fixed inset-auto top-[calc(3.75rem+var(--banner,0px))] right-3 m-0 min-w-60 rounded border p-1 sm:right-5"
      >
        <div className="border-border mb-1 max-w-72 border-b px-3 pt-2 pb-3">
          <p className="line-clamp-3 font-medium wrap-anywhere" title={name}>
            {name}
          </p>
          <p className="text-muted-foreground text-sm wrap-anywhere">
            <EmailText email={email} />
          </p>
        </div>
        <ul>
          <li>
            <Link
              to={paths.profile()}
              ref={firstItem}
              onClick={() => menu.current?.hidePopover()}
              className={MENU_ITEM}
            >
              <UserRound size={20} aria-hidden className="text-muted-foreground" />
              Meu perfil
            </Link>
          </li>
          <li>
            <Link to={paths.people()} onClick={() => menu.current?.hidePopover()} className={MENU_ITEM}>
              <UsersRound size={20} aria-hidden className="text-muted-foreground" />
              Pessoas
            </Link>
          </li>
          <li>
            <Link to={paths.help()} onClick={() => menu.current?.hidePopover()} className={MENU_ITEM}>
              <CircleHelp size={20} aria-hidden className="text-muted-foreground" />
              Ajuda
            </Link>
          </li>
          <li>
            <ThemeSwitch className={MENU_ITEM} iconClassName="text-muted-foreground" />
          </li>
          <li>
            <button
              type="button"
              disabled={signOut.pending}
              onClick={() => {
                menu.current?.hidePopover();
                signOut.run();
              }}
              className={MENU_ITEM}
            >
              <LogOut size={20} aria-hidden className="text-muted-foreground" />
              Sair
            </button>
          </li>
        </ul>
      </div>
      {signOut.confirmation}
    </>
  );
}
