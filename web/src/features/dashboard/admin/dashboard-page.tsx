// Dashboard of the back office.
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, FileText, Mail, MessageSquareText, Upload, UserPlus, Users } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { recentActivityQuery } from '~/features/activity/api';
import { RecentActivityCard } from '~/features/activity/components/recent-activity-card';
import { mayOpen, rightsOf, useRights } from '~/features/auth/rights';
import { session, useUser } from '~/features/auth/session';
import { backupStatusQuery } from '~/features/backups/api';
import { BackupStatusCard } from '~/features/backups/components/backup-status-card';
import { clientCountQuery } from '~/features/clients/api/clients';
import { oldestUnfiledQuery, unansweredTicketsQuery, unopenedDocumentsQuery } from '~/features/dashboard/api';
import { documentCountQuery } from '~/features/documents/api/documents';
import { smtpStatusQuery, unsentEmailsQuery } from '~/features/email/api/log';
import { templateCountQuery } from '~/features/email/api/templates';
import { FirstStepsCard } from '~/features/first-steps/components/first-steps-card';
import { areFirstStepsDismissed, dismissFirstSteps } from '~/features/first-steps/skipped-steps';
import { prefetchOfficeState } from '~/features/first-steps/use-office-state';
import { ticketCountQuery } from '~/features/tickets/api/tickets';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { Alert } from '~/ui/alert';
import { Panel } from '~/ui/card';
import { cn } from '~/ui/cn';
import { Skeleton } from '~/ui/skeleton';

import { AttentionCard } from './attention-card';
import { StatCard } from './stat-card';

// Loaded on demand, because the open work comes first.
const TrendsCard = lazy(async () => ({ default: (await import('./trends-card')).TrendsCard }));

const quickLinks = [
  { to: paths.adminClientNew(), label: 'Novo Cliente', icon: <UserPlus size={20} aria-hidden /> },
  { to: paths.adminDocumentUpload(), label: 'Enviar Documento', icon: <Upload size={20} aria-hidden /> },
  { to: paths.adminEmailTemplateNew(), label: 'Novo Template', icon: <Mail size={20} aria-hidden /> },
];

// Count queries of the client portal, with the error toast of the back office.
const documentCount = () => ({
  ...documentCountQuery(),
  meta: { errorToast: { title: 'Erro ao buscar documentos' } },
});
const openTicketCount = () => ({
  ...ticketCountQuery('open'),
  meta: { errorToast: { title: 'Erro ao buscar tickets' } },
});

export async function loader() {
  const clientCount = queryClient.prefetchQuery(clientCountQuery());
  void queryClient.prefetchQuery(documentCount());
  void queryClient.prefetchQuery(openTicketCount());
  void queryClient.prefetchQuery(templateCountQuery());
  const { user } = session.get();
  if (user && rightsOf(user).isAdministrator) void queryClient.prefetchQuery(recentActivityQuery());
  void queryClient.prefetchQuery(unansweredTicketsQuery());
  void queryClient.prefetchQuery(unopenedDocumentsQuery());
  void queryClient.prefetchQuery(oldestUnfiledQuery());
  void queryClient.prefetchQuery(unsentEmailsQuery());
  void queryClient.prefetchQuery(smtpStatusQuery());
  void queryClient.prefetchQuery(backupStatusQuery());
  if (user && rightsOf(user).isAdministrator && !areFirstStepsDismissed(user.id))
    await findFirstSteps(user.id, clientCount);
  // The notice about missing assignments must move nothing.
  if (user?.assignedClientsOnly) await clientCount;
  return null;
}

/** Waits until it is known whether the first steps are shown, so that they move nothing. With clients they are over. */
async function findFirstSteps(owner: string, clientCount: Promise<void>): Promise<void> {
  await clientCount;
  const count = queryClient.getQueryData(clientCountQuery().queryKey);
  if (count === 0) await prefetchOfficeState();
  else if (count !== undefined) dismissFirstSteps(owner);
}

export { DashboardPage as Component };

function DashboardPage() {
  const { email, assignedClientsOnly } = useUser();
  const rights = useRights();
  const links = quickLinks.filter(({ to }) => mayOpen(rights, to));
  const hasSide = links.length > 0;
  const clients = useQuery(clientCountQuery());
  const documents = useQuery(documentCount());
  const tickets = useQuery(openTicketCount());
  const templates = useQuery(templateCountQuery());
  return (
    <>
      <PageHeader
        title="Dashboard"
        description={<span className="wrap-anywhere">Olá, {email || 'Administrador'}</span>}
      />
      {rights.isAdministrator && <FirstStepsCard />}
      {assignedClientsOnly && clients.data === 0 && (
        <Alert variant="info" className="mb-6">
          Você ainda não atende clientes. Peça a um administrador que atribua clientes a você.
        </Alert>
      )}
      <div
        className={cn(
          'grid grid-cols-2 gap-3',
          rights.isAdministrator ? 'xl:grid-cols-4' : 'sm:grid-cols-3 max-sm:*:first:col-span-2',
        )}
      >
        <StatCard
          label="Clientes"
          icon={<Users size={20} aria-hidden />}
          count={clients}
          to={paths.adminClients()}
        />
        <StatCard
          label="Documentos"
          icon={<FileText size={20} aria-hidden />}
          count={documents}
          to={paths.adminDocuments()}
        />
        <StatCard
          label="Tickets Abertos"
          icon={<MessageSquareText size={20} aria-hidden />}
          count={tickets}
          to={paths.adminTickets()}
        />
        {rights.isAdministrator && (
          <StatCard
            label="Templates de Email"
            icon={<Mail size={20} aria-hidden />}
            count={templates}
            to={paths.adminEmailTemplates()}
          />
        )}
      </div>
      <div
        className={cn('mt-6 grid items-start gap-6', hasSide && 'lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]')}
      >
        <div className="flex min-w-0 flex-col gap-6">
          <AttentionCard />
          <BackupStatusCard />
        </div>
        {hasSide && (
          <div className="grid min-w-0 gap-6">
            <Panel title="Ações Rápidas" className="print:hidden">
              <ul className="p-2">
                {links.map(({ to, label, icon }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      className="hover:bg-muted flex min-h-12 items-center gap-3 rounded px-3 font-medium transition-colors"
                    >
                      <span className="text-primary">{icon}</span>
                      {label}
                      <ArrowRight size={18} aria-hidden className="text-muted-foreground ml-auto" />
                    </Link>
                  </li>
                ))}
              </ul>
            </Panel>
            {rights.isAdministrator && <RecentActivityCard />}
          </div>
        )}
      </div>
      <div className="mt-6">
        <Suspense fallback={<Skeleton className="h-[50rem]" />}>
          <TrendsCard />
        </Suspense>
      </div>
    </>
  );
}
