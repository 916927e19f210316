import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'react-router';

import { cn } from '~/ui/class-names';
import { Spinner } from '~/ui/spinner';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'quiet-danger' | 'danger';

type Look = { variant?: ButtonVariant; icon?: ReactNode };

const base =
  'target inline-flex items-center justify-center gap-2 rounded px-4 text-[15px] font-medium whitespace-nowrap transition-colors select-none disabled:opacity-60';

const variants: Record<ButtonVariant, string> = {
  primary: 'bg-primary text-on-primary not-disabled:hover:bg-primary-hover',
  secondary: 'border border-hairline bg-surface text-ink not-disabled:hover:bg-sunken',
  quiet: 'text-primary not-disabled:hover:bg-primary-tint',
  'quiet-danger': 'text-danger not-disabled:hover:bg-danger-tint',
  danger: 'bg-danger text-on-danger not-disabled:hover:bg-danger-hover',
};

type ButtonProps = Look & ComponentProps<'button'> & { pending?: boolean };

/** While `pending` it keeps its width and its place in the tab order, but does nothing. */
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
      disabled={rest.disabled ?? false}
      aria-disabled={pending || undefined}
      aria-busy={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : rest.onClick}
      className={cn(base, variants[variant], pending && 'cursor-progress opacity-80', className)}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
}

type ButtonLinkProps = Look & ComponentProps<typeof Link>;

/** A link that looks like a button: it navigates, so it can be opened in a new tab. */
export function ButtonLink({ variant = 'primary', icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={cn(base, variants[variant], className)}>
      {icon}
      {children}
    </Link>
  );
}

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
