// Documents that wait to be opened by their clients.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { BellRing, MailOpen, MessageCircle, User } from 'lucide-react';
import { useState } from 'react';
import { Link, type LoaderFunctionArgs } from 'react-router';

import { formatSort, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { PageHeader } from '~/components/page-header';
import { useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import {
  DUE_FIRST,
  fetchUnopened,
  unopenedCategoriesQuery,
  unopenedCountsQuery,
  type UnopenedDocument,
  unopenedQuery,
} from '~/features/documents/api/unopened';
import { dueRanges } from '~/features/documents/due-ranges';
import { HelpLink } from '~/features/help/components/help-link';
import { useUrlParams } from '~/hooks/use-url-params';
import { queryClient } from '~/lib/api/query-client';
import { formatInteger } from '~/lib/format';
import { paths } from '~/paths';
import { Button } from '~/ui/button';
import { MenuItem, MenuLinkItem } from '~/ui/menu';

import { openTab, useWhatsApp } from '../use-whatsapp';
import { WhatsAppButton } from '../whatsapp-button';
import { ReminderRulesDialog } from './reminder-rules-dialog';
import { UnopenedBulkActions } from './unopened-bulk-actions';
import { unopenedColumns } from './unopened-columns';
import { ClientFilter, UnopenedFilterBar } from './unopened-filter-bar';
import { parseUnopenedFilters, toUrlParam } from './unopened-filters';

export function loader({ request }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams;
  const filters = parseUnopenedFilters(params);
  void queryClient.prefetchInfiniteQuery(
    unopenedQuery(filters, parseSort(params, unopenedColumns, DUE_FIRST)),
  );
  void queryClient.prefetchQuery(unopenedCountsQuery(filters));
  void queryClient.prefetchQuery(unopenedCategoriesQuery());
  return null;
}

export { UnopenedPage as Component };

function UnopenedPage() {
  const { id: owner } = useUser();
  const rights = useRights();
  const [params, setParam, clear] = useUrlParams();
  const filters = parseUnopenedFilters(params);
  const sort = parseSort(params, unopenedColumns, DUE_FIRST);
  const documents = useInfiniteQuery(unopenedQuery(filters, sort));
  const { data: counts } = useQuery(unopenedCountsQuery(filters));
  const whatsApp = useWhatsApp();
  const [isEditingRules, setIsEditingRules] = useState(false);
  const isFiltered = Object.values(filters).some((value) => value !== null && value !== '');
  const count =
    counts &&
    (filters.due === null ? dueRanges.reduce((sum, due) => sum + counts[due], 0) : counts[filters.due]);
  const change: Parameters<typeof UnopenedFilterBar>[0]['onChange'] = (name, value) =>
    setParam(...toUrlParam(name, value));
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
          rights.isAdministrator && (
            <Button
              variant="secondary"
              icon={<BellRing size={20} aria-hidden />}
              onClick={() => setIsEditingRules(true)}
            >
              Lembretes automáticos
            </Button>
          )
        }
      />
      <ListTable
        name="nao-abertos"
        owner={owner}
        caption="Documentos não abertos"
        query={documents}
        readPage={(page) => fetchUnopened(filters, sort, page)}
        columns={unopenedColumns}
        rowKey={rowKey}
        rowLabel={rowLabel}
        sort={sort}
        onSort={(next) => setParam(SORT_PARAM, formatSort(next, unopenedColumns, DUE_FIRST))}
        search={<ClientFilter client={filters.client} onChange={(client) => change('client', client)} />}
        filters={
          <UnopenedFilterBar filters={filters} onChange={change} onClear={isFiltered ? clear : undefined} />
        }
        renderMenu={(document) => (
          <>
            {rights.mayWrite && (
              <MenuItem
                icon={<MessageCircle size={18} aria-hidden />}
                onClick={() => whatsApp.mutate({ document, tab: openTab(), isUnopened: true })}
              >
                WhatsApp
              </MenuItem>
            )}
            {document.client && (
              <MenuLinkItem
                icon={<User size={18} aria-hidden />}
                render={<Link to={paths.adminClient(document.client.id)} />}
              >
                Ver cliente
              </MenuLinkItem>
            )}
          </>
        )}
        {...(rights.mayWrite && {
          selectAllLabel: count === undefined || count === 0 ? undefined : selectLabel(count),
          renderAction: whatsAppButton,
        })}
        renderBulkActions={(selection) => rights.mayWrite && <UnopenedBulkActions {...selection} />}
        empty={{
          icon: <MailOpen size={26} />,
          title: isFiltered ? 'Nenhum documento encontrado' : 'Tudo foi aberto',
          hint: isFiltered
            ? 'Tente ajustar seus filtros.'
            : 'Nenhum documento publicado espera ser aberto por um cliente.',
        }}
      />
      {isEditingRules && <ReminderRulesDialog onClose={() => setIsEditingRules(false)} />}
    </>
  );
}

const rowKey = ({ id }: UnopenedDocument) => id;
const rowLabel = ({ name, client }: UnopenedDocument) =>
  `${name} de ${client?.fullName ?? client?.email ?? 'N/A'}`;
const selectLabel = (count: number) =>
  count === 1 ? 'Selecionar o documento' : `Selecionar os ${formatInteger(count)} documentos`;

const whatsAppButton = (document: UnopenedDocument) => (
  <WhatsAppButton document={document} inRow className="px-1! text-sm!" />
);
