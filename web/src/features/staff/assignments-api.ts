// Requests of the assignments: the members of the staff who care for a client.
import { queryOptions } from '@tanstack/react-query';

import { db } from '~/lib/api/postgrest';

import { staffName } from './api';

/** A member of the staff who cares for a client. */
export type Assignment = {
  id: string;
  staffId: string;
  name: string;
  department: string | null;
  isResponsible: boolean;
};
/** A client who is assigned to a member of the staff. */
export type AssignedClient = { id: string; clientId: string };

export const assignmentKeys = { all: ['assignments'] as const };

/** The staff of a client: the responsible person first. */
export function assignmentsOfClientQuery(clientId: string) {
  return queryOptions({
    queryKey: [...assignmentKeys.all, 'client', clientId],
    async queryFn({ signal }): Promise<Assignment[]> {
      const { data } = await db()
        .from('client_assignments')
        .select('id,staff_id,is_responsible,staff(email,user_metadata,department)')
        .eq('client_id', clientId)
        .order('is_responsible', { ascending: false })
        .order('created_at')
        .order('id')
        .limit(MAX_STAFF)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({
        id: row.id,
        staffId: row.staff_id,
        name: row.staff ? staffName(row.staff) : 'N/A',
        department: row.staff?.department ?? null,
        isResponsible: row.is_responsible,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar equipe' } },
  });
}

/** The clients of a member of the staff. */
export function assignedClientsQuery(staffId: string) {
  return queryOptions({
    queryKey: [...assignmentKeys.all, 'staff', staffId],
    async queryFn({ signal }): Promise<(AssignedClient & { email: string; fullName: string | null })[]> {
      const { data } = await db()
        .from('client_assignments')
        .select('id,client_id,clients(email,user_metadata)')
        .eq('staff_id', staffId)
        .order('created_at')
        .order('id')
        .limit(MAX_CLIENTS)
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({
        id: row.id,
        clientId: row.client_id,
        email: row.clients?.email ?? '',
        fullName: row.clients ? staffName(row.clients) : null,
      }));
    },
    meta: { errorToast: { title: 'Erro ao buscar clientes' } },
  });
}

/** Maximum number of members of the staff of one client in the list. */
const MAX_STAFF = 50;
/** Maximum number of clients of one member of the staff in the list. */
const MAX_CLIENTS = 1000;

/** Assigns a client to members of the staff, or several clients to one. */
export async function assign(
  rows: { client_id: string; staff_id: string; is_responsible?: boolean }[],
): Promise<void> {
  await db().from('client_assignments').insert(rows).throwOnError();
}

export async function setResponsible({ id, isResponsible }: Pick<Assignment, 'id' | 'isResponsible'>) {
  await db().from('client_assignments').update({ is_responsible: isResponsible }).eq('id', id).throwOnError();
}

export async function unassign({ id }: { id: string }): Promise<void> {
  await db().from('client_assignments').delete().eq('id', id).throwOnError();
}
