// Documents that wait to be opened by their clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BellRing, ListChecks, MailOpen } from 'lucide-react';
import { useRef, useState } from 'react';
import type { LoaderFunctionArgs } from 'react-router';

import { SavedViewsMenu } from '~/components/list-table/saved-views-menu';
import { useListKeys } from '~/components/list-table/use-list-keys';
import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import { useRights } from '~/features/auth/rights';
import {
  fetchUnopenedIds,
  unopenedCategoriesQuery,
  unopenedCountsQuery,
  unopenedQuery,
} from '~/features/documents/api/unopened';
import { dueRanges } from '~/features/documents/due-ranges';
import { HelpLink } from '~/features/help/components/help-link';
import { useApiMutation } from '~/hooks/use-api-mutation';
import { useUrlParams } from '~/hooks/use-url-params';
import { queryClient } from '~/lib/api/query-client';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';

import { ChaseBar } from './chase-bar';
import { ReminderRulesDialog } from './reminder-rules-dialog';
import { readOnlyColumns, unopenedColumns } from './unopened-columns';
import { UnopenedFilterBar } from './unopened-filter-bar';
import { parseUnopenedFilters, toUrlParam } from './unopened-filters';

export function loader({ request }: LoaderFunctionArgs) {
  const filters = parseUnopenedFilters(new URL(request.url).searchParams);
  void queryClient.prefetchInfiniteQuery(unopenedQuery(filters));
  void queryClient.prefetchQuery(unopenedCountsQuery(filters));
  void queryClient.prefetchQuery(unopenedCategoriesQuery());
  return null;
}

export { UnopenedPage as Component };

function UnopenedPage() {
  const rights = useRights();
  const [params, setParam, clear] = useUrlParams();
  const filters = parseUnopenedFilters(params);
  const address = params.toString();
  const documents = useInfiniteQuery(unopenedQuery(filters));
  const { data: counts } = useQuery(unopenedCountsQuery(filters));
  // A selection belongs to the list that it was made in.
  const [selection, setSelection] = useState({ address, ids: new Set<string>() });
  const selected = selection.address === address ? selection.ids : new Set<string>();
  const select = (ids: Iterable<string>) => setSelection({ address, ids: new Set(ids) });
  const toggle = (id: string) =>
    select(selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id]);
  const table = useRef<HTMLDivElement>(null);
  useListKeys(table, toggle);
  const selectAll = useApiMutation({
    mutationFn: () => fetchUnopenedIds(filters),
    errorToast: { title: 'Erro ao selecionar' },
    onSuccessIfMounted: select,
  });
  const [isEditingRules, setIsEditingRules] = useState(false);
  const rows = documents.data?.pages.flat();
  const count =
    counts &&
    (filters.due === null ? dueRanges.reduce((sum, due) => sum + counts[due], 0) : counts[filters.due]);
  return (
    <>
      <PageHeader
        title="Não abertos"
        description={
          <>
            Documentos publicados que os clientes ainda não abriram, pelo vencimento.{' '}
            <HelpLink to={paths.adminGuidePage('lembrar-de-documentos-nao-abertos')} />
          </>
        }
        secondary={
          <div className="flex gap-2 max-sm:flex-wrap max-sm:*:flex-auto">
            <SavedViewsMenu list="nao-abertos" />
            {rights.isAdministrator && (
              <Button
                variant="secondary"
                icon={<BellRing size={20} aria-hidden />}
                onClick={() => setIsEditingRules(true)}
              >
                Lembretes automáticos
              </Button>
            )}
          </div>
        }
      />
      <UnopenedFilterBar filters={filters} onChange={(name, value) => setParam(...toUrlParam(name, value))} />
      {rights.mayWrite && count !== undefined && count > 0 && (
        <Button
          variant="quiet"
          icon={<ListChecks size={20} aria-hidden />}
          pending={selectAll.isPending}
          disabled={selected.size >= count}
          className="mb-2 -ml-4"
          onClick={() => selectAll.mutate()}
        >
          {count === 1 ? 'Selecionar o documento' : `Selecionar os ${formatInteger(count)} documentos`}
        </Button>
      )}
      <div ref={table}>
        <QueryTable
          query={documents}
          rows={rows}
          caption="Documentos não abertos"
          columns={rights.mayWrite ? unopenedColumns(selected, toggle) : readOnlyColumns}
          rowKey={({ id }) => id}
          empty={{
            icon: <MailOpen size={26} />,
            title: params.size > 0 ? 'Nenhum documento encontrado' : 'Tudo foi aberto',
            hint:
              params.size > 0
                ? 'Tente ajustar seus filtros.'
                : 'Nenhum documento publicado espera ser aberto por um cliente.',
            ...(params.size > 0 && {
              action: (
                <Button variant="secondary" onClick={clear}>
                  Limpar filtros
                </Button>
              ),
            }),
          }}
        />
      </div>
      {isEditingRules && <ReminderRulesDialog onClose={() => setIsEditingRules(false)} />}
      {rights.mayWrite && selected.size > 0 && (
        <ChaseBar selected={[...selected]} onClear={() => select([])} />
      )}
    </>
  );
}
