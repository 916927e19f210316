// The opening hours in the form of the office's settings: for each weekday its periods.
import { Copy, Plus, X } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';

import type { OpeningPeriod } from '~/lib/api/database';
import { focusAdded } from '~/lib/focus-added';
import { Button } from '~/ui/button';
import { IconButton } from '~/ui/icon-button';
import { Input } from '~/ui/input';

import { findPeriodError, parsePeriods } from './settings-values';

const weekdays = [
  'Segunda-feira',
  'Terça-feira',
  'Quarta-feira',
  'Quinta-feira',
  'Sexta-feira',
  'Sábado',
  'Domingo',
];
const MONDAY = 1;
const FRIDAY = 5;
/** Maximum number of periods of a day. */
const MAX_PERIODS = 3;

type OpeningHoursFieldProps = { value: string; error: string | undefined; onChange: (json: string) => void };

export function OpeningHoursField({ value, error, onChange }: OpeningHoursFieldProps) {
  const periods = parsePeriods(value);
  const list = useRef<HTMLUListElement>(null);
  const errorId = useId();
  // The form cannot focus a field of one of the lines itself.
  useEffect(() => {
    if (error !== undefined) list.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  const wrong = error === undefined ? undefined : periods[findPeriodError(value)?.period ?? -1];
  const change = (next: OpeningPeriod[]) =>
    onChange(JSON.stringify(next.toSorted((a, b) => a.weekday - b.weekday)));
  const edit = (edited: OpeningPeriod, changes: Partial<OpeningPeriod>) =>
    change(periods.map((period) => (period === edited ? { ...period, ...changes } : period)));
  const add = (weekday: number, before: OpeningPeriod[]) =>
    change([
      ...periods,
      before.length === 0
        ? { weekday, opens: '08:00', closes: '18:00' }
        : { weekday, opens: before.at(-1)?.closes ?? '', closes: '' },
    ]);
  const ofMonday = periods.filter(({ weekday }) => weekday === MONDAY);
  const repeatMonday = () =>
    change([
      ...periods.filter(({ weekday }) => weekday > FRIDAY),
      ...[1, 2, 3, 4, 5].flatMap((weekday) => ofMonday.map((period) => ({ ...period, weekday }))),
    ]);
  return (
    <div>
      <ul ref={list} className="divide-border divide-y">
        {weekdays.map((name, index) => {
          const weekday = index + 1;
          const own = periods.filter((period) => period.weekday === weekday);
          return (
            <li key={name} className="flex flex-col gap-2 py-2 sm:flex-row sm:items-start">
              <span className="flex min-h-11 w-36 shrink-0 items-center font-medium">{name}</span>
              <div role="group" aria-label={name} className="flex min-w-0 flex-1 flex-col gap-2">
                {own.map((period, at) => (
                  // oxlint-disable-next-line react/no-array-index-key -- a period has no other identity.
                  <div key={at} className="flex items-center gap-2">
                    <Time
                      label={`${name}: abre às`}
                      value={period.opens}
                      errorId={period === wrong ? errorId : undefined}
                      onChange={(opens) => edit(period, { opens })}
                    />
                    <span aria-hidden>–</span>
                    <Time
                      label={`${name}: fecha às`}
                      value={period.closes}
                      errorId={period === wrong ? errorId : undefined}
                      onChange={(closes) => edit(period, { closes })}
                    />
                    <IconButton
                      label={`Remover horário de ${name.toLowerCase()}`}
                      icon={<X size={20} aria-hidden />}
                      onClick={() => change(periods.filter((other) => other !== period))}
                    />
                  </div>
                ))}
                {own.length === 0 && (
                  <span className="text-muted-foreground flex min-h-11 items-center">Fechado</span>
                )}
              </div>
              {own.length < MAX_PERIODS && (
                <Button
                  variant="quiet"
                  icon={<Plus size={18} aria-hidden />}
                  aria-label={`Adicionar horário de ${name.toLowerCase()}`}
                  onClick={({ currentTarget }) => {
                    focusAdded(currentTarget.parentElement);
                    add(weekday, own);
                  }}
                  className="max-sm:self-start"
                >
                  Horário
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {ofMonday.length > 0 && (
        <Button
          variant="secondary"
          icon={<Copy size={18} aria-hidden />}
          onClick={repeatMonday}
          className="mt-2"
        >
          Repetir a segunda até sexta
        </Button>
      )}
      {error !== undefined && (
        <p id={errorId} role="alert" className="text-danger mt-2 text-sm">
          {error}
        </p>
      )}
    </div>
  );
}

type TimeProps = {
  label: string;
  value: string;
  /** Id of the message about this time; undefined if it has no fault. */
  errorId: string | undefined;
  onChange: (time: string) => void;
};

function Time({ label, value, errorId, onChange }: TimeProps) {
  return (
    <Input
      type="time"
      aria-label={label}
      value={value}
      aria-invalid={errorId === undefined ? undefined : true}
      aria-describedby={errorId}
      onChange={(event) => onChange(event.target.value)}
      className="max-w-36 min-w-0 tabular-nums"
    />
  );
}
