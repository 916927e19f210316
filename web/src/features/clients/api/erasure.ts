// Requests of the erasure of a client (LGPD), through the admin API.
import { queryOptions } from '@tanstack/react-query';

import { parseErrorResponse } from '~/lib/api/errors';
import { serverConfig } from '~/lib/api/server-config';
import { fetchAsUser } from '~/lib/api/supabase';

import type { Client } from './clients';

/** Office text that contains the name or the e-mail address of the client. */
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
  /** Sample of the documents under legal hold. */
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
    // The erasure dialog must not show a cached preview.
    gcTime: 0,
  });
}

/** Erases the client. The server compares the typed e-mail address. */
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

async function requestErasure<Result>(id: string, init: RequestInit): Promise<Result> {
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
