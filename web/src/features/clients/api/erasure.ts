// What there is of a client, and its erasure (LGPD): both through the account administration.
import { queryOptions } from '@tanstack/react-query';

import { parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

import type { Client } from './clients';

/** Where the office's own texts hold a client's name or address. */
export type Mention = {
  table: 'email_templates' | 'saved_replies' | 'folders' | 'documents' | 'tickets';
  id: string;
  name: string;
};

export type ErasurePreview = {
  documents: number;
  tickets: number;
  mails: number;
  lines: number;
  held_count: number;
  /** The first of the documents that a legal hold keeps. */
  held: { id: string; name: string; folder: string; reason: string }[];
  mentions: Mention[];
};

export type ErasureResult = {
  documents: number;
  tickets: number;
  mails: number;
  lines: number;
  held: number;
};

export function erasurePreviewQuery(id: string) {
  return queryOptions({
    queryKey: ['erasure-plan', id],
    queryFn: ({ signal }): Promise<ErasurePreview> => requestErasure<ErasurePreview>(id, { signal }),
    // Looked for anew each time somebody is about to erase.
    gcTime: 0,
  });
}

/** The address is typed once more, and the server compares it. */
export function eraseClient({
  client,
  typed: confirmationEmail,
}: {
  client: Client;
  typed: string;
}): Promise<ErasureResult> {
  return requestErasure<ErasureResult>(client.id, {
    method: 'POST',
    body: JSON.stringify({ email: confirmationEmail }),
  });
}

async function requestErasure<Said>(id: string, init: RequestInit): Promise<Said> {
  const response = await fetchAsUser(`/auth/v1/admin/users/${id}/erasure`, {
    ...init,
    headers: {
      apikey: serverConfig().anon_key,
      'Content-Type': 'application/json',
      'X-Supabase-Api-Version': '2024-01-01',
    },
  });
  if (!response.ok) throw await parseErrorResponse(response);
  return response.json();
}
