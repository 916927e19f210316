// Requests of the people of a client, and of the clients for whom the signed-in person acts.
import { queryOptions } from '@tanstack/react-query';

import { folderKeys } from '~/features/folders/api';
import { accountApi } from '~/lib/api/account-api';
import { db } from '~/lib/api/postgrest';
import { queryClient } from '~/lib/api/query-client';

import { type ClientChoice, clientChoiceQuery, type MemberRole } from './client-choice';

export type Member = {
  /** Id of the membership; the client's id for the client's own account. */
  id: string;
  client_id: string;
  user_id: string;
  role: MemberRole;
  name: string;
  email: string;
  /** Ids of the folders to which the person is limited; null for all folders. */
  folders: string[] | null;
  /** When a person who did not enter yet was invited; undefined for readers who are no staff. */
  invited_at?: string | null;
};

const COLUMNS = 'id,client_id,user_id,role,name,email,folders';
const STAFF_COLUMNS = `${COLUMNS},invited_at` as const;

export const memberKeys = { all: ['members'] as const };

let channel: BroadcastChannel | undefined;

/** The channel on which the other tabs of the session learn that it acts for another client. */
export function switchChannel(): BroadcastChannel {
  channel ??= new BroadcastChannel('client-switch');
  return channel;
}

/** Id of the client for whom the session acts. */
export async function activeClientId(): Promise<string> {
  const clients = await queryClient.ensureQueryData(clientChoiceQuery());
  const active = clients.find(({ is_active }) => is_active);
  if (!active) throw new Error('The session acts for no client.');
  return active.id;
}

export type RecordKind = 'document' | 'ticket' | 'request';

/** The client among the person's clients to whom a record belongs. */
export async function findOwner(kind: RecordKind, id: string): Promise<ClientChoice | null> {
  const answer = await (await accountApi(`clients?${new URLSearchParams({ [kind]: id })}`)).json();
  const choices: ClientChoice[] = answer.clients;
  return choices.find((choice) => choice.id === answer.owner_id) ?? null;
}

/** Lets the session act for another client, and loads the app again in all tabs. */
export async function switchClient({ id, to }: { id: string; to: string }): Promise<void> {
  await send('clients/active', 'PUT', { client_id: id });
  // Lists of the client before must not be shown for the next one.
  await import('~/features/offline/api/list-store').then(({ deleteLists }) => deleteLists()).catch(() => {});
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target
  switchChannel().postMessage(id);
  location.assign(to);
}

/** The people of a client, its own account first. Staff also read the state of invitations. */
export function peopleQuery(clientId: string, isStaff: boolean) {
  return queryOptions({
    queryKey: [...memberKeys.all, clientId],
    async queryFn({ signal }): Promise<Member[]> {
      const table = db().from('client_members');
      const { data } = await (isStaff ? table.select(STAFF_COLUMNS) : table.select(COLUMNS))
        .eq('client_id', clientId)
        .order('created_at')
        .abortSignal(signal)
        .throwOnError();
      const people = data.map(
        (row) =>
          ({
            ...row,
            role: row.role === 'owner' ? 'owner' : 'member',
            folders: Array.isArray(row.folders) ? row.folders.map(String) : null,
          }) as const,
      );
      return people.toSorted((one, other) => Number(isOwnAccount(other)) - Number(isOwnAccount(one)));
    },
    meta: { errorToast: { title: 'Erro ao buscar pessoas' } },
  });
}

/** Whether a member is the client's own account, which has no membership. */
export function isOwnAccount({ id, client_id }: Member): boolean {
  return id === client_id;
}

/** The names of all folders, which a person can be limited to. */
export function folderNamesQuery() {
  return queryOptions({
    queryKey: [...folderKeys.all, 'names'],
    async queryFn({ signal }): Promise<{ id: string; name: string }[]> {
      const { data } = await db()
        .from('folders')
        .select('id_supabase,name')
        .order('position')
        .order('name')
        .abortSignal(signal)
        .throwOnError();
      return data.map((row) => ({ id: row.id_supabase, name: row.name }));
    },
    meta: { errorToast: { title: 'Erro ao buscar pastas' } },
  });
}

export type Invitation = {
  client_id?: string;
  name: string;
  email: string;
  role: MemberRole;
  folders: string[] | null;
};

export async function inviteMember(invitation: Invitation): Promise<void> {
  await send('members', 'POST', invitation);
}

export async function inviteMemberAgain({ id }: Member): Promise<void> {
  await accountApi(`members/${id}/invitation`, { method: 'POST' });
}

export async function changeMemberRole({ id, role }: Pick<Member, 'id' | 'role'>): Promise<void> {
  await send(`members/${id}`, 'PATCH', { role });
}

export async function changeMemberFolders({ id, folders }: Pick<Member, 'id' | 'folders'>): Promise<void> {
  await send(`members/${id}`, 'PATCH', { folders });
}

export async function removeMember({ id }: Member): Promise<void> {
  await accountApi(`members/${id}`, { method: 'DELETE' });
}

async function send(path: string, method: string, body: unknown): Promise<void> {
  await accountApi(path, { method, body: JSON.stringify(body) });
}
