// Checkbox.
import { type ComponentProps, type ReactNode, useId } from 'react';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & { label: ReactNode; hint?: ReactNode };

/** A native checkbox with a label and an optional hint. */
export function Checkbox({ label, hint, ...control }: CheckboxProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="flex items-start gap-3">
      <input
        {...control}
        id={id}
        type="checkbox"
        {...(hint !== undefined && { 'aria-describedby': hintId })}
        className="accent-primary my-3 size-5 shrink-0"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="flex min-h-11 cursor-pointer items-center py-2 leading-6">
          {label}
        </label>
        {hint !== undefined && (
          <p id={hintId} className="text-muted-foreground -mt-1.5 text-sm">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
