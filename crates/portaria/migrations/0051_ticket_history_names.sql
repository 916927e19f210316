-- The name of the member who changed a ticket for its client, as in ticket_messages. A change by a message has the time of
-- that message, and the first row the time of the ticket.
ALTER TABLE ticket_history ADD COLUMN member_name TEXT;

UPDATE ticket_history SET member_name = (
    SELECT message.member_name FROM ticket_messages AS message
    WHERE message.ticket_id = ticket_history.ticket_id AND message.created_at = ticket_history.created_at
        AND message.author_id = ticket_history.author_id
    LIMIT 1
) WHERE from_staff = FALSE AND author_id <> client_id;

UPDATE ticket_history SET member_name = (
    SELECT ticket.member_name FROM tickets AS ticket
    WHERE ticket.id = ticket_history.ticket_id AND ticket.created_at = ticket_history.created_at
        AND ticket.author_id = ticket_history.author_id
) WHERE from_staff = FALSE AND author_id <> client_id AND member_name IS NULL;

-- Other changes of a status have no message.
UPDATE ticket_history SET member_name = (
    SELECT membership.name FROM memberships AS membership
    WHERE membership.user_id = ticket_history.author_id AND membership.client_id = ticket_history.client_id
) WHERE from_staff = FALSE AND author_id <> client_id AND member_name IS NULL;
