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
        'touch-target inline-flex items-center justify-center rounded text-muted-foreground transition-colors not-aria-disabled:hover:bg-muted not-aria-disabled:hover:text-foreground aria-disabled:opacity-40',
        className,
      )}
    >
      {icon}
    </button>
  );
}
