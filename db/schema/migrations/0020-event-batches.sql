-- Events are the records of audit_records in the order of their commits. Nothing is written for that with a change:
-- whoever wants to read further closes a batch, which holds what its snapshot sees and the one before did not see. In a
-- batch the order is that of the records' numbers. So the place of an event is the same for all readers, and a
-- transaction that takes long is waited for by nobody: its records are in a later batch.

-- Snapshots mean something in one cluster alone, as numbers of transactions do: a restored database has none, and the
-- batches of before hold nothing there.
CREATE TABLE event_batches (
  n bigint NOT NULL,
  -- The snapshot of the batch before.
  earlier pg_snapshot,
  snapshot pg_snapshot,
  closed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT event_batches_pkey PRIMARY KEY (n),
  CONSTRAINT event_batches_n_check CHECK (n >= 0)
);
-- What was recorded before is no event.
INSERT INTO event_batches (n, snapshot) VALUES (0, pg_current_snapshot());

-- Closes a batch, unless there is nothing to be in it, and answers the number of the last one. Must be called in a
-- transaction of its own, with the number of the advisory lock: each statement here sees what was committed before it.
CREATE FUNCTION close_event_batch(lock_number bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last event_batches;
  closed bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(lock_number);
  SELECT * INTO last FROM event_batches ORDER BY n DESC LIMIT 1;
  INSERT INTO event_batches (n, earlier, snapshot)
  SELECT coalesce(last.n, 0) + 1, last.snapshot, pg_current_snapshot()
  WHERE EXISTS (SELECT FROM audit_records r
    WHERE r.xid >= coalesce(pg_snapshot_xmin(last.snapshot), '0'::xid8)
      AND (last.snapshot IS NULL OR NOT pg_visible_in_snapshot(r.xid, last.snapshot)))
  RETURNING n INTO closed;
  IF closed IS NULL THEN RETURN coalesce(last.n, 0); END IF;
  PERFORM pg_notify('edge', 'events ' || closed);
  RETURN closed;
END $$;
