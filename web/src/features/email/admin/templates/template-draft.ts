// Draft of a template form: the input that is not saved yet survives the end of a session and a reload.
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import * as z from 'zod/mini';

import { SAVED_VERSION } from '~/components/edit-conflict-dialog';
import { useUser } from '~/features/auth/session';
import type { EmailTemplate } from '~/features/email/api/templates';
import { deleteDraft, type DraftScope, listDrafts, newDraft, saveDraft } from '~/lib/drafts/drafts';

import { blankTemplate, toTemplateValues, type TemplateValues } from './template-schema';

const draftSchema = z.object({
  // The template on which the edits are based; null for a new one.
  seen: z.nullable(
    z.object({
      id: z.string(),
      name: z.string(),
      subject: z.string(),
      html_content: z.string(),
      event_trigger: z.string(),
      description: z.nullable(z.string()),
      created_at: z.string(),
      updated_at: z.string(),
    }),
  ),
  edited: z.object({
    name: z.optional(z.string()),
    description: z.optional(z.string()),
    subject: z.optional(z.string()),
    event_trigger: z.optional(z.string()),
    html_content: z.optional(z.string()),
  }),
});

export type TemplateFormDraft = z.infer<typeof draftSchema>;

/** Stores the fields that differ from the template, or deletes the draft if none does. */
export function storeTemplateDraft(
  scope: DraftScope,
  seen: EmailTemplate | null,
  values: TemplateValues,
): void {
  const base = seen ? toTemplateValues(seen) : blankTemplate;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the type are those of the object.
  const fields = (Object.keys(base) as (keyof TemplateValues)[]).filter(
    (field) => values[field] !== base[field],
  );
  const edited = Object.fromEntries(fields.map((field) => [field, values[field]]));
  if (fields.length === 0) deleteDraft(scope, draftId(seen));
  else saveDraft(scope, newDraft({ seen, edited }, draftId(seen)));
}

/** The stored draft of a template; `id` is null for a new one. */
export function loadTemplateDraft(scope: DraftScope, id: string | null): TemplateFormDraft | undefined {
  const drafts = listDrafts(scope, (stored) => draftSchema.safeParse(stored).data);
  return drafts.find((draft) => draft.id === draftId(id === null ? null : { id }))?.values;
}

const draftId = (template: { id: string } | null) => template?.id ?? 'new';

type TemplateDraftOptions = {
  /** The template on which the edits are based; null for a new one. */
  seen: EmailTemplate | null;
  values: TemplateValues;
  /** Applies the draft that was stored before. */
  onRestore: (draft: TemplateFormDraft) => void;
};

/**
 * Stores each change of the form. Returns whether a draft was restored, and a function that deletes the draft. A page
 * that shows the saved version keeps none.
 */
export function useTemplateDraft({ seen, values, onRestore }: TemplateDraftOptions) {
  const user = useUser();
  const isKept = !useSearchParams()[0].has(SAVED_VERSION);
  // Without a user nothing is stored.
  const userId = isKept ? user.id : '';
  const scope = { userId, kind: 'template' };
  const [restored] = useState(() => loadTemplateDraft(scope, seen?.id ?? null));
  const unapplied = useRef(restored);
  useEffect(() => {
    if (unapplied.current) onRestore(unapplied.current);
    unapplied.current = undefined;
  }, [onRestore]);
  const { name, description, subject, event_trigger, html_content } = values;
  useEffect(
    () =>
      storeTemplateDraft({ userId, kind: 'template' }, seen, {
        name,
        description,
        subject,
        event_trigger,
        html_content,
      }),
    [userId, seen, name, description, subject, event_trigger, html_content],
  );
  const remove = () => deleteDraft(scope, draftId(seen));
  return { isRestored: restored !== undefined, remove: isKept ? remove : undefined };
}
