// Charts of the dashboard: documents and openings by week, unopened documents by due date, and tickets by age.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { BarChart } from '~/components/bar-chart';
import { ChartTable } from '~/components/chart-table';
import { QueryContent } from '~/components/query-content';
import {
  TICKET_AGES,
  ticketAgesQuery,
  type WeekCounts,
  weekCountsQuery,
} from '~/features/dashboard/trends-api';
import { unopenedCountsQuery } from '~/features/documents/api/unopened';
import { DUE_VALUES, dueLabels, dueRanges } from '~/features/documents/due-ranges';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { Panel } from '~/ui/card';
import { Skeleton, SkeletonList } from '~/ui/skeleton';

const EVERY_DOCUMENT = { due: null, folder: '', category: '', client: '', responsible: '' };
const SERIES = ['Documentos publicados', 'Aberturas por clientes'];

export function TrendsCard() {
  const weeks = useQuery(weekCountsQuery());
  const unopened = useQuery(unopenedCountsQuery(EVERY_DOCUMENT));
  const ages = useQuery(ticketAgesQuery());
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Panel title="Últimas oito semanas" className="lg:col-span-2">
        <div className="p-5">
          <QueryContent query={weeks} loading={<Skeleton className="h-[22rem]" />}>
            {(data) => <Weeks weeks={data} />}
          </QueryContent>
        </div>
      </Panel>
      <Panel title="À espera de abertura, pelo vencimento">
        <QueryContent query={unopened} loading={<Loading />}>
          {(counts) => (
            <Bars
              bars={dueRanges.map((due) => ({
                label: dueLabels[due],
                count: counts[due],
                to: `${paths.adminUnopened()}?vencimento=${DUE_VALUES[due]}`,
              }))}
            />
          )}
        </QueryContent>
      </Panel>
      <Panel title="Tickets não fechados, pela idade">
        <QueryContent query={ages} loading={<Loading />}>
          {(counts) => (
            <Bars bars={TICKET_AGES.map(({ label }, at) => ({ label, count: counts[at] ?? 0 }))} />
          )}
        </QueryContent>
      </Panel>
    </div>
  );
}

function Weeks({ weeks }: { weeks: readonly WeekCounts[] }) {
  const rows = weeks.map(({ monday, published, opened }) => ({
    label: `${monday.slice(8, 10)}/${monday.slice(5, 7)}`,
    values: [published, opened],
  }));
  return (
    <>
      <BarChart
        label="Documentos publicados e aberturas por semana. Os mesmos números estão na tabela abaixo."
        stacked={false}
        series={SERIES}
        columns={rows}
        format={formatInteger}
        formatTick={formatInteger}
      />
      <ChartTable
        label="Documentos e aberturas por semana"
        head={['Semana de', ...SERIES]}
        rows={rows.map(({ label, values }) => ({ name: label, cells: values.map(formatInteger) }))}
      />
    </>
  );
}

type Bar = { label: string; count: number; to?: string };

/** Horizontal bars. The count is written beside each, so the bars are for the eye only. */
function Bars({ bars }: { bars: readonly Bar[] }) {
  const most = Math.max(...bars.map(({ count }) => count), 1);
  return (
    <ul className="p-2">
      {bars.map(({ label, count, to }) => {
        const content = (
          <>
            <span className="flex justify-between gap-4">
              {label}
              <span className="font-medium tabular-nums">{formatInteger(count)}</span>
            </span>
            <span aria-hidden className="bg-muted mt-1.5 block h-2 rounded-full">
              <span
                className="bg-chart-1 block h-full rounded-full"
                style={{ width: count === 0 ? 0 : `max(0.5rem, ${(count / most) * 100}%)` }}
              />
            </span>
          </>
        );
        return (
          <li key={label}>
            {to === undefined ? (
              <span className="block px-3 py-2">{content}</span>
            ) : (
              <Link to={to} className="hover:bg-muted block rounded px-3 py-2 transition-colors">
                {content}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Loading() {
  return <SkeletonList rows={5} className="p-5" rowClassName="h-9" />;
}
