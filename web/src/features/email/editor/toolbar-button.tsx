// Button of the editor toolbar.
import { Toolbar } from '@base-ui/react/toolbar';
import type { ComponentProps, ReactNode } from 'react';

export const toolbarButtonClasses =
  'touch-target text-muted-foreground not-disabled:hover:bg-muted not-disabled:hover:text-foreground aria-pressed:bg-primary-subtle aria-pressed:text-primary data-popup-open:bg-muted data-popup-open:text-foreground inline-flex items-center justify-center gap-0.5 rounded transition-colors';

type ToolbarButtonProps = Omit<ComponentProps<typeof Toolbar.Button>, 'className' | 'children'> & {
  label: string;
  /** Keyboard shortcut of the same command. */
  keys?: string;
  icon: ReactNode;
  /** State of a toggle button. */
  pressed?: boolean;
};

/** Icon button with an accessible label, which is also its tooltip. */
export function ToolbarButton({ label, keys, icon, pressed, ...rest }: ToolbarButtonProps) {
  return (
    <Toolbar.Button
      {...rest}
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      // Keeps the selection in the editor.
      onMouseDown={(event) => event.preventDefault()}
      className={toolbarButtonClasses}
    >
      {icon}
    </Toolbar.Button>
  );
}
