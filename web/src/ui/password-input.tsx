// Password input.
import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, useState } from 'react';

import { cn } from './cn';
import { labelId } from './field';
import { inputClasses } from './input';

/** A password input with a button that shows or hides the password. */
export function PasswordInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const [visible, setVisible] = useState(false);
  const label = visible ? 'Ocultar senha' : 'Mostrar senha';
  return (
    <div className="relative">
      <input
        {...rest}
        type={visible ? 'text' : 'password'}
        className={cn(inputClasses, 'h-11 pr-12', className)}
      />
      <button
        type="button"
        aria-label={label}
        aria-describedby={rest.id && labelId(rest.id)}
        title={label}
        onClick={() => setVisible(!visible)}
        className="text-muted-foreground hover:text-foreground absolute inset-y-0 right-0 flex w-11 items-center justify-center rounded"
      >
        {visible ? <EyeOff size={20} aria-hidden /> : <Eye size={20} aria-hidden />}
      </button>
    </div>
  );
}
