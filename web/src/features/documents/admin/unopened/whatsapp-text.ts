import type { UnopenedDocument } from '~/features/documents/api/unopened';
import { expiryOf, formatDate } from '~/lib/dates';
import { paths } from '~/paths';

/** The text of a message about a document that its client did not open. */
export function whatsAppText(
  { id, name, client, expires_at }: Pick<UnopenedDocument, 'id' | 'name' | 'client' | 'expires_at'>,
  origin: string,
): string {
  const greeting = client?.fullName ? `Olá, ${client.fullName}!` : 'Olá!';
  const verb = expiryOf(expires_at) === 'expired' ? 'venceu' : 'vence';
  const due = expires_at === null ? '' : ` (${verb} em ${formatDate(expires_at)})`;
  return `${greeting} O documento "${name}"${due} está no portal e ainda não foi aberto: ${origin}${paths.document(id)}`;
}
