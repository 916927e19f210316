// Keyboard shortcuts.
import { useEffectEvent, useLayoutEffect } from 'react';

import { areShortcutsOn } from '~/lib/shortcut-settings';

/** Elements that take keys themselves. A closed dialog is not in the page. */
const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';
const APP_ROOT = 'root';
/** A popup that fades out is closed. */
const FLOATING =
  ':is([role=dialog], [role=alertdialog], [role=menu], [role=listbox]):not([data-closed]), dialog[open]';

/**
 * Calls the function of a pressed key, unless a person types, a dialog or a menu is open, or the person has switched
 * such shortcuts off.
 */
export function useKeyShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  useKeyDown((event) => {
    const act = Object.hasOwn(shortcuts, event.key) ? shortcuts[event.key] : undefined;
    if (!act || event.isComposing || !areShortcutsOn()) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target instanceof Element && event.target.closest(TYPING)) return;
    if (isFloatingOpen(event.target)) return;
    event.preventDefault();
    act();
  });
}

/** Calls the function when a key is pressed with Control or Command, unless a dialog or a menu is open. */
export function useModShortcut(key: string, act: () => void): void {
  useKeyDown((event) => {
    if (!isModShortcut(event, key) || isFloatingOpen(event.target)) return;
    event.preventDefault();
    act();
  });
}

type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

export function isModShortcut({ key, ctrlKey, metaKey, altKey, shiftKey }: Keys, wanted: string): boolean {
  return key.toLowerCase() === wanted && (ctrlKey || metaKey) && !altKey && !shiftKey;
}

function useKeyDown(onKeyDown: (event: KeyboardEvent) => void): void {
  const handle = useEffectEvent(onKeyDown);
  // Before the page is shown, so that no key is lost.
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!event.defaultPrevented) handle(event);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

/**
 * Whether a dialog or a menu is open. Those in portals are searched beside the app, because a search of a long list is
 * slow; the others hold the focus.
 */
export function isFloatingOpen(focused: EventTarget | null): boolean {
  if (focused instanceof Element && focused.closest(FLOATING)) return true;
  return [...document.body.children].some(
    (child) => child.id !== APP_ROOT && child.querySelector(FLOATING) !== null,
  );
}
