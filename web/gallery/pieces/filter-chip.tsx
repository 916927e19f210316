import { useState } from 'react';

import { ClearFilters, FilterBar, SelectChip, ToggleChip } from '~/ui/filter-chip';

import { Example } from '../example';

const STATUS = [
  { value: 'open', label: 'Abertos' },
  { value: 'closed', label: 'Fechados' },
];

export function Examples() {
  const [status, setStatus] = useState('');
  const [isUnanswered, setIsUnanswered] = useState(false);
  const [isOverdue, setIsOverdue] = useState(true);
  const clear = () => {
    setStatus('');
    setIsUnanswered(false);
    setIsOverdue(false);
  };
  const chips = (
    <>
      <SelectChip label="Situação" options={STATUS} value={status} onChange={setStatus} />
      <ToggleChip pressed={isUnanswered} count={1234} onChange={setIsUnanswered}>
        Sem resposta
      </ToggleChip>
      <ToggleChip danger pressed={isOverdue} onChange={setIsOverdue}>
        Atrasados
      </ToggleChip>
      <ClearFilters onClick={clear} />
    </>
  );
  return (
    <>
      <Example title="Select, toggle with a number, danger, clear">
        <FilterBar>{chips}</FilterBar>
      </Example>
      <Example title="Dense, for many filters">
        <FilterBar isDense>{chips}</FilterBar>
      </Example>
    </>
  );
}
