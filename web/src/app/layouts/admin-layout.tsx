// Layout of the back office.
import {
  CircleHelp,
  ClipboardList,
  FileText,
  FolderCog,
  History,
  KeyRound,
  LayoutDashboard,
  LayoutTemplate,
  LogOut,
  MailCheck,
  MailOpen,
  MessageSquareText,
  Settings,
  ShieldCheck,
  Users,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { NavLink } from 'react-router';

import '~/lib/api/error-messages.admin';
import { AdminCommands } from '~/app/admin-commands';
import { useSignOut } from '~/app/auth/use-sign-out';
import { mayOpen, useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import { InboxUploadProvider } from '~/features/inbox/upload-provider';
import { useServerConfig } from '~/hooks/use-server-config';
import { paths } from '~/paths';
import { cn } from '~/ui/cn';
import { ThemeSwitch } from '~/ui/theme-switch';

import { AppShell } from './app-shell';

const AdminTools = lazy(async () => ({ default: (await import('./admin-tools')).AdminTools }));

const entries = [
  { to: paths.adminDashboard(), label: 'Dashboard', icon: <LayoutDashboard size={20} aria-hidden /> },
  { to: paths.adminClients(), label: 'Clientes', icon: <Users size={20} aria-hidden /> },
  { to: paths.adminDocuments(), label: 'Documentos', icon: <FileText size={20} aria-hidden /> },
  { to: paths.adminUnopened(), label: 'Não abertos', icon: <MailOpen size={20} aria-hidden /> },
  { to: paths.adminEmailConfig(), label: 'Config. Email', icon: <MailCheck size={20} aria-hidden /> },
  {
    to: paths.adminEmailTemplates(),
    label: 'Templates Email',
    icon: <LayoutTemplate size={20} aria-hidden />,
  },
  { to: paths.adminTickets(), label: 'Tickets', icon: <MessageSquareText size={20} aria-hidden /> },
  { to: paths.adminRequests(), label: 'Solicitações', icon: <ClipboardList size={20} aria-hidden /> },
  { to: paths.adminFolders(), label: 'Pastas', icon: <FolderCog size={20} aria-hidden /> },
  { to: paths.adminActivity(), label: 'Atividade', icon: <History size={20} aria-hidden /> },
  { to: paths.adminAdministrators(), label: 'Administradores', icon: <ShieldCheck size={20} aria-hidden /> },
  { to: paths.adminSettings(), label: 'Configurações', icon: <Settings size={20} aria-hidden /> },
];

const help = { to: paths.adminHelp(), label: 'Ajuda', icon: <CircleHelp size={20} aria-hidden /> };

const classes = {
  header: 'border-sidebar-border bg-sidebar text-sidebar-foreground',
  sidebar: 'border-sidebar-border bg-sidebar',
  mark: 'text-sidebar-foreground',
  office: 'text-sidebar-muted-foreground',
  title: 'text-sidebar-foreground',
  entry: 'text-sidebar-muted-foreground hover:bg-sidebar-accent hover:text-sidebar-foreground',
  active: 'bg-sidebar-accent text-sidebar-foreground',
  menu: 'text-sidebar-muted-foreground hover:bg-sidebar-accent hover:text-sidebar-foreground',
};

const sidebarButton =
  'text-sidebar-muted-foreground transition-colors hover:bg-sidebar-accent hover:text-sidebar-foreground';

const footerButton = cn(
  'flex min-h-11 w-full items-center gap-3 rounded px-3 text-body font-medium',
  sidebarButton,
);
const activeButton = 'bg-sidebar-accent text-sidebar-foreground';

export { AdminLayout as Component };

function AdminLayout() {
  const { email } = useUser();
  const rights = useRights();
  const allowed = entries.filter(({ to }) => mayOpen(rights, to));
  const signOut = useSignOut();
  return (
    <InboxUploadProvider>
      <AppShell
        classes={classes}
        name="Admin Portal"
        office={useServerConfig().product_name}
        home={paths.adminDashboard()}
        navLabel="Administração"
        entries={allowed}
        footer={
          <div className="border-sidebar-border mt-2 border-t pt-2">
            <NavLink to={help.to} className={({ isActive }) => cn(footerButton, isActive && activeButton)}>
              {help.icon}
              {help.label}
            </NavLink>
            <ThemeSwitch className={cn('mt-1', footerButton)} />
          </div>
        }
        account={
          <>
            <AdminCommands pages={[...allowed, help]} className={sidebarButton} />
            <Suspense fallback={<span className="size-11 shrink-0" />}>
              <AdminTools className={sidebarButton} />
            </Suspense>
            <NavLink
              to={paths.adminSecurity()}
              title="Segurança"
              className={cn(
                'touch-target inline-flex min-w-0 items-center gap-2 rounded px-3 text-sm',
                sidebarButton,
              )}
            >
              <KeyRound size={20} aria-hidden className="shrink-0" />
              <span className="sr-only">Segurança: </span>
              <span className="min-w-0 truncate max-lg:sr-only">{email}</span>
            </NavLink>
            <button
              type="button"
              onClick={signOut.run}
              disabled={signOut.pending}
              className={cn(
                'touch-target inline-flex items-center justify-center gap-2 rounded px-2 text-sm font-medium sm:px-3',
                sidebarButton,
              )}
            >
              <LogOut size={20} aria-hidden className="max-sm:hidden" />
              Sair
            </button>
            {signOut.confirmation}
          </>
        }
      />
    </InboxUploadProvider>
  );
}
