-- Webhooks: targets that events are sent to.
CREATE TABLE webhooks (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  -- Patterns; empty for all kinds.
  kinds text[] COLLATE "C" NOT NULL DEFAULT '{}',
  is_enabled boolean NOT NULL,
  sealed_secret bytea NOT NULL,
  -- When the secret was set: it is sealed again with every master key.
  secret_set_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_name_key UNIQUE (name)
);
CREATE TRIGGER webhooks_counted_in AFTER INSERT ON webhooks
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER webhooks_counted_out AFTER DELETE ON webhooks
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- How far each target has got. A row of its own: it moves with every delivery, and is no change of the target. Who
-- holds the lease delivers, and nobody else.
CREATE TABLE webhook_progress (
  webhook_id text COLLATE "C" NOT NULL,
  batch bigint NOT NULL,
  seq bigint NOT NULL,
  delivered_at timestamptz(3),
  -- Of the event that follows, while it cannot be delivered.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  next_attempt_at timestamptz(3),
  last_error text COLLATE "C",
  leased_by text COLLATE "C",
  leased_until timestamptz(3),
  CONSTRAINT webhook_progress_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_progress_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE
);

-- A new target gets what happens from then on: the batch that is closed next, and what is not in it yet.
CREATE FUNCTION begin_webhook_progress() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhook_progress (webhook_id, batch, seq)
  SELECT NEW.id, coalesce(max(n), 0) + 1, 0 FROM event_batches;
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_begin AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION begin_webhook_progress();

-- What could not be delivered within a day.
CREATE TABLE webhook_dead_letters (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL,
  first_failed_at timestamptz(3) NOT NULL,
  last_error text COLLATE "C" NOT NULL,
  -- It is to be sent again.
  is_due boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_dead_letters_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_dead_letters_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE,
  CONSTRAINT webhook_dead_letters_event_key UNIQUE (webhook_id, event_id)
);
CREATE INDEX webhook_dead_letters_due ON webhook_dead_letters (webhook_id) WHERE is_due;
CREATE TRIGGER webhook_dead_letters_counted_in AFTER INSERT ON webhook_dead_letters
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER webhook_dead_letters_counted_out AFTER DELETE ON webhook_dead_letters
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- Whoever delivers looks at once when targets change, or dead letters are to be sent again.
CREATE FUNCTION announce_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'webhooks');
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_announce AFTER INSERT OR UPDATE OR DELETE ON webhooks
  FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();
CREATE TRIGGER webhook_dead_letters_announce AFTER UPDATE OF is_due ON webhook_dead_letters
  FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();

-- What the audit records of a target: never its secret, only that it changed.
CREATE FUNCTION audit_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_audit('webhook.created', 'webhook', NEW.id, NEW.name, NULL, jsonb_build_object('name', NEW.name,
      'url', NEW.url, 'kinds', NEW.kinds, 'enabled', NEW.is_enabled, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM record_audit('webhook.deleted', 'webhook', OLD.id, OLD.name, jsonb_build_object('name', OLD.name,
      'url', OLD.url, 'kinds', OLD.kinds, 'enabled', OLD.is_enabled, 'tags', OLD.tags), NULL);
  ELSE
    PERFORM record_audit('webhook.updated', 'webhook', NEW.id, NEW.name, c.before,
      c.after || CASE WHEN OLD.secret_set_at <> NEW.secret_set_at THEN '{"secretChanged": true}'::jsonb ELSE '{}' END)
    FROM audit_changes(
      jsonb_build_object('name', OLD.name, 'url', OLD.url, 'kinds', OLD.kinds, 'enabled', OLD.is_enabled,
        'tags', OLD.tags),
      jsonb_build_object('name', NEW.name, 'url', NEW.url, 'kinds', NEW.kinds, 'enabled', NEW.is_enabled,
        'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER webhooks_audit_in AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION audit_webhooks();
CREATE TRIGGER webhooks_audit_out AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION audit_webhooks();
CREATE TRIGGER webhooks_audit_change AFTER UPDATE ON webhooks FOR EACH ROW
  WHEN ((OLD.name, OLD.url, OLD.kinds, OLD.is_enabled, OLD.tags, OLD.secret_set_at)
    IS DISTINCT FROM (NEW.name, NEW.url, NEW.kinds, NEW.is_enabled, NEW.tags, NEW.secret_set_at))
  EXECUTE FUNCTION audit_webhooks();
