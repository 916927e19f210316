import { Toolbar } from '@base-ui/react/toolbar';
import type { ComponentProps, ReactNode } from 'react';

export const toolbarButtonClasses =
  'touch-target text-muted-foreground not-disabled:hover:bg-muted not-disabled:hover:text-foreground aria-pressed:bg-primary-subtle aria-pressed:text-primary data-popup-open:bg-muted data-popup-open:text-foreground inline-flex items-center justify-center gap-0.5 rounded transition-colors';

type ToolbarButtonProps = Omit<ComponentProps<typeof Toolbar.Button>, 'className' | 'children'> & {
  label: string;
  /** The shortcut that does the same. */
  keys?: string;
  icon: ReactNode;
  /** For what is on or off. */
  pressed?: boolean;
};

/** A tool: only an icon is shown; its label is read aloud and shown as a tooltip. */
export function ToolbarButton({ label, keys, icon, pressed, ...rest }: ToolbarButtonProps) {
  return (
    <Toolbar.Button
      {...rest}
      aria-label={label}
      title={keys === undefined ? label : `${label} (${keys})`}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      // The selection in the text must not go while a tool is pressed.
      onMouseDown={(event) => event.preventDefault()}
      className={toolbarButtonClasses}
    >
      {icon}
    </Toolbar.Button>
  );
}
