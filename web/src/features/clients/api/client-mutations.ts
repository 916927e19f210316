// Mutations of client accounts, through the admin API.
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
  /** The client must replace the password at the next sign-in. */
  mustChangePassword?: boolean;
};

const MUST_CHANGE_PASSWORD = { app_metadata: { must_change_password: true } };

/** Creates a client. A client without a password receives an invitation by e-mail. */
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

/** Updates a client. Omitted fields and an empty password stay unchanged. */
export async function updateClient(changes: ClientUpdate): Promise<void> {
  const { id, full_name, tax_id, password, mustChangePassword } = changes;
  const { error } = await supabase().admin.updateUserById(id, {
    // The server merges the metadata by key; null removes a key.
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
  // The cache holds the saved values, so that the form opens with them.
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

/** Changes the e-mail address immediately. The server sends the notices and revokes the client's sessions. */
export async function changeClientEmail({ id, email }: { id: string; email: string }): Promise<void> {
  const { error } = await supabase().admin.updateUserById(id, { email });
  if (error) throw error;
}

/** Deletes the account. The server deletes its documents, files and tickets too. */
export async function deleteClient({ id }: Client): Promise<void> {
  const { error } = await supabase().admin.deleteUser(id);
  if (error) throw error;
}
