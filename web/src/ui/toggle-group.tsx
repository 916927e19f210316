import type { ReactNode } from 'react';

import { cn } from './cn';

type ToggleGroupProps<Value> = {
  /** Read aloud as the name of the group. */
  label: string;
  value: Value;
  options: readonly { value: Value; label: ReactNode; icon?: ReactNode }[];
  onChange: (value: Value) => void;
  /** Buttons with a border stand alone; quiet ones stand over what they change. */
  variant?: 'outlined' | 'quiet';
  className?: string;
};

const variantClasses = {
  outlined: {
    group: 'gap-2',
    button: 'border px-4',
    on: 'border-primary bg-primary-subtle text-primary',
    off: 'border-border bg-card text-muted-foreground hover:bg-muted hover:text-foreground',
  },
  quiet: {
    group: 'gap-1',
    button: 'inline-flex items-center gap-2 px-3',
    on: 'bg-primary-subtle text-primary',
    off: 'text-muted-foreground hover:bg-muted hover:text-foreground',
  },
};

/** Buttons of which one is pressed. */
export function ToggleGroup<Value>({
  label: name,
  value,
  options,
  onChange,
  variant = 'outlined',
  className,
}: ToggleGroupProps<Value>) {
  const classes = variantClasses[variant];
  return (
    <div role="group" aria-label={name} className={cn('flex flex-wrap', classes.group, className)}>
      {options.map((option) => {
        const pressed = option.value === value;
        return (
          <button
            key={String(option.value)}
            type="button"
            aria-pressed={pressed}
            onClick={() => !pressed && onChange(option.value)}
            className={buttonClasses(variant, pressed)}
          >
            {option.icon}
            {option.label}
          </button>
        );
      })}
    </div>
  );
}

type ToggleButtonProps = {
  pressed: boolean;
  icon: ReactNode;
  onChange: (pressed: boolean) => void;
  children: ReactNode;
};

/** A button that is pressed or not, with the look of a quiet `ToggleGroup`. */
export function ToggleButton({ pressed, icon, onChange, children }: ToggleButtonProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => onChange(!pressed)}
      className={buttonClasses('quiet', pressed)}
    >
      {icon}
      {children}
    </button>
  );
}

function buttonClasses(variant: keyof typeof variantClasses, pressed: boolean) {
  const { button, on, off } = variantClasses[variant];
  return cn('touch-target rounded text-body font-medium transition-colors', button, pressed ? on : off);
}
