// Draft of a new request: the form survives the end of a session and a reload.
import { useEffect, useState } from 'react';
import * as z from 'zod/mini';

import { useUser } from '~/features/auth/session';
import { deleteDraft, listDrafts, newDraft, saveDraft } from '~/lib/drafts/drafts';

const draftSchema = z.object({
  clients: z.array(z.object({ id: z.string(), email: z.string(), fullName: z.nullable(z.string()) })),
  items: z.array(
    z.object({
      key: z.string(),
      name: z.string(),
      hint: z.nullable(z.string()),
      repeats_monthly: z.boolean(),
    }),
  ),
  month: z.string(),
  dueOn: z.string(),
});

export type RequestDraft = z.infer<typeof draftSchema>;

const ID = 'new';

/** Returns the draft that the page found, and functions that store the form and delete the draft. */
export function useRequestDraft() {
  const { id: userId } = useUser();
  const scope = { userId, kind: 'request' };
  const [restored] = useState(
    () =>
      listDrafts(scope, (stored) => draftSchema.safeParse(stored).data).find(({ id }) => id === ID)?.values,
  );
  return { restored, remove: () => deleteDraft(scope, ID) };
}

/** Stores each change of the form. A form without clients and items has no draft. */
export function useStoredRequest({ clients, items, month, dueOn }: RequestDraft, isWritten: boolean): void {
  const { id: userId } = useUser();
  useEffect(() => {
    const scope = { userId, kind: 'request' };
    if (!isWritten) return deleteDraft(scope, ID);
    const kept = clients.map(({ id, email, fullName }) => ({ id, email, fullName }));
    saveDraft(scope, newDraft({ clients: kept, items, month, dueOn }, ID));
  }, [userId, clients, items, month, dueOn, isWritten]);
}
