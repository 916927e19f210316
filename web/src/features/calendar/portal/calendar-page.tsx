// Calendar page of the clients: expiry dates of their documents.
import { useQuery } from '@tanstack/react-query';
import { CalendarCheck, CalendarDays } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, type LoaderFunctionArgs, useSearchParams } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { QueryList } from '~/components/query-list';
import {
  expiriesBetweenQuery,
  type ExpiringDocument,
  upcomingQuery,
} from '~/features/documents/api/documents';
import { ExpiryLabel } from '~/features/documents/components/expiry-label';
import { useCurrentMinute } from '~/hooks/use-current-minute';
import { queryClient } from '~/lib/api/query-client';
import {
  type Day,
  toDay,
  expiryOf,
  formatDate,
  endOfMonth,
  startOfMonth,
  parseDay,
  today,
} from '~/lib/dates';
import { holidayName } from '~/lib/days-off';
import { formatMoney } from '~/lib/money';
import { paths } from '~/paths';
import { Badge } from '~/ui/badge';
import { Button } from '~/ui/button';
import { Panel } from '~/ui/card';
import { FileIcon } from '~/ui/file-icon';
import { Skeleton, SkeletonList } from '~/ui/skeleton';

import { SubscribeBanner } from './subscribe-banner';
// Loaded on demand, so that the lists render before the month grid.
const MonthGrid = lazy(async () => ({ default: (await import('./month-calendar')).MonthCalendar }));

export function loader({ request }: LoaderFunctionArgs) {
  const day = parseDay(new URL(request.url).searchParams.get('data')) ?? today();
  void queryClient.prefetchQuery(expiriesBetweenQuery(startOfMonth(day), endOfMonth(day)));
  void queryClient.prefetchQuery(upcomingQuery());
  return null;
}

export { CalendarPage as Component };

/** Calendar page. The selected day is a URL parameter, so that documents can link to a day. */
function CalendarPage() {
  const [search, setSearch] = useSearchParams();
  useCurrentMinute();
  const selected = parseDay(search.get('data')) ?? today();
  // The month of the selected day is shown until the user changes the month.
  const [turned, setTurned] = useState<Day | null>(null);
  const month = turned ?? startOfMonth(selected);
  const expiries = useQuery(expiriesBetweenQuery(month, endOfMonth(month)));

  const select = (day: Day) => setSearch({ data: day }, { replace: true, preventScrollReset: true });
  return (
    <>
      <PageHeader
        title="Calendário de Vencimentos"
        documentTitle="Calendário"
        secondary={
          <Button
            variant="secondary"
            icon={<CalendarDays size={20} aria-hidden />}
            onClick={() => {
              setTurned(null);
              setSearch({}, { replace: true, preventScrollReset: true });
            }}
          >
            Hoje
          </Button>
        }
      />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div>
          <Suspense fallback={<Skeleton className="h-[28.25rem] sm:h-[38rem]" />}>
            <MonthGrid
              month={month}
              onMonthChange={setTurned}
              selected={selected}
              onSelect={select}
              expiries={expiries.data ?? []}
            />
          </Suspense>
          {expiries.isPending && expiries.isPaused && (
            <p role="status" className="text-muted-foreground mt-3 text-sm">
              Sem conexão, os vencimentos deste mês não aparecem.
            </p>
          )}
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <DayPanel day={selected} />
          <UpcomingPanel />
        </div>
      </div>
      <SubscribeBanner />
    </>
  );
}

/** Documents of the selected day. The query covers the month of that day, which is usually cached. */
function DayPanel({ day }: { day: Day }) {
  const month = startOfMonth(day);
  const expiries = useQuery(expiriesBetweenQuery(month, endOfMonth(month)));
  const holiday = holidayName(day);
  const documents = expiries.data?.filter(({ expires_at }) => expires_at && toDay(expires_at) === day);
  return (
    <Panel title={`Vencimentos em ${formatDate(day)}`}>
      <div aria-live="polite">
        {holiday !== undefined && (
          <p className="text-muted-foreground border-border border-b px-5 py-3">Feriado: {holiday}</p>
        )}
        <QueryList
          query={expiries}
          rows={documents}
          loading={<SkeletonList rows={2} className="p-5" rowClassName="h-12" />}
          empty={{ icon: <CalendarCheck size={26} />, title: 'Nenhum vencimento para esta data' }}
          className="py-8"
        >
          {(rows) => (
            <ul className="divide-border divide-y">
              {rows.map((document) => (
                <li key={document.id}>
                  <Row document={document}>
                    <DayLabel expiresAt={document.expires_at} />
                  </Row>
                </li>
              ))}
            </ul>
          )}
        </QueryList>
      </div>
    </Panel>
  );
}

function UpcomingPanel() {
  const upcoming = useQuery(upcomingQuery());
  return (
    <Panel title="Próximos Vencimentos">
      <QueryList
        query={upcoming}
        rows={upcoming.data}
        loading={<SkeletonList rows={5} className="p-5" rowClassName="h-12" />}
        empty={{ icon: <CalendarCheck size={26} />, title: 'Nenhum vencimento próximo' }}
        className="py-8"
      >
        {(rows) => (
          <ul className="divide-border divide-y">
            {rows.map((document) => (
              <li key={document.id}>
                <Row document={document}>
                  <ExpiryLabel expiresAt={document.expires_at} />
                </Row>
              </li>
            ))}
          </ul>
        )}
      </QueryList>
    </Panel>
  );
}

/** A document with its expiry, the `children`, unless it is paid. */
function Row({ document, children }: { document: ExpiringDocument; children: ReactNode }) {
  return (
    <Link
      to={paths.document(document.id)}
      className="hover:bg-muted flex min-h-16 items-center gap-3.5 px-5 py-3 transition-colors"
    >
      <FileIcon type={document.type} path={document.file_url} />
      <span className="flex min-w-0 flex-1 flex-col items-start gap-1">
        <span className="line-clamp-2 font-medium wrap-anywhere" title={document.name}>
          {document.name}
        </span>
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {document.document_payments.length > 0 ? <Badge tone="success">Pago</Badge> : children}
          {document.amount_cents !== null && document.status !== 'pending' && (
            <span className="text-sm font-semibold tabular-nums">{formatMoney(document.amount_cents)}</span>
          )}
        </span>
      </span>
    </Link>
  );
}

/** Expiry label: 'Vencido', 'Vence hoje', or 'Vence em {date}' for a later day. */
function DayLabel({ expiresAt }: { expiresAt: string | null }) {
  switch (expiryOf(expiresAt)) {
    case 'expired':
      return <Badge tone="danger">Vencido</Badge>;
    case 'today':
      return <Badge tone="warning">Vence hoje</Badge>;
    case 'soon':
    case 'later':
      return <Badge tone="warning">Vence em {formatDate(expiresAt)}</Badge>;
    case 'none':
      return null;
  }
}
