// The office's own holidays in the form of its settings.
import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';

import type { Holiday } from '~/lib/api/database';
import { focusAdded } from '~/lib/focus-added';
import { Button } from '~/ui/button';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';

import { parseHolidays } from './settings-values';

/** Maximum number of holidays that the server accepts. */
const MAX_HOLIDAYS = 100;

type HolidaysFieldProps = { value: string; error: string | undefined; onChange: (json: string) => void };

export function HolidaysField({ value, error, onChange }: HolidaysFieldProps) {
  const holidays = parseHolidays(value);
  const list = useRef<HTMLUListElement>(null);
  const errorId = useId();
  // The form cannot focus a field of one of the lines itself.
  useEffect(() => {
    if (error !== undefined) list.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  /** The attributes of a field that is empty or repeated while the error is shown. */
  const fault = (text: string, isRepeated = false) =>
    error !== undefined && (text.trim() === '' || isRepeated)
      ? { 'aria-invalid': true, 'aria-describedby': errorId }
      : undefined;
  const change = (next: Holiday[]) => onChange(JSON.stringify(next));
  const edit = (edited: Holiday, changes: Partial<Holiday>) =>
    change(holidays.map((holiday) => (holiday === edited ? { ...holiday, ...changes } : holiday)));
  return (
    <div className="flex flex-col items-start gap-3">
      <p className="text-muted-foreground text-sm">
        Os feriados nacionais já contam como dias sem expediente. Acrescente os do município, do estado e os
        recessos: o calendário dos clientes mostra os nomes.
      </p>
      {holidays.length > 0 && (
        <ul ref={list} className="flex w-full flex-col gap-2">
          {holidays.map((holiday, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a holiday has no other identity while it is edited.
            <li
              key={index}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[11rem_minmax(0,1fr)_auto]"
            >
              <Input
                type="date"
                aria-label={`Data do feriado ${index + 1}`}
                min="2000-01-01"
                max="2199-12-31"
                value={holiday.on}
                {...fault(holiday.on, repeatsDate(holidays, index))}
                onChange={(event) => edit(holiday, { on: event.target.value })}
              />
              <Input
                aria-label={`Nome do feriado ${index + 1}`}
                placeholder="Aniversário da cidade"
                maxLength={80}
                value={holiday.name}
                {...fault(holiday.name)}
                onChange={(event) => edit(holiday, { name: event.target.value })}
                className="max-sm:order-last max-sm:col-span-2"
              />
              <IconButton
                label={`Remover feriado ${index + 1}`}
                icon={<X size={20} aria-hidden />}
                onClick={() => change(holidays.filter((other) => other !== holiday))}
              />
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <p id={errorId} role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
      {holidays.length < MAX_HOLIDAYS && (
        <Button
          variant="secondary"
          icon={<Plus size={20} aria-hidden />}
          onClick={({ currentTarget }) => {
            focusAdded(currentTarget.parentElement);
            change([...holidays, { on: '', name: '' }]);
          }}
        >
          Adicionar feriado
        </Button>
      )}
    </div>
  );
}

function repeatsDate(holidays: readonly Holiday[], index: number): boolean {
  return holidays.slice(0, index).some(({ on }) => on === holidays[index]?.on);
}
