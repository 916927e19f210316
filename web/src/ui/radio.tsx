// Radio button.
import type { ComponentProps } from 'react';

type RadioProps = Omit<ComponentProps<'input'>, 'type'> & { label: string; hint?: string };

/** A native radio button with a label. The radio buttons of a group have the same `name`. */
export function Radio({ label, hint, ...control }: RadioProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-start gap-3 py-3 leading-5 has-disabled:cursor-default">
      <input {...control} type="radio" className="accent-primary size-5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        {label}
        {hint !== undefined && <span className="text-muted-foreground"> · {hint}</span>}
      </span>
    </label>
  );
}
