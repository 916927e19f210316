// Select.
import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';

import { cn } from './cn';
import { inputClasses } from './input';

export type Option = { value: string; label: string };

type SelectProps = ComponentProps<'select'> & { options: readonly Option[]; placeholder?: string };

/** A native select, which works best on phones and with screen readers. Use `Combobox` for long lists. */
export function Select({ options, placeholder, className, ...rest }: SelectProps) {
  return (
    <div className="relative">
      <select {...rest} className={cn(inputClasses, 'h-11 appearance-none pr-10', className)}>
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        size={18}
        aria-hidden
        className="text-muted-foreground pointer-events-none absolute inset-y-0 right-3 my-auto"
      />
    </div>
  );
}

/** Converts a record of labels to options, in its order. */
export function toOptions<Value extends string>(
  labels: Record<Value, string>,
): { value: string; label: string }[] {
  return Object.entries<string>(labels).map(([value, label]) => ({ value, label }));
}
