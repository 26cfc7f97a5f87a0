-- Routers that are connected, and by which process of a controller. A process writes its own rows, and shows a sign of
-- life; what a dead one has left is void at once for whoever reads, and deleted by the others.

CREATE TABLE router_hosts (
  id text COLLATE "C" NOT NULL,
  controller_id text COLLATE "C" NOT NULL,
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT router_hosts_pkey PRIMARY KEY (id),
  CONSTRAINT router_hosts_controller FOREIGN KEY (controller_id) REFERENCES controllers (id) ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX router_hosts_controller ON router_hosts (controller_id);

CREATE TABLE router_channels (
  router_id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  connected_at timestamptz(3) NOT NULL DEFAULT now(),
  sync_status text COLLATE "C" NOT NULL,
  hostname text NOT NULL DEFAULT '',
  protocols jsonb NOT NULL DEFAULT '{}',
  version_info jsonb NOT NULL,
  CONSTRAINT router_channels_pkey PRIMARY KEY (router_id, host_id),
  CONSTRAINT router_channels_router FOREIGN KEY (router_id) REFERENCES routers (id) ON DELETE CASCADE,
  CONSTRAINT router_channels_host FOREIGN KEY (host_id) REFERENCES router_hosts (id) ON DELETE CASCADE
);
CREATE INDEX router_channels_host ON router_channels (host_id);

-- What the router last reported of its machine, and the names of the certificate that it shows to clients; null for a
-- router that enrolled before names were kept.
ALTER TABLE routers ADD COLUMN interfaces jsonb NOT NULL DEFAULT '[]';
ALTER TABLE routers ADD COLUMN server_names text[] COLLATE "C";

-- Answers that are kept and say which routers are online: a column of the row that 'access' has, as 'routing' is.
ALTER TABLE model_epochs ADD COLUMN presence bigint NOT NULL DEFAULT 1;
ALTER TABLE model_epochs ADD COLUMN presence_by xid8;

-- Runs at commit, once in a transaction.
CREATE FUNCTION move_presence_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE model_epochs SET presence = presence + 1, presence_by = pg_current_xact_id()
  WHERE name = 'access' AND presence_by IS DISTINCT FROM pg_current_xact_id();
  IF FOUND THEN PERFORM pg_notify('edge', 'presence'); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER router_channels_move_presence AFTER INSERT OR DELETE ON router_channels
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_presence_epoch();


-- ==== Notices for the processes that hold the channels of routers ====

-- The router may no longer be connected, or not with the certificate that it showed.
CREATE FUNCTION tell_router_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'router ' || OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER routers_tell_changed AFTER UPDATE OF fingerprint, disabled ON routers
  FOR EACH ROW WHEN ((OLD.fingerprint, OLD.disabled) IS DISTINCT FROM (NEW.fingerprint, NEW.disabled))
  EXECUTE FUNCTION tell_router_changed();
CREATE TRIGGER routers_tell_gone AFTER DELETE ON routers FOR EACH ROW EXECUTE FUNCTION tell_router_changed();

CREATE FUNCTION tell_session_opened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'opened ' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_tell_opened AFTER INSERT ON api_sessions
  FOR EACH ROW EXECUTE FUNCTION tell_session_opened();

-- The sessions whose clients have other certificates now; a long list is sent as 'opened *'.
CREATE FUNCTION tell_session_prints() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ids text; n bigint;
BEGIN
  SELECT count(*), string_agg(id, ' ') INTO n, ids
  FROM (SELECT DISTINCT api_session_id AS id FROM changed LIMIT 200) c;
  IF n > 0 THEN PERFORM pg_notify('edge', 'opened ' || CASE WHEN n < 200 THEN ids ELSE '*' END); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_session_certificates_tell_added AFTER INSERT ON api_session_certificates
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_session_prints();
CREATE TRIGGER api_session_certificates_tell_gone AFTER DELETE ON api_session_certificates
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_session_prints();

CREATE FUNCTION tell_identity_prints() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'prints ' || CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END);
  RETURN NULL;
END $$;
CREATE TRIGGER authenticators_tell_added_print AFTER INSERT ON authenticators
  FOR EACH ROW WHEN (NEW.fingerprint IS NOT NULL) EXECUTE FUNCTION tell_identity_prints();
CREATE TRIGGER authenticators_tell_gone_print AFTER DELETE ON authenticators
  FOR EACH ROW WHEN (OLD.fingerprint IS NOT NULL) EXECUTE FUNCTION tell_identity_prints();
CREATE TRIGGER authenticators_tell_new_print AFTER UPDATE OF fingerprint ON authenticators
  FOR EACH ROW WHEN (OLD.fingerprint IS DISTINCT FROM NEW.fingerprint) EXECUTE FUNCTION tell_identity_prints();

-- Routers check the certificates of clients with those of the CAs that are verified and open for logins.
CREATE FUNCTION tell_cas_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('edge', 'cas');
  RETURN NULL;
END $$;
CREATE TRIGGER cas_tell_changed AFTER UPDATE OF is_verified, is_auth_enabled OR DELETE ON cas
  FOR EACH STATEMENT EXECUTE FUNCTION tell_cas_changed();
