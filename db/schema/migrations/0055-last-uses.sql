-- When each identity and service was last used, by the hour: an API session that ended, an hour with dials or traffic.
CREATE TABLE last_uses (
  kind text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT last_uses_pkey PRIMARY KEY (kind, entity_id)
);

-- Of what was before, nothing is known.
ALTER TABLE network ADD COLUMN uses_known_since timestamptz(3) NOT NULL DEFAULT now();

INSERT INTO last_uses (kind, entity_id, at)
SELECT 'service', u.entity_id, max(u.hour) FROM usage_hours u JOIN services s ON s.id = u.entity_id
WHERE u.kind = 'service' GROUP BY u.entity_id;

-- While an API session is there, it says itself when it was used. Writes once an hour for each identity.
CREATE FUNCTION keep_uses_of_identities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO last_uses AS u (kind, entity_id, at)
  SELECT 'identity', g.identity_id, max(g.last_activity_at) FROM gone g
  WHERE EXISTS (SELECT FROM identities i WHERE i.id = g.identity_id)
    AND NOT EXISTS (SELECT FROM last_uses k WHERE k.kind = 'identity' AND k.entity_id = g.identity_id
      AND k.at > g.last_activity_at - interval '1 hour')
  GROUP BY g.identity_id ORDER BY g.identity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN NULL;
END $$;

CREATE TRIGGER api_sessions_keep_uses AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION keep_uses_of_identities();

-- Rows of an hour that is there already are changed, not added.
CREATE FUNCTION keep_uses_of_services() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO last_uses AS u (kind, entity_id, at)
  SELECT 'service', a.entity_id, max(a.hour) FROM added a
  WHERE a.kind = 'service' AND EXISTS (SELECT FROM services s WHERE s.id = a.entity_id)
  GROUP BY a.entity_id ORDER BY a.entity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN NULL;
END $$;

CREATE TRIGGER usage_hours_keep_uses AFTER INSERT ON usage_hours REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION keep_uses_of_services();

CREATE FUNCTION forget_uses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM last_uses u USING gone g WHERE u.kind = TG_ARGV[0] AND u.entity_id = g.id;
  RETURN NULL;
END $$;

CREATE TRIGGER identities_forget_uses AFTER DELETE ON identities REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_uses('identity');
CREATE TRIGGER services_forget_uses AFTER DELETE ON services REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_uses('service');
