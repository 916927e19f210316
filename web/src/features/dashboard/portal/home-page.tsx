// Home page of the clients.
import { useQuery } from '@tanstack/react-query';
import { CalendarDays, FolderOpen, MessageSquareText, Plus, Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { useUser } from '~/features/auth/session';
import { documentCountQuery, expiringSoonQuery } from '~/features/documents/api/documents';
import { latestTicketsQuery, ticketCountQuery } from '~/features/tickets/api/tickets';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { queryClient } from '~/lib/api/query-client';
import { formatLongDate, today } from '~/lib/dates';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';

import { greeting } from './greeting';
import { HomeSkeleton } from './home-skeleton';
import { StatCard, StatCardFrame } from './stat-card';

const loadLists = () => import('./home-lists');

// Loaded after the frame of the page, which keeps the first load small.
const HomeSentence = lazy(async () => ({ default: (await loadLists()).HomeSentence }));
const HomeLists = lazy(async () => ({ default: (await loadLists()).HomeLists }));

export function loader() {
  void loadLists()
    .then(({ prefetchLists }) => prefetchLists())
    .catch(() => {});
  void queryClient.prefetchQuery(ticketCountQuery('open'));
  void queryClient.prefetchQuery(documentCountQuery());
  void queryClient.prefetchQuery(expiringSoonQuery());
  void queryClient.prefetchQuery(latestTicketsQuery());
  return null;
}

export { HomePage as Component };

function HomePage() {
  useCurrentMinute();
  const { fullName } = useUser();
  const openTickets = useQuery(ticketCountQuery('open'));
  const documents = useQuery(documentCountQuery());
  return (
    <>
      <PageHeader
        documentTitle="Início"
        title={greeting(fullName)}
        description={
          <Suspense fallback={'\u00A0'}>
            <HomeSentence />
          </Suspense>
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Suspense fallback={<HomeSkeleton />}>
            <HomeLists />
          </Suspense>
        </div>
        <div className="grid gap-6">
          <Panel title="Ações Rápidas" className="print:hidden">
            <ul className="flex flex-col p-2">
              <QuickLink to={paths.ticketNew()} icon={<Plus size={20} aria-hidden />}>
                Criar ticket
              </QuickLink>
              <QuickLink to={paths.sendDocument()} icon={<Upload size={20} aria-hidden />}>
                Enviar documento
              </QuickLink>
              <QuickLink to={paths.documents()} icon={<FolderOpen size={20} aria-hidden />}>
                Ver documentos
              </QuickLink>
              <QuickLink to={paths.calendar()} icon={<CalendarDays size={20} aria-hidden />}>
                Ver calendário
              </QuickLink>
            </ul>
          </Panel>
          <div className="grid grid-cols-2 gap-3 lg:grid-cols-1">
            <StatCard
              to={paths.tickets()}
              icon={<MessageSquareText size={20} aria-hidden />}
              label="Tickets Abertos"
              value={openTickets}
            />
            <StatCard
              to={paths.documents()}
              icon={<FolderOpen size={20} aria-hidden />}
              label="Documentos"
              value={documents}
            />
            <StatCardFrame
              to={paths.calendar()}
              icon={<CalendarDays size={20} aria-hidden />}
              label="Hoje"
              className="max-lg:col-span-2"
            >
              <span className="font-semibold">{formatLongDate(today())}</span>
            </StatCardFrame>
          </div>
        </div>
      </div>
    </>
  );
}

function QuickLink({ to, icon, children }: { to: string; icon: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Link
        to={to}
        className="hover:bg-muted flex min-h-12 items-center gap-3 rounded px-3 font-medium transition-colors"
      >
        <span className="text-primary">{icon}</span>
        {children}
      </Link>
    </li>
  );
}
