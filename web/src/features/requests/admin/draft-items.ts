// The items in the form of a request.
import type { TemplateItem } from '~/lib/api/database';
import { randomUuid } from '~/lib/uuid';

/** An item in the form. `key` identifies its row while its values change. */
export type DraftItem = TemplateItem & { key: string };

export function emptyItem(): DraftItem {
  return { key: randomUuid(), name: '', hint: null, repeats_monthly: false };
}

/**
 * Returns the items that a template adds: those whose names the form does not have. `kept` are the items of the form
 * that stay: those that were typed or changed, but not the untouched ones of the template before.
 */
export function fillFromTemplate(
  items: readonly DraftItem[],
  filled: readonly DraftItem[],
  template: readonly TemplateItem[],
): { kept: DraftItem[]; added: DraftItem[] } {
  const kept = items.filter(
    (item) => !filled.includes(item) && (item.name.trim() !== '' || item.hint !== null),
  );
  const names = new Set(kept.map(({ name }) => name.trim()));
  const added = template
    .filter(({ name }) => !names.has(name))
    .map((item) => ({ ...item, key: randomUuid() }));
  return { kept, added };
}
