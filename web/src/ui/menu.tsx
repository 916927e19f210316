// Menus.
import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

import { cn } from './cn';

export const createMenuHandle = Base.createHandle;
export type MenuHandle<Payload> = Base.Handle<Payload>;
/** A menu. The page behind it stays as it is: making it inert would cost a layout of the whole page. */
export function MenuRoot<Payload>(props: Base.Root.Props<Payload>) {
  return <Base.Root modal={false} {...props} />;
}
export const MenuTrigger = Base.Trigger;
export const MenuRadioGroup = Base.RadioGroup;

const itemClasses =
  'data-highlighted:bg-muted flex min-h-11 w-full cursor-default items-center gap-3 rounded-md px-3 py-2 text-body outline-none select-none data-disabled:text-muted-foreground';

/** The surface of a menu. It opens below the trigger, at its right edge. */
export function MenuPopup({ children }: { children: ReactNode }) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} align="end" className="z-50">
        <Base.Popup className="border-border bg-card shadow-popover max-h-(--available-height) min-w-52 overflow-y-auto overscroll-contain rounded border p-1 transition-opacity outline-none data-ending-style:opacity-0 data-starting-style:opacity-0">
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

type MenuItemProps = ComponentProps<typeof Base.Item> & { icon?: ReactNode; danger?: boolean };

export function MenuItem({ icon, danger = false, children, ...rest }: MenuItemProps) {
  return (
    <Base.Item
      {...rest}
      className={cn(itemClasses, danger && 'text-danger data-highlighted:bg-danger-subtle')}
    >
      {icon}
      {children}
    </Base.Item>
  );
}

type MenuLinkItemProps = ComponentProps<typeof Base.LinkItem> & { icon?: ReactNode };

/** An item that leads to a page. `render` is the link. */
export function MenuLinkItem({ icon, children, ...rest }: MenuLinkItemProps) {
  return (
    <Base.LinkItem closeOnClick {...rest} className={itemClasses}>
      {icon}
      {children}
    </Base.LinkItem>
  );
}

type MenuCheckboxItemProps = {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  /** A note at the end of the item. */
  note?: string | undefined;
  children: ReactNode;
};

/** An item that is switched on or off. The menu stays open. */
export function MenuCheckboxItem({ checked, onCheckedChange, note, children }: MenuCheckboxItemProps) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onCheckedChange} className={itemClasses}>
      <span className="flex size-4.5 shrink-0 items-center justify-center">
        <Base.CheckboxItemIndicator>
          <Check size={18} aria-hidden className="text-primary" />
        </Base.CheckboxItemIndicator>
      </span>
      <span className="min-w-0 flex-1">
        {children}
        {note !== undefined && <span className="text-muted-foreground text-caption block">{note}</span>}
      </span>
    </Base.CheckboxItem>
  );
}

/** An item of a `MenuRadioGroup`. */
export function MenuRadioItem({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Base.RadioItem value={value} className={itemClasses}>
      <span className="flex size-4.5 shrink-0 items-center justify-center">
        <Base.RadioItemIndicator>
          <Check size={18} aria-hidden className="text-primary" />
        </Base.RadioItemIndicator>
      </span>
      {children}
    </Base.RadioItem>
  );
}

/** A titled section of a menu. */
export function MenuSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Base.Group className="border-border not-first:mt-1 not-first:border-t not-first:pt-1">
      <Base.GroupLabel className="text-muted-foreground text-caption px-3 pt-2 pb-1 font-medium">
        {title}
      </Base.GroupLabel>
      {children}
    </Base.Group>
  );
}
