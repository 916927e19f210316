-- The mails about a ticket, which are deleted and redacted with it.
CREATE INDEX outbox_ticket ON outbox (ticket_id) WHERE ticket_id IS NOT NULL;
