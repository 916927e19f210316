// Requests of the office: answers to check, received files, and the grid of a month.
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { LoaderFunctionArgs } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { useRights } from '~/features/auth/rights';
import { HelpLink } from '~/features/help/components/help-link';
import {
  answeredCountQuery,
  type OfficeItem,
  unfiledFilesQuery,
  WORK_LIMIT,
} from '~/features/requests/api/admin-requests';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUrlParams } from '~/hooks/use-url-params';
import { queryClient } from '~/lib/api/query-client';
import { today } from '~/lib/dates';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { ToggleGroup } from '~/ui/toggle-group';

import { AnsweredList, answeredQueryOf } from './answered-list';
import { ItemDialog } from './item-dialog';
import { MonthPanel } from './month-panel';
import { ReceivedList } from './received-list';

export function loader({ request }: LoaderFunctionArgs) {
  void queryClient.prefetchInfiniteQuery(answeredQueryOf(new URL(request.url).searchParams));
  void queryClient.prefetchQuery(answeredCountQuery());
  void queryClient.prefetchQuery(unfiledFilesQuery());
  return null;
}

export { AdminRequestsPage as Component };

function AdminRequestsPage() {
  const { mayWrite } = useRights();
  const [params, setParam] = useUrlParams();
  const view = params.get('visao') ?? '';
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.exec(params.get('mes') ?? '')?.[0] ?? today().slice(0, 7);
  const answered = useQuery(answeredCountQuery());
  const received = useQuery(unfiledFilesQuery());
  const dialog = useDialogState<OfficeItem>();
  return (
    <>
      <PageHeader
        title="Solicitações"
        description={
          <>
            Documentos que os clientes precisam enviar, e o que eles enviaram.{' '}
            <HelpLink to={paths.adminGuidePage('pedir-documentos')} />
          </>
        }
        action={
          mayWrite && (
            <ButtonLink to={paths.adminRequestNew()} icon={<Plus size={20} aria-hidden />}>
              Nova solicitação
            </ButtonLink>
          )
        }
      />
      <ToggleGroup
        label="Visão"
        value={view}
        options={[
          { value: '', label: <Counted label="Para conferir" count={answered.data} /> },
          {
            value: 'recebidos',
            label: <Counted label="Recebidos" count={received.data?.length} limit={WORK_LIMIT} />,
          },
          { value: 'mes', label: 'Mês' },
        ]}
        onChange={(value) => setParam('visao', value, { push: true })}
        className="mb-6 max-sm:mb-3 max-sm:gap-1.5 max-sm:[&>button]:flex-auto max-sm:[&>button]:px-1 max-sm:[&>button]:text-sm"
      />
      {view === 'recebidos' ? (
        <ReceivedList />
      ) : view === 'mes' ? (
        <MonthPanel month={month} onMonthChange={(value) => setParam('mes', value)} onOpen={dialog.show} />
      ) : (
        <AnsweredList onOpen={dialog.show} />
      )}
      {dialog.item && (
        <ItemDialog key={dialog.key} item={dialog.item} open={dialog.open} onClose={dialog.close} />
      )}
    </>
  );
}

type CountedProps = { label: string; count: number | undefined; limit?: number };

function Counted({ label, count, limit }: CountedProps) {
  return (
    <>
      {label}{' '}
      {count !== undefined && (
        <span className="ml-1 tabular-nums">
          {formatInteger(count)}
          {/* The list ends here, and the office has more. */}
          {count === limit && '+'}
        </span>
      )}
    </>
  );
}
