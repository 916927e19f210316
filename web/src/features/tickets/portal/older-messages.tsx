// Older messages of a client's ticket.
import { readOlderMessages } from '~/features/tickets/api/older-messages';
import { OlderMessagesButton } from '~/features/tickets/components/older-messages-button';

export function OlderMessages({ ticketId }: { ticketId: string }) {
  return <OlderMessagesButton read={() => readOlderMessages(ticketId)} />;
}
