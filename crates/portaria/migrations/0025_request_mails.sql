-- Mails about the items of requests, a topic of their own that clients can turn off.
ALTER TABLE muted_topics DROP CONSTRAINT muted_topics_topic_check;
ALTER TABLE muted_topics ADD
    CONSTRAINT muted_topics_topic_check CHECK (topic IN ('documents', 'expiries', 'tickets', 'requests'));
ALTER TABLE outbox DROP CONSTRAINT outbox_topic_check;
ALTER TABLE outbox ADD
    CONSTRAINT outbox_topic_check CHECK (topic IN ('documents', 'expiries', 'tickets', 'requests'));

-- The item of the notification, which may be deleted.
ALTER TABLE outbox ADD COLUMN request_item_id TEXT;

-- Finds the mails about an item.
CREATE INDEX outbox_request_item ON outbox (request_item_id) WHERE request_item_id IS NOT NULL;
