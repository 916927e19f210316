// Query of the state of the installation.
import { queryOptions } from '@tanstack/react-query';

import type { SystemStatus } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

/** The server examines the installation for each request, at most once in five seconds. */
export function systemStatusQuery() {
  return queryOptions({
    queryKey: ['system', 'status'],
    async queryFn({ signal }): Promise<SystemStatus> {
      const { data } = await db().rpc('system_status', {}).abortSignal(signal).throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao examinar o sistema' } },
  });
}
