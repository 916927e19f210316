/** The kind of the drafts that the browser sends by itself. Most pages need only their number. */
export const QUEUE_KIND = 'queued-ticket';
