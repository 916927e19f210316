// Shortcuts of one key, without a modifier.
import { useEffect, useRef } from 'react';

import { areShortcutsOn } from '~/lib/shortcut-settings';

/** Elements that take keys themselves. A closed dialog is not in the page. */
const TYPING = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';
const APP_ROOT = 'root';
const FLOATING = '[role=dialog], [role=alertdialog], [role=menu], [role=listbox], dialog[open]';

/** Calls the function of a pressed key, unless a person types or a dialog or a menu is open. */
export function useKeyShortcuts(shortcuts: Readonly<Record<string, () => void>>): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const act = Object.hasOwn(latest.current, event.key) ? latest.current[event.key] : undefined;
      if (!act || event.defaultPrevented || event.isComposing || !areShortcutsOn()) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest(TYPING)) return;
      if (isFloatingOpen(event.target)) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

/**
 * Whether a dialog or a menu is open. Those in portals are searched beside the app, because a search of a long list is
 * slow; the others hold the focus.
 */
function isFloatingOpen(focused: EventTarget | null): boolean {
  if (focused instanceof Element && focused.closest(FLOATING)) return true;
  return [...document.body.children].some(
    (child) => child.id !== APP_ROOT && child.querySelector(FLOATING) !== null,
  );
}
