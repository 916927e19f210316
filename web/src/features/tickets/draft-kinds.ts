// The kinds under which the browser stores tickets. Most pages need no more of the drafts.

/** Tickets that are being written. */
export const TICKET_KIND = 'ticket';
/** Tickets that the browser sends by itself. */
export const QUEUE_KIND = 'queued-ticket';
