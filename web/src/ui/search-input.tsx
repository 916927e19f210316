// Search input.
import { Search, X } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';

import { cn } from './cn';
import { inputClasses } from './input';

type SearchInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> & {
  value: string;
  onChange: (value: string) => void;
};

/** A search input with a clear button. The placeholder is also the accessible name. */
export function SearchInput({ value, onChange, className, placeholder, ...rest }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={cn('print:hidden relative', className)}>
      <Search
        size={20}
        aria-hidden
        className="text-muted-foreground pointer-events-none absolute inset-y-0 left-3 my-auto"
      />
      <input
        {...rest}
        ref={input}
        type="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cn(inputClasses, 'h-11 pr-11 pl-10 [&::-webkit-search-cancel-button]:hidden')}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Limpar busca"
          title="Limpar busca"
          onClick={() => {
            onChange('');
            input.current?.focus();
          }}
          className="text-muted-foreground hover:text-foreground absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
        >
          <X size={18} aria-hidden />
        </button>
      )}
    </div>
  );
}
