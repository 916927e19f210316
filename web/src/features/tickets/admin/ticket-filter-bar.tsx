// Filter bar of the ticket queue.
import { useQuery } from '@tanstack/react-query';

import { useUser } from '~/features/auth/session';
import { staffQuery } from '~/features/staff/api';
import { departmentOptions } from '~/features/staff/departments';
import { queueCountsQuery, type QueueFilters, type StatusFilter } from '~/features/tickets/api/ticket-queue';
import { formatInteger } from '~/lib/format';
import { ClearFilters, FilterBar, SelectChip, ToggleChip } from '~/ui/filter-chip';
import type { Option } from '~/ui/select';

import { categoryOptions, PARAM_NAMES, priorityOptions, statusFilterLabels } from './ticket-filters';

type TicketFilterBarProps = {
  filters: QueueFilters;
  onChange: (name: string, value: string) => void;
  /** Undefined without a filter. */
  onClear: (() => void) | undefined;
};

const otherStatuses: StatusFilter[] = ['open', 'in-progress', 'closed', 'all'];

export function TicketFilterBar({ filters, onChange, onClear }: TicketFilterBarProps) {
  const { id: me } = useUser();
  const { data: staff = [] } = useQuery(staffQuery());
  const { data: counts } = useQuery(queueCountsQuery(filters));
  const assignees: Option[] = [
    { value: me, label: 'Meus tickets' },
    { value: 'nobody', label: 'Sem responsável' },
    ...departmentOptions(staff),
    ...staff.filter(({ id }) => id !== me).map(({ id, name }) => ({ value: id, label: name })),
  ];
  const statusLabel = (status: StatusFilter) =>
    `${statusFilterLabels[status]}${counts ? ` (${formatInteger(counts[status])})` : ''}`;
  return (
    <FilterBar>
      <SelectChip
        label="Status"
        all={statusLabel('unsettled')}
        namesAll
        options={otherStatuses.map((status) => ({ value: status, label: statusLabel(status) }))}
        value={filters.status}
        onChange={(value) => onChange(PARAM_NAMES.status, value)}
      />
      <ToggleChip
        pressed={filters.unanswered}
        count={counts?.unanswered}
        onChange={(pressed) => onChange(PARAM_NAMES.unanswered, pressed ? '1' : '')}
      >
        Sem resposta
      </ToggleChip>
      <ToggleChip
        danger
        pressed={filters.overdue}
        count={counts?.overdue}
        onChange={(pressed) => onChange(PARAM_NAMES.overdue, pressed ? '1' : '')}
      >
        Atrasados
      </ToggleChip>
      <SelectChip
        label="Responsável"
        all="Toda a equipe"
        options={assignees}
        value={filters.assignee ?? ''}
        onChange={(value) => onChange(PARAM_NAMES.assignee, value)}
      />
      <SelectChip
        label="Prioridade"
        all="Todas"
        options={priorityOptions}
        value={filters.priority ?? ''}
        onChange={(value) => onChange(PARAM_NAMES.priority, value)}
      />
      <SelectChip
        label="Categoria"
        all="Todas"
        options={categoryOptions}
        value={filters.category ?? ''}
        onChange={(value) => onChange(PARAM_NAMES.category, value)}
      />
      {onClear && <ClearFilters onClick={onClear} />}
    </FilterBar>
  );
}
