/** Focuses the first field that the next change adds to an element, such as that of a new line of a list. */
export function focusAdded(container: Element | null): void {
  const before = new Set(container?.querySelectorAll('input'));
  requestAnimationFrame(() =>
    [...(container?.querySelectorAll('input') ?? [])].find((input) => !before.has(input))?.focus(),
  );
}
