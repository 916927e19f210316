// Insertion of a text into a field by a control outside it.

/** Replaces the selection of the field, which then has the focus, and dispatches an input event. */
export function insertAtCursor(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.focus();
}
