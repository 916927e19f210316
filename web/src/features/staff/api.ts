// Requests of the staff: the accounts with the administrator role.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { getFullName } from '~/features/clients/api/clients';
import type { StaffRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { supabase } from '~/lib/api/supabase';

const NAME = 'user_metadata->>full_name';

export const staffKeys = { all: ['staff'] as const };

export type StaffMember = {
  id: string;
  email: string;
  fullName: string | null;
  last_sign_in_at: string | null;
  second_step: boolean;
  /** When the person was invited; null once the invitation is accepted or withdrawn. */
  invitedAt: string | null;
};

const failure = { title: 'Erro ao buscar administradores' };
/** Maximum number of results of a staff search. */
const SEARCH_LIMIT = 100;

/** Name of a staff member, or the e-mail address if no name is stored. */
export function staffName(row: Pick<StaffRow, 'email' | 'user_metadata'>): string {
  return getFullName(row) ?? row.email;
}

/** All possible assignees of tickets, ordered by name, without pagination. */
export function staffQuery() {
  return queryOptions({
    queryKey: [...staffKeys.all, 'all'],
    async queryFn({ signal }): Promise<{ id: string; name: string }[]> {
      const { data } = await db()
        .from('staff')
        .select('id,email,user_metadata')
        .order('email')
        .abortSignal(signal)
        .throwOnError();
      return data
        .map((row) => ({ id: row.id, name: staffName(row) }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
    },
    meta: { errorToast: { title: 'Erro ao buscar equipe' } },
  });
}

/** Administrators that match a name or an e-mail address, ordered by name. */
export function searchStaffQuery(search: string) {
  const term = search.trim();
  return queryOptions({
    queryKey: [...staffKeys.all, 'found', term],
    async queryFn({ signal }): Promise<StaffMember[]> {
      let query = db().from('staff').select('id,email,user_metadata,last_sign_in_at,second_step,invited_at');
      if (term !== '') {
        const pattern = quoteFilterValue(ilikePattern(term));
        query = query.or(`email.ilike.${pattern},${NAME}.ilike.${pattern}`);
      }
      const { data } = await query
        .order(NAME)
        .order('id')
        .limit(SEARCH_LIMIT)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({
        id: row.id,
        email: row.email,
        fullName: getFullName(row),
        last_sign_in_at: row.last_sign_in_at,
        second_step: row.second_step,
        invitedAt: row.invited_at,
      }));
    },
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

const ROLE = 'admin';

/** Invites a colleague by mail, as an administrator. An account that was invited before receives another invitation. */
export async function inviteColleague(input: { email: string; full_name: string }): Promise<void> {
  const { admin } = await supabase();
  const { data, error } = await admin.inviteUserByEmail(input.email, {
    data: { full_name: input.full_name },
  });
  if (error) throw error;
  await grantAdmin(data.user.id);
}

/** Grants the administrator role to an existing account. */
export async function grantAdmin(id: string): Promise<void> {
  await setRoles(id, (roles) => [...roles, ROLE]);
}

/** Revokes the administrator role. The account stays as a client. */
export async function revokeAdmin({ id }: Pick<StaffMember, 'id'>): Promise<void> {
  await setRoles(id, (roles) => roles);
}

async function setRoles(id: string, change: (others: unknown[]) => unknown[]): Promise<void> {
  const { admin } = await supabase();
  const { data, error } = await admin.getUserById(id);
  if (error) throw error;
  const roles: unknown = data.user.app_metadata['roles'];
  const others = Array.isArray(roles) ? roles.filter((role) => role !== ROLE) : [];
  const changed = await admin.updateUserById(id, { app_metadata: { roles: change(others) } });
  if (changed.error) throw changed.error;
}
