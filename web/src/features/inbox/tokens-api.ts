// Requests of the tokens with which scanners and programs add files to the inbox.
import { queryOptions } from '@tanstack/react-query';

import { accountApi } from '~/lib/api/account-api';

export type InboxToken = {
  id: string;
  name: string;
  created_by: string | null;
  created_at: string;
  last_used_at: string | null;
};

/** A new token. Its secret is in no other answer. */
export type CreatedInboxToken = { id: string; token: string };

export const inboxTokenKeys = { all: ['inbox-tokens'] as const };

export function inboxTokensQuery() {
  return queryOptions({
    queryKey: inboxTokenKeys.all,
    async queryFn({ signal }): Promise<InboxToken[]> {
      const { tokens }: { tokens: InboxToken[] } = await (
        await accountApi('inbox-tokens', { signal })
      ).json();
      return tokens;
    },
    meta: { errorToast: { title: 'Erro ao buscar as chaves de envio' } },
  });
}

export async function createInboxToken(name: string): Promise<CreatedInboxToken> {
  return (await accountApi('inbox-tokens', { method: 'POST', body: JSON.stringify({ name }) })).json();
}

export async function revokeInboxToken(id: string): Promise<void> {
  await accountApi(`inbox-tokens/${id}`, { method: 'DELETE' });
}
