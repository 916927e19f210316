import { queryOptions } from '@tanstack/react-query';

import { rest } from '~/lib/rest';

export const templateKeys = { all: ['email-templates'] as const };

export function templateCountQuery() {
  return queryOptions({
    queryKey: [...templateKeys.all, 'count'],
    async queryFn({ signal }): Promise<number> {
      const { count } = await rest()
        .from('email_templates')
        .select('*', { count: 'exact', head: true })
        .abortSignal(signal)
        .throwOnError();
      return count ?? 0;
    },
    meta: { failure: { title: 'Erro ao buscar templates' } },
  });
}
