// Filter chips: filters of a list, side by side in one row.
import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

import { formatInteger } from '~/lib/format';

import { cn } from './cn';
import type { Option } from './select';

const chipClasses =
  'inline-flex h-9 shrink-0 pointer-coarse:h-11 items-center gap-2 rounded border px-3 text-sm font-medium whitespace-nowrap transition-colors sm:in-data-dense:gap-1.5 sm:in-data-dense:px-2.5';

const stateClasses = {
  off: 'border-border bg-card text-muted-foreground hover:bg-muted hover:text-foreground',
  on: 'border-primary bg-primary-subtle text-primary',
  danger: 'border-danger bg-danger-subtle text-danger',
};

type FilterBarProps = {
  /** Whether the chips are closer together, so that many of them fit into one line. */
  isDense?: boolean;
  children: ReactNode;
};

/** The row of the filters. On a phone it scrolls sideways. */
export function FilterBar({ isDense = false, children }: FilterBarProps) {
  return (
    <div
      role="group"
      aria-label="Filtros"
      data-dense={isDense || undefined}
      className="-mx-4 flex [scrollbar-width:none] gap-2 overflow-x-auto px-4 py-1 sm:mx-0 sm:flex-wrap sm:overflow-visible sm:px-0 sm:py-0 sm:data-dense:gap-1.5 print:hidden"
    >
      {children}
    </div>
  );
}

type SelectChipProps = Omit<ComponentProps<'select'>, 'value' | 'onChange'> & {
  /** The option for no filter. */
  all?: string;
  /** Whether the chip names that option too. */
  namesAll?: boolean;
  label: string;
  options: readonly Option[];
  /** The chosen value; empty for none. */
  value: string;
  onChange: (value: string) => void;
};

/** A filter with one of several values. A native select, invisible over the chip, opens the list of the system. */
export function SelectChip({
  label,
  all = 'Todos',
  namesAll = false,
  options,
  value,
  onChange,
  ...rest
}: SelectChipProps) {
  const chosen = options.find((option) => option.value === value);
  const named = chosen?.label ?? (namesAll ? all : undefined);
  return (
    <span
      className={cn(
        chipClasses,
        'relative has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ring',
        chosen ? stateClasses.on : stateClasses.off,
      )}
    >
      <span aria-hidden className="max-w-56 truncate">
        {named === undefined ? label : `${label}: ${named}`}
      </span>
      <ChevronDown size={16} aria-hidden />
      <select
        {...rest}
        aria-label={label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        className="bg-card text-foreground absolute -inset-px size-[calc(100%+2px)] cursor-pointer appearance-none opacity-0"
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  );
}

type ToggleChipProps = {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  /** Number of rows under this filter, if it was counted. */
  count?: number | undefined;
  danger?: boolean;
  children: ReactNode;
};

/** A filter that is on or off. */
export function ToggleChip({ pressed, onChange, count, danger = false, children }: ToggleChipProps) {
  const state = pressed ? (danger ? 'danger' : 'on') : 'off';
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => onChange(!pressed)}
      className={cn(chipClasses, stateClasses[state])}
    >
      {children}
      {count !== undefined && <span className="tabular-nums">{formatInteger(count)}</span>}
    </button>
  );
}

export function ClearFilters({ onClick }: { onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="text-primary hover:bg-primary-subtle inline-flex h-9 shrink-0 items-center rounded px-3 text-sm font-medium whitespace-nowrap transition-colors pointer-coarse:h-11"
    >
      Limpar filtros
    </button>
  );
}
