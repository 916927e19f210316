import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';

import { cn } from '~/ui/class-names';
import type { ControlProps } from '~/ui/field';
import { controlLook } from '~/ui/input';

export type ComboboxOption = { value: string; label: string; hint?: string };

type ComboboxProps = Partial<ControlProps> & {
  options: readonly ComboboxOption[];
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  placeholder?: string;
  empty?: string;
  disabled?: boolean;
};

/** A select that is searched by typing, accents and case aside. Looks in the label and in the hint. */
export function Combobox({
  options,
  value,
  onChange,
  onBlur,
  placeholder,
  empty = 'Nada encontrado.',
  disabled = false,
  ...control
}: ComboboxProps) {
  const selected = options.find((option) => option.value === value) ?? null;
  const { contains } = Base.useFilter({ sensitivity: 'base', locale: 'pt-BR' });
  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(option) => onChange(option?.value ?? '')}
      filter={(option, query) => contains(option, query, (it) => `${it.label} ${it.hint ?? ''}`)}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(a, b) => a.value === b.value}
      disabled={disabled}
      limit={100}
    >
      <Base.InputGroup className="relative">
        <Base.Input
          {...control}
          {...(onBlur && { onBlur })}
          placeholder={placeholder}
          className={cn(controlLook, 'h-11 pr-11')}
        />
        <Base.Trigger
          aria-label="Abrir lista"
          className="text-muted absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
        >
          <ChevronsUpDown size={18} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup className="border-hairline bg-surface shadow-float max-h-[min(22rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain rounded border p-1">
            <Base.Empty className="text-muted px-3 py-3 text-sm empty:hidden">{empty}</Base.Empty>
            <Base.List>
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className="data-highlighted:bg-sunken grid min-h-11 cursor-default grid-cols-[1fr_auto] items-center gap-3 rounded-md px-3 py-1.5 outline-none"
                >
                  <span className="min-w-0">
                    <span className="block truncate">{option.label}</span>
                    {option.hint && <span className="text-muted block truncate text-sm">{option.hint}</span>}
                  </span>
                  <Base.ItemIndicator>
                    <Check size={18} aria-hidden className="text-primary" />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
