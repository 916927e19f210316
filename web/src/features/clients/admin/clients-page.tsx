// Client list of the back office.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { FileUp, Pencil, Plus, Trash2, Users } from 'lucide-react';
import { Link, type LoaderFunctionArgs, useNavigate } from 'react-router';

import { ButtonLink } from '~/components/button-link';
import { formatSort, parseSort, SORT_PARAM } from '~/components/list-table/list-column';
import { ListTable } from '~/components/list-table/list-table';
import { PageHeader } from '~/components/page-header';
import { TextLink } from '~/components/text-link';
import { type Rights, useRights } from '~/features/auth/rights';
import { useUser } from '~/features/auth/session';
import {
  type ClientListItem,
  clientsQuery,
  fetchClients,
  NEWEST_FIRST,
  NO_TEAM,
} from '~/features/clients/api/clients';
import { staffQuery } from '~/features/staff/api';
import { departmentOptions } from '~/features/staff/departments';
import { useDialogState } from '~/hooks/use-dialog-state';
import { useUrlParams } from '~/hooks/use-url-params';
import { useUrlSearch } from '~/hooks/use-url-search';
import { queryClient } from '~/lib/api/query-client';
import { paths } from '~/paths';
import { ClearFilters, FilterBar, SelectChip, ToggleChip } from '~/ui/filter-chip';
import { MenuItem, MenuLinkItem } from '~/ui/menu';
import { SearchInput } from '~/ui/search-input';

import { PARAM_NAMES, parseClientFilters } from './client-filters';
import { clientsColumns } from './clients-columns';
import { DeleteClientDialog } from './delete-client-dialog';

export function loader({ request }: LoaderFunctionArgs) {
  const params = new URL(request.url).searchParams;
  const sort = parseSort(params, clientsColumns, NEWEST_FIRST);
  void queryClient.prefetchInfiniteQuery(clientsQuery(parseClientFilters(params), sort));
  return null;
}

export { ClientsPage as Component };

const TOGGLES = [
  ['neverSignedIn', 'Ainda não entrou'],
  ['withUnopened', 'Com documentos não abertos'],
  ['withTickets', 'Com tickets abertos'],
  ['mine', 'Que eu atendo'],
] as const;

function ClientsPage() {
  const { id: owner } = useUser();
  const rights = useRights();
  const url = useUrlParams();
  const [params, setParam, clearParams] = url;
  const { typed, search, setTyped } = useUrlSearch(PARAM_NAMES.search, url);
  const filters = { ...parseClientFilters(params), search };
  const sort = parseSort(params, clientsColumns, NEWEST_FIRST);
  const clients = useInfiniteQuery(clientsQuery(filters, sort));
  const { data: staff = [] } = useQuery(staffQuery());
  const deletion = useDialogState<ClientListItem>();
  const navigate = useNavigate();
  const isFiltered = typed.trim() !== '' || filters.team !== '' || TOGGLES.some(([name]) => filters[name]);
  const clear = () => {
    setTyped('');
    clearParams();
  };
  return (
    <>
      <PageHeader
        title="Gerenciar Clientes"
        compact
        action={rights.isAdministrator && <NewClientLink />}
        secondary={
          rights.isAdministrator && (
            <ButtonLink
              to={paths.adminClientImport()}
              variant="secondary"
              icon={<FileUp size={20} aria-hidden />}
            >
              Importar
            </ButtonLink>
          )
        }
      />
      <ListTable
        name="clientes"
        owner={owner}
        caption="Clientes"
        query={clients}
        readPage={(page) => fetchClients({ ...filters, search: typed.trim() }, sort, page)}
        columns={clientsColumns}
        rowKey={rowKey}
        rowLabel={rowLabel}
        sort={sort}
        onSort={(next) => setParam(SORT_PARAM, formatSort(next, clientsColumns, NEWEST_FIRST))}
        search={
          <SearchInput
            value={typed}
            onChange={setTyped}
            placeholder="Buscar por nome ou email..."
            maxLength={100}
          />
        }
        filters={
          <FilterBar>
            {TOGGLES.map(([name, label]) => (
              <ToggleChip
                key={name}
                pressed={filters[name]}
                onChange={(pressed) => setParam(PARAM_NAMES[name], pressed ? '1' : '')}
              >
                {label}
              </ToggleChip>
            ))}
            <SelectChip
              label="Equipe"
              all="Toda a equipe"
              options={[
                { value: NO_TEAM, label: 'Ninguém' },
                ...departmentOptions(staff),
                ...staff.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={filters.team}
              onChange={(value) => setParam(PARAM_NAMES.team, value)}
            />
            {isFiltered && <ClearFilters onClick={clear} />}
          </FilterBar>
        }
        {...(rights.isAdministrator && {
          renderAction: editLink,
          rowKeys: { e: ({ id }: ClientListItem) => void navigate(paths.adminClientEdit(id)) },
          renderMenu: (client: ClientListItem) => (
            <>
              <MenuLinkItem
                icon={<Pencil size={18} aria-hidden />}
                render={<Link to={paths.adminClientEdit(client.id)} />}
              >
                Editar
              </MenuLinkItem>
              <MenuItem danger icon={<Trash2 size={18} aria-hidden />} onClick={() => deletion.show(client)}>
                Excluir
              </MenuItem>
            </>
          ),
        })}
        empty={{
          icon: <Users size={26} />,
          title: 'Nenhum cliente encontrado',
          hint: isFiltered ? 'Tente ajustar sua busca.' : emptyHint(rights),
          ...(!isFiltered && rights.isAdministrator && { action: <NewClientLink /> }),
        }}
      />
      <DeleteClientDialog client={deletion.item} open={deletion.open} onClose={deletion.close} />
    </>
  );
}

const emptyHint = ({ isAdministrator }: Rights) =>
  isAdministrator ? 'Cadastre o primeiro cliente.' : 'Os clientes que você atende aparecem aqui.';
const rowKey = ({ id }: ClientListItem) => id;
const rowLabel = ({ fullName, email }: ClientListItem) => fullName ?? email;

const editLink = (client: ClientListItem) => (
  <TextLink
    to={paths.adminClientEdit(client.id)}
    aria-label={`Editar ${rowLabel(client)}`}
    className="inline-flex h-8 items-center rounded px-3 text-sm font-medium"
  >
    Editar
  </TextLink>
);

function NewClientLink() {
  return (
    <ButtonLink to={paths.adminClientNew()} icon={<Plus size={20} aria-hidden />}>
      Novo Cliente
    </ButtonLink>
  );
}
