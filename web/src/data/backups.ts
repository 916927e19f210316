// How the office's backups stand.
import { queryOptions } from '@tanstack/react-query';

import { rest } from '~/lib/rest';
import type { BackupStatus } from '~/lib/tables';

export function backupStatusQuery() {
  return queryOptions({
    queryKey: ['backups', 'status'],
    async queryFn({ signal }): Promise<BackupStatus> {
      const { data } = await rest().rpc('backup_status', {}).abortSignal(signal).throwOnError();
      return data;
    },
  });
}
