// Icon button.
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn';

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'children'> & {
  label: string;
  icon: ReactNode;
};

/**
 * A button with an icon only. The label is its accessible name and its tooltip. While `disabled`, the button ignores
 * clicks but remains focusable, so it does not lose focus.
 */
export function IconButton({ label, icon, disabled = false, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      aria-disabled={disabled || undefined}
      onClick={disabled ? (event) => event.preventDefault() : rest.onClick}
      className={cn(
        'touch-target inline-flex items-center justify-center rounded text-muted-foreground transition-colors not-aria-disabled:hover:bg-muted not-aria-disabled:hover:text-foreground aria-disabled:opacity-40',
        className,
      )}
    >
      {icon}
    </button>
  );
}
