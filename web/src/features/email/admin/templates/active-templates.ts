// Selection of the template that each trigger uses.
import type { EmailTemplateListItem } from '~/features/email/api/templates';

/** IDs of the active templates by trigger. The most recently updated template of a trigger is active. */
export function templatesInUse(templates: readonly EmailTemplateListItem[]): Map<string, string> {
  const newestLast = templates.toSorted(
    (a, b) => a.updated_at.localeCompare(b.updated_at) || a.id.localeCompare(b.id),
  );
  return new Map(newestLast.map(({ event_trigger, id }) => [event_trigger, id]));
}
