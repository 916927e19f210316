import { useInfiniteQuery } from '@tanstack/react-query';
import { Pencil, Plus, Trash2, Users } from 'lucide-react';
import { useState } from 'react';

import { clientsQuery, type ListedClient } from '~/data/clients';
import { formatDate } from '~/lib/dates';
import { queryClient } from '~/lib/query';
import { useDebounced } from '~/lib/use-debounced';
import { paths } from '~/paths';
import { Button, ButtonLink } from '~/ui/button';
import { Card } from '~/ui/card';
import { SearchInput } from '~/ui/input';
import { LoadMore } from '~/ui/load-more';
import { PageHeader } from '~/ui/page-header';
import { SkeletonList } from '~/ui/skeleton';
import { EmptyState, ErrorState } from '~/ui/states';
import { type Column, DataTable } from '~/ui/table';

import { DeleteClientDialog } from './delete-client';
import { useAsking } from './use-asking';

export function loader() {
  void queryClient.prefetchInfiniteQuery(clientsQuery(''));
  return null;
}

export function Component() {
  const [search, setSearch] = useState('');
  const clients = useInfiniteQuery(clientsQuery(useDebounced(search)));
  const deletion = useAsking<ListedClient>();
  const rows = clients.data?.pages.flat();
  const searched = search.trim() !== '';
  return (
    <>
      <PageHeader title="Gerenciar Clientes" action={<NewClientLink />} />
      <SearchInput
        value={search}
        onChange={setSearch}
        placeholder="Buscar por nome ou email..."
        maxLength={100}
        className="mb-6 max-w-md"
      />
      {clients.isPending && <SkeletonList rows={6} rowClassName="h-16" />}
      {clients.isError && (
        <Card>
          <ErrorState onRetry={() => void clients.refetch()} />
        </Card>
      )}
      {rows?.length === 0 && (
        <Card>
          <EmptyState
            icon={<Users size={26} />}
            title="Nenhum cliente encontrado"
            hint={searched ? 'Tente ajustar sua busca.' : 'Cadastre o primeiro cliente.'}
            {...(!searched && { action: <NewClientLink /> })}
          />
        </Card>
      )}
      {rows && rows.length > 0 && (
        <Card aria-busy={clients.isPlaceholderData}>
          <DataTable
            caption="Clientes"
            columns={columns(deletion.ask)}
            rows={rows}
            rowKey={(client) => client.id}
          />
        </Card>
      )}
      <LoadMore
        hasMore={clients.hasNextPage}
        loading={clients.isFetchingNextPage}
        onMore={clients.fetchNextPage}
      />
      <DeleteClientDialog client={deletion.subject} open={deletion.open} onClose={deletion.close} />
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

function columns(askToDelete: (client: ListedClient) => void): Column<ListedClient>[] {
  return [
    { header: 'Nome', primary: true, cell: ({ fullName }) => fullName ?? 'N/A' },
    {
      header: 'Email',
      className: '@4xl:max-w-96',
      cell: ({ email }) => (
        <span className="min-w-0 @4xl:block @4xl:truncate" title={email}>
          {email}
        </span>
      ),
    },
    {
      header: 'Cadastro',
      className: 'tabular',
      cell: ({ created_at }) => <time dateTime={created_at}>{formatDate(created_at)}</time>,
    },
    {
      header: 'Ações',
      actions: true,
      cell: (client) => (
        <span className="-mr-4 inline-flex">
          <ButtonLink
            to={paths.adminClientEdit(client.id)}
            variant="quiet"
            icon={<Pencil size={18} aria-hidden />}
            aria-label={`Editar ${client.fullName ?? client.email}`}
          >
            Editar
          </ButtonLink>
          <Button
            variant="quiet-danger"
            icon={<Trash2 size={18} aria-hidden />}
            aria-label={`Excluir ${client.fullName ?? client.email}`}
            onClick={() => askToDelete(client)}
          >
            Excluir
          </Button>
        </span>
      ),
    },
  ];
}
