// Home page of the clients.
import { useQuery } from '@tanstack/react-query';
import { CalendarDays, CircleCheckBig, FolderOpen, MessageSquareText, Plus, Upload } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import { useUser } from '~/features/auth/session';
import { documentCountQuery, expiringSoonQuery } from '~/features/documents/api/documents';
import { isToPay } from '~/features/documents/api/payment-details';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { latestTicketsQuery, ticketCountQuery } from '~/features/tickets/api/tickets';
import { TicketStatusBadge } from '~/features/tickets/components/ticket-status-badge';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { queryClient } from '~/lib/api/query-client';
import { formatDate, formatLongDate, today } from '~/lib/dates';
import { pluralize } from '~/lib/format';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';
import { SkeletonList } from '~/ui/skeleton';

import { greeting } from './greeting';
import { StatCard, StatCardFrame } from './stat-card';

// Loaded on demand, because many clients have nothing to pay here.
const CopyCodes = lazy(async () => ({
  default: (await import('~/features/documents/components/copy-codes')).CopyCodes,
}));

const DayOffNote = lazy(async () => ({
  default: (await import('~/features/documents/components/day-off-note')).DayOffNote,
}));

const loadTodo = () => import('./home-todo');

const HomeSentence = lazy(async () => ({ default: (await loadTodo()).HomeSentence }));
const HomeTodo = lazy(async () => ({ default: (await loadTodo()).HomeTodo }));

export function loader() {
  void loadTodo().catch(() => {});
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
          <Suspense>
            <HomeTodo />
          </Suspense>
          <ExpiringSoonCard />
          <LatestTicketsCard />
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

function ExpiringSoonCard() {
  const soon = useQuery(expiringSoonQuery());
  const more = (soon.data?.total ?? 0) - (soon.data?.documents.length ?? 0);
  return (
    <Panel title="Vencimentos Próximos">
      <QueryList
        query={soon}
        rows={soon.data?.documents}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        empty={{ icon: <CircleCheckBig size={26} />, title: 'Nenhum vencimento próximo' }}
      >
        {(documents) => (
          <ul className="divide-border divide-y">
            {documents.map((document) => (
              <li key={document.id}>
                <Link
                  to={paths.document(document.id)}
                  className="hover:bg-muted flex min-h-16 items-center gap-4 px-5 py-3 transition-colors"
                >
                  <FileIcon type={document.type} path={document.file_url} />
                  <span className="flex min-w-0 flex-1 flex-col gap-x-4 sm:flex-row sm:items-center sm:justify-between">
                    <span className="min-w-0 font-medium wrap-anywhere">{document.name}</span>
                    <span className="flex shrink-0 flex-wrap items-baseline gap-x-3 sm:flex-col sm:items-end">
                      {document.amount_cents !== null && document.status !== 'pending' && (
                        <span className="font-semibold tabular-nums">
                          {formatMoney(document.amount_cents)}
                        </span>
                      )}
                      <ExpiryLabel expiresAt={document.expires_at} />
                    </span>
                  </span>
                </Link>
                {isToPay(document) && (
                  <div className="px-5 pb-4 sm:pl-15">
                    <Suspense>
                      <DayOffNote
                        expiresAt={document.expires_at}
                        category={document.category}
                        className="mb-3 font-medium"
                      />
                    </Suspense>
                    <div className="flex min-h-11 flex-wrap gap-2 max-sm:*:grow print:hidden">
                      <Suspense>
                        <CopyCodes document={document} variant="secondary" named />
                      </Suspense>
                    </div>
                  </div>
                )}
              </li>
            ))}
            {more > 0 && (
              <li>
                <Link
                  to={paths.calendar()}
                  className="text-primary hover:bg-muted flex min-h-12 items-center justify-center px-5 text-sm font-medium"
                >
                  Ver mais {pluralize(more, 'vencimento', 'vencimentos')} no calendário
                </Link>
              </li>
            )}
          </ul>
        )}
      </QueryList>
    </Panel>
  );
}

function LatestTicketsCard() {
  const tickets = useQuery(latestTicketsQuery());
  return (
    <Panel title="Últimos Tickets">
      <QueryList
        query={tickets}
        rows={tickets.data}
        loading={<SkeletonList rows={3} className="p-5" rowClassName="h-12" />}
        empty={{
          icon: <MessageSquareText size={26} />,
          title: 'Nenhum ticket encontrado',
          action: (
            <ButtonLink to={paths.ticketNew()} variant="secondary" icon={<Plus size={20} aria-hidden />}>
              Criar ticket
            </ButtonLink>
          ),
        }}
      >
        {(latest) => (
          <ul className="divide-border divide-y">
            {latest.map((ticket) => (
              <li key={ticket.id}>
                <Link
                  to={paths.ticket(ticket.id)}
                  className="hover:bg-muted flex min-h-16 items-center justify-between gap-4 px-5 py-3 transition-colors"
                >
                  <span className="min-w-0">
                    <span className="block font-medium wrap-anywhere">{ticket.subject}</span>
                    <time
                      dateTime={ticket.created_at}
                      className="text-muted-foreground block text-sm tabular-nums"
                    >
                      {formatDate(ticket.created_at)}
                    </time>
                  </span>
                  <TicketStatusBadge status={ticket.status} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </QueryList>
    </Panel>
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
