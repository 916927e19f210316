import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn';

type IconButtonProps = Omit<ComponentProps<'button'>, 'aria-label' | 'children'> & {
  label: string;
  icon: ReactNode;
};

/**
 * A button that shows only an icon; its label is read aloud and shown as a tooltip. While `disabled` it keeps the focus
 * of whoever pressed it to the end, but does nothing.
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
        'target inline-flex items-center justify-center rounded text-muted transition-colors not-aria-disabled:hover:bg-sunken not-aria-disabled:hover:text-ink aria-disabled:opacity-40',
        className,
      )}
    >
      {icon}
    </button>
  );
}
