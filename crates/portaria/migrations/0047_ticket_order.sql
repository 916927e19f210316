-- The queue of tickets that are not closed is sorted by due date, priority and age.

-- The priority as a number: 0 low, 1 normal, 2 high, 3 urgent. Derived.
ALTER TABLE tickets ADD COLUMN priority_rank BIGINT NOT NULL DEFAULT 1;
UPDATE tickets SET priority_rank = CASE priority WHEN 'low' THEN 0 WHEN 'high' THEN 2 ELSE 3 END
WHERE priority <> 'normal';

DROP INDEX tickets_unsettled;
CREATE INDEX tickets_unsettled ON tickets (due_at, priority_rank DESC, created_at, id) WHERE status <> 'closed';
