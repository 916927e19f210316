// Filters of the documents that wait to be opened.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { clientQuery, searchClientsQuery } from '~/features/clients/api/clients';
import {
  unopenedCategoriesQuery,
  unopenedCountsQuery,
  type UnopenedFilters,
} from '~/features/documents/api/unopened';
import { CATEGORY_NAMES } from '~/features/documents/category-names';
import { dueLabels, dueRanges } from '~/features/documents/due-ranges';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { staffQuery } from '~/features/staff/api';
import { departmentOptions } from '~/features/staff/departments';
import { useDebouncedValue } from '~/hooks/use-debounced-value';
import { formatInteger } from '~/lib/format';
import { Combobox } from '~/ui/combobox';
import { type ControlProps, Field } from '~/ui/field';
import { Select } from '~/ui/select';
import { ToggleGroup } from '~/ui/toggle-group';

import { NOBODY } from './unopened-filters';

type UnopenedFilterBarProps = {
  filters: UnopenedFilters;
  onChange: <Name extends keyof UnopenedFilters>(name: Name, value: UnopenedFilters[Name]) => void;
};

export function UnopenedFilterBar({ filters, onChange }: UnopenedFilterBarProps) {
  const { data: counts } = useQuery(unopenedCountsQuery(filters));
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const { data: categories = [] } = useQuery(unopenedCategoriesQuery());
  const { data: staff = [] } = useQuery(staffQuery());
  const total = counts && dueRanges.reduce((sum, due) => sum + counts[due], 0);
  // A category without documents stays selectable while the address names it.
  const named = [...new Set([...categories, filters.category].filter((category) => category !== ''))];
  return (
    <>
      <ToggleGroup
        label="Vencimento"
        value={filters.due}
        options={[
          { value: null, label: <Counted label="Todos" count={total} /> },
          ...dueRanges.map((due) => ({
            value: due,
            label: <Counted label={dueLabels[due]} count={counts?.[due]} />,
          })),
        ]}
        onChange={(due) => onChange('due', due)}
        className="mb-4"
      />
      <div className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Field label="Cliente">
          {(control) => (
            <ClientFilter
              {...control}
              client={filters.client}
              onChange={(client) => onChange('client', client)}
            />
          )}
        </Field>
        <Field label="Pasta">
          {(control) => (
            <Select
              {...control}
              placeholder="Todas"
              options={folders.map(({ id, name }) => ({ value: id, label: name }))}
              value={filters.folder}
              onChange={({ target }) => onChange('folder', target.value)}
            />
          )}
        </Field>
        <Field label="Categoria">
          {(control) => (
            <Select
              {...control}
              placeholder="Todas"
              options={named.map((category) => ({
                value: category,
                label: CATEGORY_NAMES[category] ?? category,
              }))}
              value={filters.category}
              onChange={({ target }) => onChange('category', target.value)}
            />
          )}
        </Field>
        <Field label="Responsável">
          {(control) => (
            <Select
              {...control}
              placeholder="Toda a equipe"
              options={[
                { value: NOBODY, label: 'Ninguém' },
                ...departmentOptions(staff),
                ...staff.map(({ id, name }) => ({ value: id, label: name })),
              ]}
              value={filters.responsible}
              onChange={({ target }) => onChange('responsible', target.value)}
            />
          )}
        </Field>
      </div>
    </>
  );
}

function Counted({ label, count }: { label: string; count: number | undefined }) {
  return (
    <>
      {label}
      {count !== undefined && <span className="ml-2 tabular-nums">{formatInteger(count)}</span>}
    </>
  );
}

type ClientFilterProps = ControlProps & { client: string; onChange: (id: string) => void };

/** Picker of a client. The name of the client in the address is read from the server. */
function ClientFilter({ client, onChange, ...control }: ClientFilterProps) {
  const [search, setSearch] = useState('');
  const debounced = useDebouncedValue(search);
  const found = useQuery(searchClientsQuery(debounced));
  const chosen = useQuery({ ...clientQuery(client), enabled: client !== '' });
  const options = (found.data ?? []).map(({ id, email, fullName }) =>
    fullName === null ? { value: id, label: email } : { value: id, label: fullName, hint: email },
  );
  const name = chosen.data ? (chosen.data.fullName ?? chosen.data.email) : 'Carregando…';
  const known = options.find(({ value }) => value === client);
  return (
    <Combobox
      {...control}
      options={options}
      selected={client === '' ? null : (known ?? { value: client, label: name })}
      onSelect={(option) => onChange(option?.value ?? '')}
      onSearch={setSearch}
      placeholder="Todos"
      empty={debounced !== search || found.isFetching ? 'Buscando…' : 'Nenhum cliente encontrado'}
    />
  );
}
