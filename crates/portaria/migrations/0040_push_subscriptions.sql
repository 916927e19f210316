-- Web Push (docs/decisions/0134-web-push.md). A subscription is a browser on a device that shows notifications.
CREATE TABLE push_subscriptions (
    id TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL, -- the session that subscribed; its end by a sign-out or a revocation ends the subscription
    endpoint TEXT NOT NULL, -- the address at the push service, a secret
    p256dh TEXT NOT NULL, -- public key of the browser (RFC 8291), base64url
    auth TEXT NOT NULL, -- authentication secret of the browser (RFC 8291), base64url
    device_name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_used_at TEXT, -- time of the last accepted message
    CONSTRAINT push_subscriptions_endpoint_key UNIQUE (endpoint)
);

CREATE INDEX push_subscriptions_person ON push_subscriptions (person_id);
CREATE INDEX push_subscriptions_session ON push_subscriptions (session_id);

-- Topics about which a person wants no push messages. Without a row the person wants them.
CREATE TABLE push_muted_topics (
    id TEXT NOT NULL PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    topic TEXT NOT NULL,
    created_at TEXT NOT NULL,
    CONSTRAINT push_muted_topics_person_id_topic_key UNIQUE (person_id, topic)
);

-- The outbox of push messages: one row per notification and subscription. It refers to a row of notifications, which
-- may be gone. Rows are deleted after 90 days (jobs/nightly.rs).
CREATE TABLE push_messages (
    id TEXT NOT NULL PRIMARY KEY,
    notification_id TEXT NOT NULL,
    subscription_id TEXT NOT NULL REFERENCES push_subscriptions (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    due_at TEXT, -- time of the next attempt, or end of the lease of the present one; NULL: none
    claimed_by TEXT,
    created_at TEXT NOT NULL,
    CONSTRAINT push_messages_notification_id_subscription_id_key UNIQUE (notification_id, subscription_id),
    CONSTRAINT push_messages_state_check CHECK (state IN ('queued', 'sent', 'failed', 'canceled'))
);

CREATE INDEX push_messages_due ON push_messages (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX push_messages_subscription ON push_messages (subscription_id);
CREATE INDEX push_messages_created ON push_messages (created_at);
