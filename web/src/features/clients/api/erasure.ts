// What there is of a client, and its erasure (LGPD): both through the account administration.
import { queryOptions } from '@tanstack/react-query';

import { refusalIn } from '~/lib/api/errors';
import { config } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

import type { Client } from './clients';

/** Where the office's own texts hold a client's name or address. */
export type Mention = {
  table: 'email_templates' | 'saved_replies' | 'folders' | 'documents' | 'tickets';
  id: string;
  name: string;
};

export type ErasurePlan = {
  documents: number;
  tickets: number;
  mails: number;
  lines: number;
  held_count: number;
  /** The first of the documents that a legal hold keeps. */
  held: { id: string; name: string; folder: string; reason: string }[];
  mentions: Mention[];
};

export type Erased = { documents: number; tickets: number; mails: number; lines: number; held: number };

export function erasurePlanQuery(id: string) {
  return queryOptions({
    queryKey: ['erasure-plan', id],
    queryFn: ({ signal }): Promise<ErasurePlan> => ask<ErasurePlan>(id, { signal }),
    // Looked for anew each time somebody is about to erase.
    gcTime: 0,
  });
}

/** The address is typed once more, and the server compares it. */
export function eraseClient({ client, typed }: { client: Client; typed: string }): Promise<Erased> {
  return ask<Erased>(client.id, { method: 'POST', body: JSON.stringify({ email: typed }) });
}

async function ask<Said>(id: string, init: RequestInit): Promise<Said> {
  const response = await fetchAsUser(`/auth/v1/admin/users/${id}/erasure`, {
    ...init,
    headers: {
      apikey: config().anon_key,
      'Content-Type': 'application/json',
      'X-Supabase-Api-Version': '2024-01-01',
    },
  });
  if (!response.ok) throw await refusalIn(response);
  return response.json();
}
