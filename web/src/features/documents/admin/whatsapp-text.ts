import type { Client } from '~/features/clients/api/clients';
import { expiryOf, formatDate } from '~/lib/dates';

type Announced = { name: string; client: Client | null; expires_at: string | null };

/** The text of a message about a document, with the address that opens it. */
export function whatsAppText(
  { name, client, expires_at }: Announced,
  { address, isUnopened }: { address: string; isUnopened: boolean },
): string {
  const greeting = client?.fullName ? `Olá, ${client.fullName}!` : 'Olá!';
  const verb = expiryOf(expires_at) === 'expired' ? 'venceu' : 'vence';
  const due = expires_at === null ? '' : ` (${verb} em ${formatDate(expires_at)})`;
  const unopened = isUnopened ? ' e ainda não foi aberto' : '';
  return `${greeting} O documento "${name}"${due} está no portal${unopened}: ${address}`;
}
