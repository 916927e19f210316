// Form field.
import { type ReactNode, useId } from 'react';

import { cn } from './cn';

/** The attributes that associate a control with its label, hint and error. */
export type ControlProps = {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
  'aria-required': true | undefined;
};

type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  className?: string | undefined;
  children: (control: ControlProps) => ReactNode;
};

/** The id of the label of a control, for `aria-labelledby`. */
export function labelId(controlId: string): string {
  return `${controlId}-label`;
}

/** A control with its label, error and hint. */
export function Field({ label, hint, error, required = false, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = cn(error && errorId, hint !== undefined && hintId) || undefined;
  return (
    <div className={cn('flex flex-col gap-1.5', className)}>
      <label id={labelId(id)} htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy,
        'aria-invalid': error ? true : undefined,
        'aria-required': required || undefined,
      })}
      {error && (
        <p id={errorId} role="alert" className="text-danger text-sm">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-muted-foreground text-sm">
          {hint}
        </p>
      )}
    </div>
  );
}
