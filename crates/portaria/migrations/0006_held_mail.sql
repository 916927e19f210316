-- Why a queued mail waits until next_attempt_at. NULL: it is due, or it waits for a retry.
ALTER TABLE outbox ADD COLUMN hold_reason TEXT
    CONSTRAINT outbox_hold_reason_check CHECK (hold_reason IN ('recipient_limit', 'digest'));

-- The office asked for this mail at once: no limit holds it, and no digest replaces it.
ALTER TABLE outbox ADD COLUMN send_now BOOLEAN NOT NULL DEFAULT FALSE;
