// Requests of the office's settings.
import { queryOptions } from '@tanstack/react-query';

import { findRecordChange } from '~/features/activity/api';
import { type EditConflict, updateUnlessChanged } from '~/hooks/use-guarded-save';
import type { OfficeSettingsRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';
import { loadServerConfig } from '~/lib/api/server-config';

export type OfficeSettings = OfficeSettingsRow;
export type OfficeChanges = Omit<OfficeSettings, 'id' | 'updated_at'>;

export const officeKeys = { all: ['office'] as const };

export function officeSettingsQuery() {
  return queryOptions({
    queryKey: [...officeKeys.all, 'settings'],
    async queryFn({ signal }): Promise<OfficeSettings> {
      const { data } = await db()
        .from('office_settings')
        .select('*')
        .abortSignal(signal)
        .single()
        .throwOnError();
      return data;
    },
    meta: { errorToast: { title: 'Erro ao carregar configurações' } },
  });
}

/** Saves the settings, unless one has changed since it was seen, and shows them in this tab. */
export async function saveOfficeSettings<Values extends object>(
  changes: OfficeChanges,
  {
    seen,
    mine,
    toValues,
  }: { seen: OfficeSettings; mine: Values; toValues: (saved: OfficeSettings) => Values },
): Promise<EditConflict<OfficeSettings, Values> | null> {
  const conflict = await updateUnlessChanged({
    seen,
    mine,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the values are those of the type.
    written: Object.keys(mine) as (keyof Values)[],
    toValues,
    async update({ updated_at }) {
      const { data } = await db()
        .from('office_settings')
        .update(changes)
        .eq('id', seen.id)
        .eq('updated_at', updated_at)
        .select('*')
        .maybeSingle()
        .throwOnError();
      if (data) queryClient.setQueryData(officeSettingsQuery().queryKey, data);
      return data !== null;
    },
    reload: () => queryClient.fetchQuery({ ...officeSettingsQuery(), staleTime: 0 }),
    findChange: ({ updated_at }) =>
      findRecordChange({ event: 'office.changed', id: seen.id, column: 'subject_id' }, updated_at),
  });
  // The settings are saved even if the tab cannot show them yet.
  if (conflict === null) await loadServerConfig().catch(() => {});
  return conflict;
}
