// Filter bar of the activity table.
import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useId, useState } from 'react';

import { activityFilterGroups } from '~/features/activity/activity-labels';
import { activityPersonQuery } from '~/features/activity/api';
import { useClientSearch } from '~/features/clients/components/use-client-search';
import { searchStaffQuery } from '~/features/staff/api';
import { Button } from '~/ui/button';
import { cn } from '~/ui/cn';
import { Combobox, type ComboboxOption } from '~/ui/combobox';
import { type ControlProps, Field } from '~/ui/field';
import { Input } from '~/ui/input';
import { Select } from '~/ui/select';

import type { ActivityFilters } from './use-activity-filters';

/** Filter bar. The filters are URL parameters, which can be bookmarked and shared. */
export function ActivityFilters({ values, set, from, to }: ActivityFilters) {
  const fieldsId = useId();
  const [isUnfolded, setIsUnfolded] = useState(false);
  const active = Object.values(values).filter((value) => value !== '').length;
  return (
    <>
      <Button
        variant="secondary"
        icon={<SlidersHorizontal size={20} aria-hidden />}
        aria-expanded={isUnfolded}
        aria-controls={fieldsId}
        className="mb-4 w-full sm:hidden"
        onClick={() => setIsUnfolded(!isUnfolded)}
      >
        Filtros
        {active > 0 && <span className="text-primary tabular-nums">{active}</span>}
      </Button>
      <div
        id={fieldsId}
        className={cn('mb-6 grid gap-4 sm:grid-cols-2 xl:grid-cols-4', !isUnfolded && 'max-sm:hidden')}
      >
        <Field label="Tipo">
          {(control) => (
            <Select
              {...control}
              options={activityFilterGroups}
              placeholder="Todos os tipos"
              value={values.tipo}
              onChange={(event) => set('tipo', event.target.value)}
            />
          )}
        </Field>
        <Field label="Pessoa">
          {(control) => (
            <PersonPicker {...control} person={values.pessoa} onChange={(id) => set('pessoa', id)} />
          )}
        </Field>
        <Field label="De">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={from.typed}
              max={values.ate || undefined}
              onChange={from.onChange}
            />
          )}
        </Field>
        <Field label="Até">
          {(control) => (
            <Input
              {...control}
              type="date"
              value={to.typed}
              min={values.de || undefined}
              onChange={to.onChange}
            />
          )}
        </Field>
      </div>
    </>
  );
}

type PersonPickerProps = ControlProps & { person: string; onChange: (id: string) => void };

/** Picker of any existing account. Deleted accounts are selected through their names in the table. */
function PersonPicker({ person, onChange, ...control }: PersonPickerProps) {
  const [chosen, setChosen] = useState<ComboboxOption | null>(null);
  const { clients, isSearching, isAnswered, debounced, setSearch } = useClientSearch();
  const staff = useQuery(searchStaffQuery(debounced));
  const name = useQuery({ ...activityPersonQuery(person), enabled: person !== '' });
  const options = [...(staff.data ?? []), ...clients].map(({ id, email, fullName }): ComboboxOption =>
    fullName === null ? { value: id, label: email } : { value: id, label: fullName, hint: email },
  );
  const known = [chosen, ...options].find((option) => option?.value === person);
  const selected = known ?? (person === '' ? null : { value: person, label: name.data ?? 'Pessoa sem nome' });
  return (
    <Combobox
      {...control}
      options={options}
      selected={selected}
      onSelect={(option) => {
        setChosen(option);
        onChange(option?.value ?? '');
      }}
      keepsSelection
      onSearch={setSearch}
      isAnswered={isAnswered && !staff.isPlaceholderData}
      placeholder="Todas as pessoas"
      empty={isSearching || staff.isFetching ? 'Buscando…' : 'Ninguém encontrado'}
    />
  );
}
