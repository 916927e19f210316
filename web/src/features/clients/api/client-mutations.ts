// Mutations of client accounts, through the admin API.
import { findRecordChange } from '~/features/activity/api';
import { type EditConflict, updateUnlessChanged } from '~/hooks/use-guarded-save';
import { getErrorInfo } from '~/lib/api/errors';
import { queryClient } from '~/lib/api/query-client';
import { supabase } from '~/lib/api/supabase';
import { normalizePassword } from '~/lib/normalize-password';
import { parsePhone } from '~/lib/phone';
import { parseTaxId } from '~/lib/tax-id';

import { type Client, clientQuery, type ClientRecord, toClient } from './clients';

export type NewClient = {
  email: string;
  full_name: string;
  tax_id: string;
  phone?: string;
  password: string;
  /** The client must replace the password at the next sign-in. */
  mustChangePassword?: boolean;
};

const MUST_CHANGE_PASSWORD = { app_metadata: { must_change_password: true } };

/** Creates a client. A client without a password receives an invitation by e-mail. */
export async function createClient(client: NewClient): Promise<void> {
  const { email, full_name, tax_id, password, mustChangePassword } = client;
  const [taxId, phone] = [parseTaxId(tax_id), parsePhone(client.phone ?? '')];
  const user_metadata = {
    full_name,
    ...(taxId !== null && { tax_id: taxId }),
    ...(phone !== null && { phone }),
  };
  const { admin } = await supabase();
  const { error } =
    password === ''
      ? await admin.inviteUserByEmail(email, { data: user_metadata })
      : await admin.createUser({
          email,
          password: normalizePassword(password),
          email_confirm: true,
          user_metadata,
          ...(mustChangePassword === true && MUST_CHANGE_PASSWORD),
        });
  if (error) throw error;
}

export type ClientUpdate = {
  full_name?: string;
  tax_id?: string;
  phone?: string;
  password: string;
  mustChangePassword: boolean;
};

/**
 * Updates a client, unless one of the given fields has changed since it was seen. Omitted fields and an empty password
 * stay unchanged.
 */
export function updateClient<Values extends { full_name: string; tax_id: string; phone: string }>(
  { full_name, tax_id, phone, password, mustChangePassword }: ClientUpdate,
  { seen, mine, toValues }: { seen: ClientRecord; mine: Values; toValues: (client: ClientRecord) => Values },
): Promise<EditConflict<ClientRecord, Values> | null> {
  const { id } = seen;
  return updateUnlessChanged({
    seen,
    mine,
    written: [
      ...(full_name === undefined ? [] : (['full_name'] as const)),
      ...(tax_id === undefined ? [] : (['tax_id'] as const)),
      ...(phone === undefined ? [] : (['phone'] as const)),
    ],
    toValues,
    async update({ metadata }) {
      const attributes = {
        // The server merges the metadata by key; null removes a key.
        user_metadata: {
          ...(full_name !== undefined && { full_name }),
          ...(tax_id !== undefined && { tax_id: parseTaxId(tax_id) }),
          ...(phone !== undefined && { phone: parsePhone(phone) }),
        },
        expected_user_metadata: {
          ...(full_name !== undefined && { full_name: metadata.full_name ?? null }),
          ...(tax_id !== undefined && { tax_id: metadata.tax_id ?? null }),
          ...(phone !== undefined && { phone: metadata['phone'] ?? null }),
        },
        ...(password !== '' && {
          password: normalizePassword(password),
          ...(mustChangePassword && MUST_CHANGE_PASSWORD),
        }),
      };
      const { admin } = await supabase();
      const { data, error } = await admin.updateUserById(id, attributes);
      if (getErrorInfo(error).code === 'account_changed') return false;
      if (error) throw error;
      // The cache holds the saved values, so that the form opens with them.
      const { user_metadata } = data.user;
      queryClient.setQueryData(
        clientQuery(id).queryKey,
        (read) => read && { ...read, ...toClient({ ...read, user_metadata }), metadata: user_metadata },
      );
      return true;
    },
    reload: () => queryClient.fetchQuery({ ...clientQuery(id), staleTime: 0 }),
    findChange: () =>
      findRecordChange({
        event: 'account.changed',
        id,
        column: 'person_id',
        columns: ['full_name', 'user_metadata'],
      }),
  });
}

/** Changes the e-mail address immediately. The server sends the notices and revokes the client's sessions. */
export async function changeClientEmail({ id, email }: { id: string; email: string }): Promise<void> {
  const { admin } = await supabase();
  const { error } = await admin.updateUserById(id, { email });
  if (error) throw error;
}

/** Deletes the account. The server deletes its documents, files and tickets too. */
export async function deleteClient({ id }: Client): Promise<void> {
  const { admin } = await supabase();
  const { error } = await admin.deleteUser(id);
  if (error) throw error;
}
