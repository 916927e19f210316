// Filter bar of the document list.
import { useQuery } from '@tanstack/react-query';

import type { DocumentFilters } from '~/features/documents/api/admin-documents';
import { allFoldersQuery } from '~/features/folders/admin-api';
import { ClearFilters, FilterBar, SelectChip } from '~/ui/filter-chip';

import {
  dueOptions,
  kindOptions,
  approvalOptions,
  openingOptions,
  PARAM_NAMES,
  paymentOptions,
  statusOptions,
} from './document-filters';

type DocumentFilterBarProps = {
  /** The URL parameters, which hold the values of the chips. */
  params: URLSearchParams;
  onChange: (name: string, value: string) => void;
  /** Undefined without a filter. */
  onClear: (() => void) | undefined;
};

const chips: { name: keyof DocumentFilters; label: string; all: string; options: typeof openingOptions }[] = [
  { name: 'opening', label: 'Abertura', all: 'Todos', options: openingOptions },
  { name: 'due', label: 'Vencimento', all: 'Todos', options: dueOptions },
  { name: 'payment', label: 'Pagamento', all: 'Todos', options: paymentOptions },
  { name: 'approval', label: 'Resposta', all: 'Todas', options: approvalOptions },
  { name: 'kind', label: 'Tipo', all: 'Todos', options: kindOptions },
  { name: 'status', label: 'Situação', all: 'Todas', options: statusOptions },
];

export function DocumentFilterBar({ params, onChange, onClear }: DocumentFilterBarProps) {
  const { data: folders = [] } = useQuery(allFoldersQuery());
  const folderChip = {
    name: 'folder',
    label: 'Pasta',
    all: 'Todas',
    options: folders.map(({ id, name }) => ({ value: id, label: name })),
  } as const;
  return (
    <FilterBar>
      {[...chips.slice(0, 2), folderChip, ...chips.slice(2)].map(({ name, ...chip }) => (
        <SelectChip
          key={name}
          {...chip}
          value={params.get(PARAM_NAMES[name]) ?? ''}
          onChange={(value) => onChange(PARAM_NAMES[name], value)}
        />
      ))}
      {onClear && <ClearFilters onClick={onClear} />}
    </FilterBar>
  );
}
