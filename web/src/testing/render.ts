// Renders components in a unit test. The test file begins with `// @vitest-environment happy-dom`.
import { act, type ReactNode } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, vi } from 'vitest';

let root: Root | null = null;

/** Shows an element in an empty page, and removes it after the test. */
export async function render(element: ReactNode): Promise<void> {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  const place = document.createElement('div');
  document.body.replaceChildren(place);
  root = createRoot(place);
  await perform(() => root?.render(element));
}

/** Runs an action and waits until React has shown what follows from it. */
export async function perform(action: () => unknown): Promise<void> {
  await act(async () => {
    await action();
  });
}

/** The only element that matches a selector, and whose text is `text` if that is given. */
export function find(selector: string, text?: string): HTMLElement {
  const found = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (element) => text === undefined || element.textContent === text,
  );
  const [only] = found;
  if (!only || found.length > 1) throw new Error(`${found.length} elements match ${selector} ${text ?? ''}`);
  return only;
}

/** Types into a control as a person would. */
export async function type(control: HTMLElement, text: string): Promise<void> {
  await perform(() => {
    // By the prototype: React replaces the property of the element, and would not notice the change.
    Reflect.set(Object.getPrototypeOf(control), 'value', text, control);
    control.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

afterEach(async () => {
  await perform(() => root?.unmount());
  root = null;
  vi.unstubAllGlobals();
});
