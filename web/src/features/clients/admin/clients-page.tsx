// Client list of the administrators.
import { useInfiniteQuery } from '@tanstack/react-query';
import { FileUp, Plus, Users } from 'lucide-react';
import { useState } from 'react';

import { ButtonLink } from '~/components/button-link';
import { PageHeader } from '~/components/page-header';
import { QueryTable } from '~/components/query-table';
import {
  type ClientSort,
  clientsQuery,
  type ClientListItem,
  NEWEST_FIRST,
} from '~/features/clients/api/clients';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { useDialogState } from '~/hooks/use-dialog-state';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { SearchInput } from '~/ui/search-input';
import { Select } from '~/ui/select';

import { clientsColumns } from './clients-columns';
import { DeleteClientDialog } from './delete-client-dialog';
import { ExportClientsButton } from './export-clients-button';

type SortName = 'newest' | 'oldest' | 'name' | 'name-down' | 'email';

const sorts: Record<SortName, { label: string; sort: ClientSort }> = {
  newest: { label: 'Mais recentes', sort: NEWEST_FIRST },
  oldest: { label: 'Mais antigos', sort: { by: 'created_at', ascending: true } },
  name: { label: 'Nome, de A a Z', sort: { by: 'search_name', ascending: true } },
  'name-down': { label: 'Nome, de Z a A', sort: { by: 'search_name', ascending: false } },
  email: { label: 'Email, de A a Z', sort: { by: 'email', ascending: true } },
};

const SORT_OPTIONS = Object.entries(sorts).map(([value, { label }]) => ({ value, label }));

const isSortName = (value: string): value is SortName => value in sorts;

export function loader() {
  void queryClient.prefetchInfiniteQuery(clientsQuery('', NEWEST_FIRST));
  return null;
}

export { ClientsPage as Component };

function ClientsPage() {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<SortName>('newest');
  const clients = useInfiniteQuery(clientsQuery(useDebouncedValue(search), sorts[sort].sort));
  const deletion = useDialogState<ClientListItem>();
  const searched = search.trim() !== '';
  return (
    <>
      <PageHeader
        title="Gerenciar Clientes"
        action={<NewClientLink />}
        secondary={
          <div className="flex gap-2 max-sm:*:flex-1">
            <ButtonLink
              to={paths.adminClientImport()}
              variant="secondary"
              icon={<FileUp size={20} aria-hidden />}
            >
              Importar
            </ButtonLink>
            <ExportClientsButton search={search} />
          </div>
        }
      />
      <div className="mb-6 flex flex-col gap-3 sm:flex-row">
        <SearchInput
          value={search}
          onChange={setSearch}
          placeholder="Buscar por nome ou email..."
          maxLength={100}
          className="flex-1 sm:max-w-md"
        />
        <div className="sm:ml-auto sm:w-52">
          <Select
            aria-label="Ordenar por"
            options={SORT_OPTIONS}
            value={sort}
            onChange={({ target }) => isSortName(target.value) && setSort(target.value)}
          />
        </div>
      </div>
      <QueryTable
        query={clients}
        rows={clients.data?.pages.flat()}
        caption="Clientes"
        columns={clientsColumns(deletion.show)}
        rowKey={({ id }) => id}
        empty={{
          icon: <Users size={26} />,
          title: 'Nenhum cliente encontrado',
          hint: searched ? 'Tente ajustar sua busca.' : 'Cadastre o primeiro cliente.',
          ...(!searched && { action: <NewClientLink /> }),
        }}
      />
      <DeleteClientDialog client={deletion.item} open={deletion.open} onClose={deletion.close} />
    </>
  );
}

function NewClientLink() {
  return (
    <ButtonLink to={paths.adminClientNew()} icon={<Plus size={20} aria-hidden />}>
      Novo Cliente
    </ButtonLink>
  );
}
