// Button.
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn';
import { Spinner } from './spinner';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'quiet-danger' | 'danger';

export type ButtonAppearance = { variant?: ButtonVariant; icon?: ReactNode };

// Icons are as wide as the spinner that takes their place.
const baseClasses =
  'touch-target [&>svg]:w-5 inline-flex items-center justify-center gap-2 rounded px-4 text-body font-medium whitespace-nowrap transition-colors select-none disabled:opacity-60';

const variantClasses: Record<ButtonVariant, string> = {
  primary: 'forced-colors:border bg-primary text-primary-foreground not-disabled:hover:bg-primary-hover',
  secondary: 'border border-border bg-card text-foreground not-disabled:hover:bg-muted',
  quiet: 'text-primary not-disabled:hover:bg-primary-subtle',
  'quiet-danger': 'text-danger not-disabled:hover:bg-danger-subtle',
  danger: 'forced-colors:border bg-danger text-danger-foreground not-disabled:hover:bg-danger-hover',
};

/** The classes of a button, also for links with the appearance of a button. */
export function buttonClasses(variant: ButtonVariant, ...more: Parameters<typeof cn>): string {
  return cn(baseClasses, variantClasses[variant], ...more);
}

type ButtonProps = ButtonAppearance & ComponentProps<'button'> & { pending?: boolean };

/**
 * While `pending`, the button keeps its name, its width and its place in the tab order, but ignores clicks. The spinner
 * takes the place of the icon or, without one, covers the label.
 */
export function Button({
  variant = 'primary',
  icon,
  pending = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : rest.onClick}
      className={buttonClasses(variant, pending && (icon ? 'pending' : 'pending spinner-over'), className)}
    >
      {pending && icon ? <Spinner /> : icon}
      {children}
    </button>
  );
}
