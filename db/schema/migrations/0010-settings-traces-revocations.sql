-- Settings of controllers, tracing of identities, and what was revoked.

-- What is set for one controller, by its id, and for all of them: 'global'. A list that is null is inherited.
CREATE TABLE controller_settings (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  controller_id text COLLATE "C",
  redirect_uris text[] COLLATE "C",
  post_logout_uris text[] COLLATE "C",
  CONSTRAINT controller_settings_pkey PRIMARY KEY (id),
  CONSTRAINT controller_settings_controller_fkey FOREIGN KEY (controller_id) REFERENCES controllers (id)
    ON DELETE CASCADE,
  CONSTRAINT controller_settings_of_one_or_all CHECK (id = coalesce(controller_id, 'global'))
);
CREATE INDEX controller_settings_controller ON controller_settings (controller_id);
CREATE TRIGGER controller_settings_counted_in AFTER INSERT ON controller_settings REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER controller_settings_counted_out AFTER DELETE ON controller_settings REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();

-- Until when the requests of an identity are traced, and under which name.
CREATE TABLE identity_traces (
  identity_id text COLLATE "C" NOT NULL,
  trace_id text COLLATE "C" NOT NULL,
  channels text[] COLLATE "C" NOT NULL DEFAULT '{}',
  ends_at timestamptz(3) NOT NULL,
  CONSTRAINT identity_traces_pkey PRIMARY KEY (identity_id),
  CONSTRAINT identity_traces_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities (id) ON DELETE CASCADE
);

-- Controllers keep the trace with the API sessions of an identity.
CREATE FUNCTION tell_trace_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || coalesce(NEW.identity_id, OLD.identity_id));
  RETURN NULL;
END $$;
CREATE TRIGGER identity_traces_tell_changed AFTER INSERT OR UPDATE OR DELETE ON identity_traces
  FOR EACH ROW EXECUTE FUNCTION tell_trace_changed();

-- What no longer counts: one token by its id, an API session, or all that an identity was given before a moment. A row
-- may go when every token that it concerns has ended by itself.
CREATE TABLE revocations (
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false,
  type text COLLATE "C" NOT NULL,
  issued_before timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT revocations_pkey PRIMARY KEY (id),
  CONSTRAINT revocations_type CHECK (type IN ('JTI', 'IDENTITY', 'API_SESSION')),
  CONSTRAINT revocations_end CHECK (expires_at > issued_before)
);
CREATE INDEX revocations_expires_at ON revocations (expires_at);
CREATE TRIGGER revocations_counted_in AFTER INSERT ON revocations REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER revocations_counted_out AFTER DELETE ON revocations REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
