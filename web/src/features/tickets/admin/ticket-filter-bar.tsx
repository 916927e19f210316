// Filter bar of the ticket queue.
import { useQuery } from '@tanstack/react-query';

import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import type { AdminTicketFilters } from '~/features/tickets/api/admin-tickets';
import { cn } from '~/ui/cn';
import { SearchInput } from '~/ui/search-input';
import { toOptions } from '~/ui/select';
import { type Option, Select } from '~/ui/select';

import { categoryOptions, PARAM_NAMES, priorityOptions, statusFilterLabels } from './ticket-filters';

type TicketFilterBarProps = { shown: AdminTicketFilters; onChange: (name: string, value: string) => void };

export function TicketFilterBar({ shown, onChange }: TicketFilterBarProps) {
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
          onChange={(search) => onChange(PARAM_NAMES.search, search)}
          placeholder="Buscar por assunto, mensagem, cliente ou ID..."
          maxLength={100}
          className="flex-1"
        />
        <button
          type="button"
          aria-pressed={shown.overdue}
          onClick={() => onChange(PARAM_NAMES.overdue, shown.overdue ? '' : '1')}
          className={cn(
            'touch-target rounded border px-4 text-body font-medium transition-colors',
            shown.overdue
              ? 'border-danger bg-danger-subtle text-danger'
              : 'border-border bg-card text-muted-foreground hover:bg-muted hover:text-foreground',
          )}
        >
          Atrasados
        </button>
      </div>
      <div role="group" aria-label="Filtros" className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Select
          aria-label="Status"
          value={shown.status}
          options={toOptions(statusFilterLabels)}
          onChange={({ target }) => onChange(PARAM_NAMES.status, target.value)}
        />
        <Select
          aria-label="Responsável"
          value={shown.assignee ?? ''}
          placeholder="Responsável"
          options={assignees}
          onChange={({ target }) => onChange(PARAM_NAMES.assignee, target.value)}
        />
        <Select
          aria-label="Prioridade"
          value={shown.priority ?? ''}
          placeholder="Prioridade"
          options={priorityOptions}
          onChange={({ target }) => onChange(PARAM_NAMES.priority, target.value)}
        />
        <Select
          aria-label="Categoria"
          value={shown.category ?? ''}
          placeholder="Categoria"
          options={categoryOptions}
          onChange={({ target }) => onChange(PARAM_NAMES.category, target.value)}
        />
      </div>
    </div>
  );
}
