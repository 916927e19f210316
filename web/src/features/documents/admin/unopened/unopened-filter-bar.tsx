// Filters of the documents that wait to be opened.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';

import { clientQuery } from '~/features/clients/api/clients';
import { useClientSearch } from '~/features/clients/components/use-client-search';
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
import { Combobox } from '~/ui/combobox';
import { labelId } from '~/ui/field';
import { ClearFilters, FilterBar, SelectChip, ToggleChip } from '~/ui/filter-chip';

import { NOBODY } from './unopened-filters';

type UnopenedFilterBarProps = {
  filters: UnopenedFilters;
  onChange: <Name extends keyof UnopenedFilters>(name: Name, value: UnopenedFilters[Name]) => void;
  /** Undefined without a filter. */
  onClear: (() => void) | undefined;
};

export function UnopenedFilterBar({ filters, onChange, onClear }: UnopenedFilterBarProps) {
  const { data: counts } = useQuery(unopenedCountsQuery(filters));
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const { data: categories = [] } = useQuery(unopenedCategoriesQuery());
  const { data: staff = [] } = useQuery(staffQuery());
  const total = counts && dueRanges.reduce((sum, due) => sum + counts[due], 0);
  // A category without documents stays selectable while the address names it.
  const named = [...new Set([...categories, filters.category].filter((category) => category !== ''))];
  return (
    <FilterBar isDense>
      <div role="group" aria-label="Vencimento" className="contents">
        <ToggleChip pressed={filters.due === null} count={total} onChange={() => onChange('due', null)}>
          Todos
        </ToggleChip>
        {dueRanges.map((due) => (
          <ToggleChip
            key={due}
            danger={due === 'overdue'}
            pressed={filters.due === due}
            count={counts?.[due]}
            onChange={(pressed) => onChange('due', pressed ? due : null)}
          >
            {dueLabels[due]}
          </ToggleChip>
        ))}
      </div>
      <SelectChip
        label="Pasta"
        all="Todas"
        options={folders.map(({ id, name }) => ({ value: id, label: name }))}
        value={filters.folder}
        onChange={(folder) => onChange('folder', folder)}
      />
      <SelectChip
        label="Categoria"
        all="Todas"
        options={named.map((category) => ({ value: category, label: CATEGORY_NAMES[category] ?? category }))}
        value={filters.category}
        onChange={(category) => onChange('category', category)}
      />
      <SelectChip
        label="Responsável"
        all="Toda a equipe"
        options={[
          { value: NOBODY, label: 'Ninguém' },
          ...departmentOptions(staff),
          ...staff.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        value={filters.responsible}
        onChange={(responsible) => onChange('responsible', responsible)}
      />
      {onClear && <ClearFilters onClick={onClear} />}
    </FilterBar>
  );
}

type ClientFilterProps = { client: string; onChange: (id: string) => void };

/** Picker of a client. The name of the client in the address is read from the server. */
export function ClientFilter({ client, onChange }: ClientFilterProps) {
  const id = useId();
  const { clients: found, isSearching, isAnswered, setSearch } = useClientSearch();
  const chosen = useQuery({ ...clientQuery(client), enabled: client !== '' });
  const options = found.map(({ id: value, email, fullName }) =>
    fullName === null ? { value, label: email } : { value, label: fullName, hint: email },
  );
  const name = chosen.data ? (chosen.data.fullName ?? chosen.data.email) : 'Carregando…';
  const known = options.find(({ value }) => value === client);
  return (
    <>
      <label id={labelId(id)} htmlFor={id} className="sr-only">
        Cliente
      </label>
      <Combobox
        id={id}
        aria-describedby={undefined}
        aria-invalid={undefined}
        aria-required={undefined}
        options={options}
        selected={client === '' ? null : (known ?? { value: client, label: name })}
        onSelect={(option) => onChange(option?.value ?? '')}
        keepsSelection
        onSearch={setSearch}
        isAnswered={isAnswered}
        placeholder="Todos os clientes"
        empty={isSearching ? 'Buscando…' : 'Nenhum cliente encontrado'}
      />
    </>
  );
}
