import { useQuery } from '@tanstack/react-query';

import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import type { QueueFilter } from '~/features/tickets/api/admin-tickets';
import { cn } from '~/ui/cn';
import { SearchInput } from '~/ui/search-input';
import { optionsOf } from '~/ui/select';
import { type Option, Select } from '~/ui/select';

import { categoryOptions, names, priorityOptions, progressLabels } from './ticket-filters';

type QueueFiltersProps = { shown: QueueFilter; onChange: (name: string, value: string) => void };

export function QueueFilters({ shown, onChange }: QueueFiltersProps) {
  const { id: me } = useUser();
  const staff = useQuery(staffQuery());
  const others = (staff.data ?? []).filter(({ id }) => id !== me);
  const assignees: Option[] = [
    { value: me, label: 'Meus tickets' },
    { value: 'nobody', label: 'Sem responsável' },
    ...others.map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <div className="mb-6 flex flex-col gap-3">
      <div className="flex flex-col gap-3 md:flex-row">
        <SearchInput
          value={shown.search}
          onChange={(search) => onChange(names.search, search)}
          placeholder="Buscar por assunto, mensagem, cliente ou ID..."
          maxLength={100}
          className="flex-1"
        />
        <button
          type="button"
          aria-pressed={shown.overdue}
          onClick={() => onChange(names.overdue, shown.overdue ? '' : '1')}
          className={cn(
            'target rounded border px-4 text-[15px] font-medium transition-colors',
            shown.overdue
              ? 'border-danger bg-danger-tint text-danger'
              : 'border-hairline bg-surface text-muted hover:bg-sunken hover:text-ink',
          )}
        >
          Atrasados
        </button>
      </div>
      <div role="group" aria-label="Filtros" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Select
          aria-label="Status"
          value={shown.progress}
          options={optionsOf(progressLabels)}
          onChange={({ target }) => onChange(names.progress, target.value)}
        />
        <Select
          aria-label="Responsável"
          value={shown.assignee ?? ''}
          placeholder="Responsável"
          options={assignees}
          onChange={({ target }) => onChange(names.assignee, target.value)}
        />
        <Select
          aria-label="Prioridade"
          value={shown.priority ?? ''}
          placeholder="Prioridade"
          options={priorityOptions}
          onChange={({ target }) => onChange(names.priority, target.value)}
        />
        <Select
          aria-label="Categoria"
          value={shown.category ?? ''}
          placeholder="Categoria"
          options={categoryOptions}
          onChange={({ target }) => onChange(names.category, target.value)}
        />
      </div>
    </div>
  );
}
