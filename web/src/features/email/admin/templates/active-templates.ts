import type { EmailTemplate } from '~/features/email/api/templates';

/** Which template each trigger is sent with, by the trigger: the one that was changed last. */
export function templatesInUse(templates: readonly EmailTemplate[]): Map<string, string> {
  const newestLast = templates.toSorted(
    (a, b) => a.updated_at.localeCompare(b.updated_at) || a.id.localeCompare(b.id),
  );
  return new Map(newestLast.map(({ event_trigger, id }) => [event_trigger, id]));
}
