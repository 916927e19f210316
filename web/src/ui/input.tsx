import { Eye, EyeOff, Search, X } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';

import { cn } from './cn';

export const controlLook =
  'w-full rounded border border-control/60 bg-surface px-3 text-base text-ink transition-colors placeholder:text-muted hover:border-control focus-visible:border-focus focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-muted disabled:hover:border-control/60 aria-invalid:border-danger';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={cn(controlLook, 'h-11', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea rows={6} {...rest} className={cn(controlLook, 'py-2.5', className)} />;
}

/** A password with a button that shows or hides it. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const [visible, setVisible] = useState(false);
  const label = visible ? 'Ocultar senha' : 'Mostrar senha';
  return (
    <div className="relative">
      <input
        {...rest}
        type={visible ? 'text' : 'password'}
        className={cn(controlLook, 'h-11 pr-12', className)}
      />
      <button
        type="button"
        aria-label={label}
        title={label}
        aria-pressed={visible}
        onClick={() => setVisible(!visible)}
        className="text-muted hover:text-ink absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
      >
        {visible ? <EyeOff size={20} aria-hidden /> : <Eye size={20} aria-hidden />}
      </button>
    </div>
  );
}

type SearchInputProps = Omit<ComponentProps<'input'>, 'value' | 'onChange' | 'type'> & {
  value: string;
  onChange: (value: string) => void;
};

/** The placeholder doubles as the name that is read aloud. */
export function SearchInput({ value, onChange, className, placeholder, ...rest }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className={cn('print-hide relative', className)}>
      <Search
        size={20}
        aria-hidden
        className="text-muted pointer-events-none absolute inset-y-0 left-3 my-auto"
      />
      <input
        {...rest}
        ref={input}
        type="search"
        aria-label={placeholder}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cn(controlLook, 'h-11 pr-11 pl-10 [&::-webkit-search-cancel-button]:hidden')}
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
          className="text-muted hover:text-ink absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
        >
          <X size={18} aria-hidden />
        </button>
      )}
    </div>
  );
}
