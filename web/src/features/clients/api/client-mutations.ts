import { queryClient } from '~/lib/api/query-client';
import { supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';
import { parseTaxId } from '~/lib/tax-id';

import { type Client, clientQuery } from './clients';

export type NewClient = {
  email: string;
  full_name: string;
  tax_id: string;
  password: string;
  /** The password serves until the client has signed in with it, and chosen another. */
  mustChangePassword?: boolean;
};

const MUST_CHANGE_PASSWORD = { app_metadata: { must_change_password: true } };

/** Without a password the client is invited by mail to choose one. */
export async function createClient(client: NewClient): Promise<void> {
  const { email, full_name, tax_id, password, mustChangePassword } = client;
  const taxId = parseTaxId(tax_id);
  const user_metadata = { full_name, ...(taxId !== null && { tax_id: taxId }) };
  const { error } =
    password === ''
      ? await supabase().admin.inviteUserByEmail(email, { data: user_metadata })
      : await supabase().admin.createUser({
          email,
          password: normalizePassword(password),
          email_confirm: true,
          user_metadata,
          ...(mustChangePassword === true && MUST_CHANGE_PASSWORD),
        });
  if (error) throw error;
}

export type ClientUpdate = {
  id: string;
  full_name?: string;
  tax_id?: string;
  password: string;
  mustChangePassword: boolean;
};

/** What is left out stays as it is, and so does the password where the new one is empty. */
export async function updateClient(changes: ClientUpdate): Promise<void> {
  const { id, full_name, tax_id, password, mustChangePassword } = changes;
  const { error } = await supabase().admin.updateUserById(id, {
    // The server merges key by key; null takes a key away.
    user_metadata: {
      ...(full_name !== undefined && { full_name }),
      ...(tax_id !== undefined && { tax_id: parseTaxId(tax_id) }),
    },
    ...(password !== '' && {
      password: normalizePassword(password),
      ...(mustChangePassword && MUST_CHANGE_PASSWORD),
    }),
  });
  if (error) throw error;
  // Who opens them again begins with what was saved, not with what was read before.
  queryClient.setQueryData(
    clientQuery(id).queryKey,
    (read) =>
      read && {
        ...read,
        ...(full_name !== undefined && { fullName: full_name }),
        ...(tax_id !== undefined && { taxId: parseTaxId(tax_id) }),
      },
  );
}

/** The new address counts at once; the server tells whoever it concerns, and ends the client's sessions. */
export async function changeClientEmail({ id, email }: { id: string; email: string }): Promise<void> {
  const { error } = await supabase().admin.updateUserById(id, { email });
  if (error) throw error;
}

/** Ends the client's access at once; their documents, files and tickets go with it, on the server. */
export async function deleteClient({ id }: Client): Promise<void> {
  const { error } = await supabase().admin.deleteUser(id);
  if (error) throw error;
}
