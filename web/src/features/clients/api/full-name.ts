// The name of an account.
import type { ClientRow } from '~/lib/api/database';

/** Name in the free-form metadata, null if absent. */
export function getFullName({ user_metadata }: Pick<ClientRow, 'user_metadata'>): string | null {
  const name: unknown = user_metadata.full_name;
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : null;
}
