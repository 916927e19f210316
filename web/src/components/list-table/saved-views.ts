// Saved views of a list: a name for filters and order, which follows the person to other machines.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';

import { useApiMutation } from '~/hooks/use-api-mutation';
import { db } from '~/lib/api/postgrest';
import { randomUuid } from '~/lib/uuid';

export type SavedView = {
  id: string;
  name: string;
  /** The URL parameters, in the form of `canonicalSearch`. */
  search: string;
};

/** Maximum number of views of one list. */
export const MAX_VIEWS = 20;
/** Maximum length of a name, in characters. */
export const MAX_VIEW_NAME = 60;

const viewKeys = { all: ['saved-views'] as const };

/** The parameters in a fixed order, so that equal filters are equal texts. */
export function canonicalSearch(params: URLSearchParams): string {
  const sorted = new URLSearchParams(params);
  sorted.sort();
  return sorted.toString();
}

function savedViewsQuery(list: string) {
  return queryOptions({
    queryKey: [...viewKeys.all, list],
    async queryFn({ signal }): Promise<SavedView[]> {
      const { data } = await db()
        .from('saved_views')
        .select('id,name,search')
        .eq('list', list)
        .order('created_at')
        .order('id')
        .limit(MAX_VIEWS)
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao buscar as visões' } },
  });
}

type NewView = Pick<SavedView, 'name' | 'search'>;
/** A view that was sent, and whose answer may be lost. */
type Attempt = { view: NewView; idempotencyKey: string };

/** The same view keeps its key, so that a repetition after a lost answer creates no second one. */
function nextAttempt(last: Attempt | null, view: NewView): Attempt {
  const isSame = last?.view.name === view.name && last.view.search === view.search;
  return isSame ? last : { view, idempotencyKey: randomUuid() };
}

/** The views of a list and their changes. `list` is the list's name. */
export function useSavedViews(list: string) {
  const views = useQuery(savedViewsQuery(list));
  const options = { invalidates: [viewKeys.all], errorToast: { title: 'Erro ao salvar a visão' } };
  const attempt = useRef<Attempt>(null);
  const save = useApiMutation({
    ...options,
    async mutationFn(view: NewView) {
      attempt.current = nextAttempt(attempt.current, view);
      await db()
        .from('saved_views')
        .insert({ ...view, list })
        .setHeader('Idempotency-Key', attempt.current.idempotencyKey)
        .throwOnError();
      // The same view may be saved again after its deletion.
      attempt.current = null;
    },
  });
  const rename = useApiMutation({
    ...options,
    async mutationFn({ id, name }: { id: string; name: string }) {
      await db().from('saved_views').update({ name }).eq('id', id).throwOnError();
      attempt.current = null;
    },
  });
  const remove = useApiMutation({
    ...options,
    async mutationFn(id: string) {
      await db().from('saved_views').delete().eq('id', id).throwOnError();
      // It may be the view of an attempt with a lost answer, and the same may be saved again.
      attempt.current = null;
    },
  });
  return { views, save, rename, remove };
}
