// Combobox.
import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { type Ref, useState } from 'react';

import { matchesSearch, matchesWords } from '~/lib/text-search';

import { cn } from './cn';
import { type ControlProps, labelId } from './field';
import { inputClasses } from './input';

export type ComboboxOption = { value: string; label: string; hint?: string };

type ComboboxProps = ControlProps & {
  options: readonly ComboboxOption[];
  /** The selected option. The options may lack it, because they may be the results of a later search. */
  selected: ComboboxOption | null;
  onSelect: (option: ComboboxOption | null) => void;
  onOpen?: () => void;
  /** Receives the search text, for options from the server. Receives an empty text when the list closes. */
  onSearch?: (search: string) => void;
  onBlur?: () => void;
  placeholder?: string;
  empty?: string;
  /** A note below the options. */
  note?: string | undefined;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

/** A select with a text search of labels and hints that ignores accents and case. */
export function Combobox({
  options,
  selected,
  onSelect,
  onOpen,
  onSearch,
  onBlur,
  placeholder,
  empty = 'Nada encontrado.',
  note,
  disabled = false,
  ref,
  ...control
}: ComboboxProps) {
  // The base component replaces typed text when it receives another object, even an equal one.
  const items = useUnchanged(options, areSame);
  const value = useUnchanged(selected, isSame);
  return (
    <Base.Root
      items={items}
      value={value}
      onValueChange={onSelect}
      onInputValueChange={(text, { reason }) => reason === 'input-change' && onSearch?.(text)}
      onOpenChange={(open) => (open ? onOpen?.() : onSearch?.(''))}
      filter={(option, query) => matchesWords(option.label, query) || matchesSearch(option.hint ?? '', query)}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(a, b) => a.value === b.value}
      disabled={disabled}
      autoHighlight
    >
      <Base.InputGroup className="relative">
        <Base.Input
          {...control}
          aria-labelledby={labelId(control.id)}
          {...(ref && { ref })}
          {...(onBlur && { onBlur })}
          placeholder={placeholder}
          title={selected?.label}
          className={cn(inputClasses, 'h-11 pr-11')}
        />
        <Base.Trigger
          aria-label="Abrir lista"
          className="text-muted-foreground absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
        >
          <ChevronsUpDown size={18} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup className="border-border bg-card shadow-popover max-h-[min(22rem,var(--available-height))] w-(--anchor-width) overflow-y-auto overscroll-contain rounded border p-1">
            <Base.Empty className="text-muted-foreground px-3 py-3 text-sm empty:hidden">{empty}</Base.Empty>
            <Base.List>
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className="data-highlighted:bg-muted grid min-h-11 cursor-default grid-cols-[1fr_auto] items-center gap-3 rounded-md px-3 py-1.5 outline-none"
                >
                  <span className="min-w-0">
                    <span className="line-clamp-2">{option.label}</span>
                    {option.hint && (
                      <span className="text-muted-foreground block truncate text-sm">{option.hint}</span>
                    )}
                  </span>
                  <Base.ItemIndicator>
                    <Check size={18} aria-hidden className="text-primary" />
                  </Base.ItemIndicator>
                </Base.Item>
              )}
            </Base.List>
            {note !== undefined && (
              <p className="border-border text-muted-foreground border-t px-3 py-2 text-sm">{note}</p>
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function isSame(a: ComboboxOption | null, b: ComboboxOption | null): boolean {
  return a === b || (a?.value === b?.value && a?.label === b?.label && a?.hint === b?.hint);
}

function areSame(a: readonly ComboboxOption[], b: readonly ComboboxOption[]): boolean {
  return a === b || (a.length === b.length && a.every((option, at) => isSame(option, b[at] ?? null)));
}

/** The first of several equal values, so that it keeps its identity between renders. */
function useUnchanged<Value>(value: Value, isEqual: (a: Value, b: Value) => boolean): Value {
  const [kept, setKept] = useState(value);
  if (isEqual(kept, value)) return kept;
  setKept(value);
  return value;
}
