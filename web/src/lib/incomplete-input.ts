// Dates that are typed in part, whose fields have the value of empty ones.

export const INCOMPLETE_INPUT = 'Complete a data, ou apague o que digitou.';

/** Whether a field contains a part of a date or time, or one that does not exist, such as 31/02. */
export function isIncomplete(field: unknown): boolean {
  return field instanceof HTMLInputElement && field.validity.badInput;
}
