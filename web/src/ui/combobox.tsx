// Combobox.
import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { type Ref, useState } from 'react';

import { matchesSearch, matchesWords } from '~/lib/text-search';

import { cn } from './cn';
import { type ControlProps, labelId } from './field';
import { inputClasses } from './input';

export type ComboboxOption = { value: string; label: string; hint?: string };

type ComboboxProps<Option extends ComboboxOption> = ControlProps & {
  options: readonly Option[];
  /** The selected option. The options may lack it, because they may be the results of a later search. */
  selected: Option | null;
  onSelect: (option: Option | null) => void;
  /**
   * Keeps the selection while other text is typed, for selections that take effect at once. Otherwise such text clears
   * it, because a form could be sent with an option that the field does not show.
   */
  keepsSelection?: boolean;
  onOpen?: () => void;
  /** Receives the search text, for options from the server. Receives an empty text when the list closes. */
  onSearch?: (search: string) => void;
  /**
   * Whether the options answer the present search text. The server may find options by what they do not show, such as a
   * CNPJ, thus all of its answer is offered. Options of an earlier text are offered only if they match the present one.
   */
  isAnswered?: boolean;
  onBlur?: () => void;
  placeholder?: string;
  empty?: string;
  /** A note below the options. */
  note?: string | undefined;
  disabled?: boolean;
  ref?: Ref<HTMLInputElement>;
};

const matchesOption = ({ label, hint = '' }: ComboboxOption, query: string) =>
  matchesWords(label, query) || matchesSearch(hint, query);

/** Text that was typed and not selected yet, and the selection before it. */
type Draft<Option> = { text: string; earlier: Option | null };

/**
 * A select with a text search of labels and hints that ignores accents and case. The field shows the typed text until
 * the list closes, then the selection. Escape restores the selection from before the text.
 */
export function Combobox<Option extends ComboboxOption>({
  options,
  selected,
  onSelect,
  keepsSelection = false,
  onOpen,
  onSearch,
  isAnswered = false,
  onBlur,
  placeholder,
  empty = 'Nada encontrado.',
  note,
  disabled = false,
  ref,
  ...control
}: ComboboxProps<Option>) {
  const [isOpen, setIsOpen] = useState(false);
  const [draft, setDraft] = useState<Draft<Option> | null>(null);
  const label = selected?.label ?? '';

  const type = (text: string) => {
    const earlier = draft ? draft.earlier : selected;
    setDraft({ text, earlier });
    onSearch?.(text);
    if (keepsSelection || earlier === null) return;
    if (text === earlier.label) onSelect(earlier);
    else if (selected) onSelect(null);
  };

  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(option, details) => {
        if (details.reason !== 'escape-key') return onSelect(option);
        // Escape on a closed list is for the dialog around the field.
        details.cancel();
        details.allowPropagation();
      }}
      inputValue={draft?.text ?? label}
      onInputValueChange={(text, { reason }) => {
        if (reason === 'input-change') type(text);
      }}
      onOpenChange={(open, details) => {
        // Enter without an option to select must not discard the text, which the server may still search for.
        if (details.reason === 'none' && draft && draft.text !== label) return details.cancel();
        setIsOpen(open);
        if (open) return onOpen?.();
        // A selection that takes effect at once is not taken back.
        const earlier = keepsSelection ? null : draft?.earlier;
        if (details.reason === 'escape-key' && earlier && earlier.value !== selected?.value)
          onSelect(earlier);
        setDraft(null);
        onSearch?.('');
      }}
      filter={isAnswered ? null : matchesOption}
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
          onKeyDown={(event) => {
            // Enter sends the form only if the field shows its selection.
            if (event.key === 'Enter' && (isOpen || event.currentTarget.value !== label))
              event.preventDefault();
          }}
          onBlur={() => {
            if (!isOpen) setDraft(null);
            onBlur?.();
          }}
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
              {(option: Option) => (
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
