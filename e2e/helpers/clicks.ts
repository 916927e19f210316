// Counter of what a person does in a browser: clicks, and keys that act like one.

import type { BrowserContext } from '@playwright/test';

const BINDING = 'reportClick';

/**
 * Counts presses of the pointer, Enter and Space on controls, Enter in one-line fields, and Ctrl+Enter, on all pages of
 * the context that are opened later. Typing and Tab do not count. Returns the function that reads the number.
 */
export async function countClicks(context: BrowserContext): Promise<() => number> {
  let count = 0;
  await context.exposeFunction(BINDING, () => {
    count += 1;
  });
  await context.addInitScript((binding) => {
    const report = () => {
      const send: unknown = Reflect.get(window, binding);
      if (typeof send === 'function') send();
    };
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && report(), { capture: true });
    addEventListener(
      'keydown',
      ({ isTrusted, key, ctrlKey, metaKey, target }) => {
        if (!isTrusted || !(target instanceof Element)) return;
        const isControl = target.matches('button, a, input[type=checkbox], [role=option], [role=menuitem]');
        const isSubmit = key === 'Enter' && (ctrlKey || metaKey || target.matches('input'));
        if (isSubmit || (isControl && (key === 'Enter' || key === ' '))) report();
      },
      { capture: true },
    );
  }, BINDING);
  return () => count;
}
