// The kinds under which the browser stores tickets. Most pages need no more of the drafts.

const TICKET_PREFIX = 'ticket@';

/** Tickets that are being written for a client. */
export const ticketKind = (clientId: string): string => TICKET_PREFIX + clientId;

/** Tickets that the browser sends by itself. */
export const QUEUE_KIND = 'queued-ticket';

/** Whether the key of a draft is that of a ticket for any client, written or queued. No other kind contains the word. */
export const isTicketKey = (key: string): boolean => key.includes('ticket');
