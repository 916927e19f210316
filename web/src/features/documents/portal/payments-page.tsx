// A year of payments of the client: sums by month and category, and the documents.
import { useQuery } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { LoaderFunctionArgs } from 'react-router';

import { PageHeader } from '~/components/page-header';
import { QueryContent } from '~/components/query-content';
import { paymentsOfYearQuery } from '~/features/documents/api/payments-of-year';
import { useUrlParams } from '~/hooks/use-url-params';
import { queryClient } from '~/lib/api/query-client';
import { today } from '~/lib/dates';
import { paths } from '~/paths';
import { IconButton } from '~/ui/icon-button';
import { Skeleton, SkeletonList } from '~/ui/skeleton';

// Loaded on demand with the chart, which keeps the first load small.
const loadYear = () => import('./payments-year');
const PaymentsYear = lazy(async () => ({ default: (await loadYear()).PaymentsYear }));

const YEAR = 'ano';
const FIRST_YEAR = 2000;

function yearOf(params: URLSearchParams): number {
  const year = Number(params.get(YEAR));
  const current = Number(today().slice(0, 4));
  return Number.isInteger(year) && year >= FIRST_YEAR && year <= current + 1 ? year : current;
}

export function loader({ request }: LoaderFunctionArgs) {
  void loadYear().catch(() => {});
  void queryClient.prefetchQuery(paymentsOfYearQuery(yearOf(new URL(request.url).searchParams)));
  return null;
}

export { PaymentsPage as Component };

const loading = (
  <div role="status">
    <span className="sr-only">Carregando…</span>
    <Skeleton className="mb-6 h-24" />
    <Skeleton className="mb-6 h-96" />
    <SkeletonList rows={3} rowClassName="h-14" />
  </div>
);

function PaymentsPage() {
  const [params, setParam] = useUrlParams();
  const year = yearOf(params);
  const latest = Number(today().slice(0, 4)) + 1;
  const payments = useQuery(paymentsOfYearQuery(year));
  return (
    <>
      <PageHeader
        title="Meus pagamentos"
        description="Os documentos com valor, pelo vencimento. “Pago” é o que você informou ao escritório."
        back={{ to: paths.documents(), label: 'Voltar para Documentos' }}
        secondary={
          <div role="group" aria-label="Ano" className="flex items-center">
            <IconButton
              label="Ano anterior"
              icon={<ChevronLeft size={20} aria-hidden />}
              disabled={year <= FIRST_YEAR}
              onClick={() => setParam(YEAR, String(year - 1))}
            />
            <span aria-live="polite" className="min-w-14 text-center font-semibold tabular-nums">
              {year}
            </span>
            <IconButton
              label="Próximo ano"
              icon={<ChevronRight size={20} aria-hidden />}
              disabled={year >= latest}
              onClick={() => setParam(YEAR, String(year + 1))}
            />
          </div>
        }
      />
      <QueryContent query={payments} card loading={loading}>
        {(data) => (
          <Suspense fallback={loading}>
            <PaymentsYear year={year} {...data} />
          </Suspense>
        )}
      </QueryContent>
    </>
  );
}
