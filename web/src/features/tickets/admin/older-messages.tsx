// Older messages of a ticket for staff.
import { readOlderAdminMessages } from '~/features/tickets/api/older-admin-messages';
import { OlderMessagesButton } from '~/features/tickets/components/older-messages-button';

export function OlderMessages({ ticketId }: { ticketId: string }) {
  return <OlderMessagesButton read={() => readOlderAdminMessages(ticketId)} />;
}
