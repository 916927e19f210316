// Templates of requests.
import { queryOptions } from '@tanstack/react-query';

import type { TemplateItem } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

export type RequestTemplate = { id: string; name: string; items: TemplateItem[] };

export const templateKeys = { all: ['request-templates'] as const };

export function requestTemplatesQuery() {
  return queryOptions({
    queryKey: templateKeys.all,
    async queryFn({ signal }): Promise<RequestTemplate[]> {
      const { data } = await db()
        .from('request_templates')
        .select('id,name,items')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao buscar modelos' } },
  });
}

/** Saves a template; an existing `id` keeps its place. */
export async function saveTemplate({
  id,
  name,
  items,
}: Omit<RequestTemplate, 'id'> & { id: string | null }): Promise<void> {
  const table = db().from('request_templates');
  await (
    id === null ? table.insert({ name, items }) : table.update({ name, items }).eq('id', id)
  ).throwOnError();
}

export async function deleteTemplate(id: string): Promise<void> {
  await db().from('request_templates').delete().eq('id', id).throwOnError();
}
