// Requests of the staff: the accounts with the administrator role.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { getFullName } from '~/features/clients/api/full-name';
import type { StaffRow } from '~/lib/api/database';
import { db } from '~/lib/api/postgrest';
import { ilikePattern, quoteFilterValue } from '~/lib/api/postgrest-filters';
import { queryClient } from '~/lib/api/query-client';
import { supabase } from '~/lib/api/supabase';
import { accentInsensitiveRegex } from '~/lib/text-search';

import { departmentOf } from './departments';

const NAME = 'user_metadata->>full_name';

export const staffKeys = { all: ['staff'] as const };

export type StaffMember = {
  id: string;
  email: string;
  fullName: string | null;
  last_sign_in_at: string | null;
  second_step: boolean;
  role: StaffRole;
  /** Whether the person reaches only the clients assigned to the person. */
  assignedClientsOnly: boolean;
  /** The label of the department; empty for none. */
  department: string;
  /** When the person was invited; null once the invitation is accepted or withdrawn. */
  invitedAt: string | null;
};

/** The rights of a member of the staff: all, those of the daily work, or reading. */
export type StaffRole = 'administrator' | 'employee' | 'reader';

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
    async queryFn({ signal }): Promise<{ id: string; name: string; department: string }[]> {
      const { data } = await db()
        .from('staff')
        .select('id,email,user_metadata,department')
        .order('email')
        .abortSignal(signal)
        .throwOnError();
      return data
        .map((row) => ({ id: row.id, name: staffName(row), department: row.department ?? '' }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'pt-BR'));
    },
    meta: { errorToast: { title: 'Erro ao buscar equipe' } },
  });
}

/** An id that no account has, so that a department without people selects nothing. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

/** The ids of the people of the department that the value of a filter names; empty for other values. */
export async function teamOf(value: string | null): Promise<string[]> {
  const department = departmentOf(value);
  if (department === null) return [];
  const staff = await queryClient.ensureQueryData(staffQuery());
  return [NO_ACCOUNT, ...staff.filter((member) => member.department === department).map(({ id }) => id)];
}

/** Members of the staff who match a name or an e-mail address, ordered by name. */
export function searchStaffQuery(search: string) {
  const term = search.trim();
  return queryOptions({
    queryKey: [...staffKeys.all, 'found', term],
    async queryFn({ signal }): Promise<StaffMember[]> {
      let query = db().from('staff').select(MEMBER_COLUMNS);
      if (term !== '') {
        const email = quoteFilterValue(ilikePattern(term));
        const name = quoteFilterValue(accentInsensitiveRegex(term));
        query = query.or(`email.ilike.${email},${NAME}.imatch.${name}`);
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
        role: toStaffRole(row.office_role),
        assignedClientsOnly: row.assigned_clients_only,
        department: row.department ?? '',
        invitedAt: row.invited_at,
      }));
    },
    placeholderData: keepPreviousData,
    meta: { errorToast: failure },
  });
}

const MEMBER_COLUMNS =
  'id,email,user_metadata,last_sign_in_at,second_step,invited_at,office_role,assigned_clients_only,department';

function toStaffRole(role: string | null): StaffRole {
  if (role === null) return 'administrator';
  return role === 'employee' ? 'employee' : 'reader';
}

const ROLE = 'admin';

/** The rights of a new or changed member of the staff. */
export type StaffRights = { role: StaffRole; assignedClientsOnly: boolean; department: string };

/** Invites a colleague by mail. An account that was invited before receives another invitation. */
export async function inviteColleague({
  email,
  full_name,
  ...rights
}: { email: string; full_name: string } & StaffRights): Promise<void> {
  const { admin } = await supabase();
  const { data, error } = await admin.inviteUserByEmail(email, { data: { full_name } });
  if (error) throw error;
  await setRoles(data.user.id, (roles) => [...roles, ROLE], toMetadata(rights));
}

/** Grants the administrator role to an existing account. */
export async function grantAdmin(id: string): Promise<void> {
  await setRoles(id, (roles) => [...roles, ROLE], NO_LIMITS);
}

/** Revokes the administrator role. The account stays as a client. */
export async function revokeAdmin({ id }: Pick<StaffMember, 'id'>): Promise<void> {
  await setRoles(id, (roles) => roles, { ...NO_LIMITS, department: null });
}

/** Changes the rights of a member of the staff. */
export async function changeStaffRights({ id, ...rights }: { id: string } & StaffRights): Promise<void> {
  const { admin } = await supabase();
  const { error } = await admin.updateUserById(id, { app_metadata: toMetadata(rights) });
  if (error) throw error;
}

const NO_LIMITS = { office_role: null, assigned_clients_only: null };

function toMetadata({ role, assignedClientsOnly, department }: StaffRights) {
  const label = { department: department.trim() || null };
  if (role === 'administrator') return { ...NO_LIMITS, ...label };
  return { office_role: role, assigned_clients_only: assignedClientsOnly || null, ...label };
}

type Limits = Omit<ReturnType<typeof toMetadata>, 'department'> & { department?: string | null };

async function setRoles(id: string, change: (others: unknown[]) => unknown[], limits: Limits): Promise<void> {
  const { admin } = await supabase();
  const { data, error } = await admin.getUserById(id);
  if (error) throw error;
  const roles: unknown = data.user.app_metadata['roles'];
  const others = Array.isArray(roles) ? roles.filter((role) => role !== ROLE) : [];
  const changed = await admin.updateUserById(id, {
    app_metadata: { roles: change(others), ...limits },
  });
  if (changed.error) throw changed.error;
}
