// Query of the backup status.
import { queryOptions } from '@tanstack/react-query';

import type { BackupStatus } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';

export function backupStatusQuery() {
  return queryOptions({
    queryKey: ['backups', 'status'],
    async queryFn({ signal }): Promise<BackupStatus> {
      const { data } = await db().rpc('backup_status', {}).abortSignal(signal).throwOnError();
      return data;
    },
  });
}
