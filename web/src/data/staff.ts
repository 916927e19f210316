// The people of the office.
import { queryOptions } from '@tanstack/react-query';

import { server } from '~/lib/supabase';
import type { StaffRow } from '~/lib/tables';

export type StaffMember = { id: string; name: string };

export const staffKeys = { all: ['staff'] as const };

/** Everybody who may see to a ticket, by name. They are few. */
export function staffQuery() {
  return queryOptions({
    queryKey: staffKeys.all,
    async queryFn({ signal }): Promise<StaffMember[]> {
      const { data } = await server()
        .rest.from('staff')
        .select('id,email,user_metadata')
        .order('email')
        .abortSignal(signal)
        .throwOnError();
      return data
        .map((row) => ({ id: row.id, name: staffName(row) }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
    },
    meta: { failure: { title: 'Erro ao buscar equipe' } },
  });
}

/** What a person of the office is called; their address if nobody said. */
export function staffName({ email, user_metadata }: Pick<StaffRow, 'email' | 'user_metadata'>): string {
  const name = user_metadata.full_name?.trim() ?? '';
  return name === '' ? email : name;
}
