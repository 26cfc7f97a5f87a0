-- What the audit record lacked: new tokens of enrollments, what administrators do to terminators of SDKs, certificates
-- of the network, and a new master key. Snapshots, repairs and redeliveries are recorded by what does them.

-- Of a new token the record says that there is one: the JWT of before is void.
CREATE OR REPLACE FUNCTION audit_enrollments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_audit('enrollment.created', 'enrollment', NEW.id, NEW.username, NULL,
      jsonb_build_object('method', NEW.method, 'identityId', NEW.identity_id, 'edgeRouterId', NEW.edge_router_id,
        'transitRouterId', NEW.transit_router_id, 'caId', NEW.ca_id, 'username', NEW.username,
        'expiresAt', NEW.expires_at, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM record_audit('enrollment.deleted', 'enrollment', OLD.id, OLD.username,
      jsonb_build_object('method', OLD.method, 'identityId', OLD.identity_id, 'edgeRouterId', OLD.edge_router_id,
        'transitRouterId', OLD.transit_router_id, 'caId', OLD.ca_id, 'username', OLD.username,
        'expiresAt', OLD.expires_at, 'tags', OLD.tags), NULL);
  ELSE
    PERFORM record_audit('enrollment.updated', 'enrollment', NEW.id, NEW.username, c.before,
      c.after || CASE WHEN OLD.token IS DISTINCT FROM NEW.token THEN '{"tokenChanged": true}'::jsonb ELSE '{}' END)
    FROM audit_changes(
      jsonb_build_object('method', OLD.method, 'identityId', OLD.identity_id, 'edgeRouterId', OLD.edge_router_id,
        'transitRouterId', OLD.transit_router_id, 'caId', OLD.ca_id, 'username', OLD.username,
        'expiresAt', OLD.expires_at, 'tags', OLD.tags),
      jsonb_build_object('method', NEW.method, 'identityId', NEW.identity_id, 'edgeRouterId', NEW.edge_router_id,
        'transitRouterId', NEW.transit_router_id, 'caId', NEW.ca_id, 'username', NEW.username,
        'expiresAt', NEW.expires_at, 'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER enrollments_audit_change ON enrollments;
CREATE TRIGGER enrollments_audit_change AFTER UPDATE ON enrollments FOR EACH ROW
  WHEN (OLD.token IS DISTINCT FROM NEW.token OR OLD.method IS DISTINCT FROM NEW.method
    OR OLD.identity_id IS DISTINCT FROM NEW.identity_id OR OLD.edge_router_id IS DISTINCT FROM NEW.edge_router_id
    OR OLD.transit_router_id IS DISTINCT FROM NEW.transit_router_id OR OLD.ca_id IS DISTINCT FROM NEW.ca_id
    OR OLD.username IS DISTINCT FROM NEW.username OR OLD.expires_at IS DISTINCT FROM NEW.expires_at
    OR OLD.tags IS DISTINCT FROM NEW.tags)
  EXECUTE FUNCTION audit_enrollments();

-- Whether the transaction acts for an operator, or for an identity other than this one.
CREATE FUNCTION acts_for_another(host_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(CASE split_part(current_setting('edge.actor', true), '|', 1) WHEN 'operator' THEN true
    WHEN 'identity' THEN split_part(current_setting('edge.actor', true), '|', 2) <> host_id END, false)
$$;

-- Terminators that routers and SDKs make come and go with the traffic. What an administrator does to one is a change;
-- those that go with their service, router or session have no record of their own. The function asks who acts, since
-- conditions of triggers are decided before a statement has said it.
CREATE OR REPLACE FUNCTION audit_terminators() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM record_audit('terminator.created', 'terminator', NEW.id, NULL, NULL,
      jsonb_build_object('serviceId', NEW.service_id, 'routerId', NEW.router_id, 'binding', NEW.binding,
        'address', NEW.address, 'identity', NEW.instance_id, 'cost', NEW.cost, 'precedence', NEW.precedence,
        'tags', NEW.tags));
  ELSIF OLD.is_system AND NOT acts_for_another(OLD.host_id) THEN
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM record_audit('terminator.deleted', 'terminator', OLD.id, NULL,
      jsonb_build_object('serviceId', OLD.service_id, 'routerId', OLD.router_id, 'binding', OLD.binding,
        'address', OLD.address, 'identity', OLD.instance_id, 'cost', OLD.cost, 'precedence', OLD.precedence,
        'tags', OLD.tags), NULL);
  ELSE
    PERFORM record_audit('terminator.updated', 'terminator', NEW.id, NULL, c.before, c.after)
    FROM audit_changes(
      jsonb_build_object('serviceId', OLD.service_id, 'routerId', OLD.router_id, 'binding', OLD.binding,
        'address', OLD.address, 'identity', OLD.instance_id, 'cost', OLD.cost, 'precedence', OLD.precedence,
        'tags', OLD.tags),
      jsonb_build_object('serviceId', NEW.service_id, 'routerId', NEW.router_id, 'binding', NEW.binding,
        'address', NEW.address, 'identity', NEW.instance_id, 'cost', NEW.cost, 'precedence', NEW.precedence,
        'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER terminators_audit_change ON terminators;
CREATE TRIGGER terminators_audit_change AFTER UPDATE ON terminators FOR EACH ROW
  WHEN (OLD.service_id IS DISTINCT FROM NEW.service_id OR OLD.router_id IS DISTINCT FROM NEW.router_id
    OR OLD.binding IS DISTINCT FROM NEW.binding OR OLD.address IS DISTINCT FROM NEW.address
    OR OLD.instance_id IS DISTINCT FROM NEW.instance_id OR OLD.cost IS DISTINCT FROM NEW.cost
    OR OLD.precedence IS DISTINCT FROM NEW.precedence OR OLD.tags IS DISTINCT FROM NEW.tags)
  EXECUTE FUNCTION audit_terminators();
DROP TRIGGER terminators_audit_out ON terminators;
CREATE TRIGGER terminators_audit_out AFTER DELETE ON terminators FOR EACH ROW
  WHEN (NOT OLD.is_system OR pg_trigger_depth() = 0)
  EXECUTE FUNCTION audit_terminators();

-- Certificates of the network, by their fingerprints. Keys that are only sealed again are part of masterKey.changed.
CREATE FUNCTION audit_pki_entities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM record_audit('pki.deleted', 'pki', OLD.purpose || ':' || OLD.generation, OLD.purpose,
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after), NULL);
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM record_audit(CASE NEW.generation WHEN 1 THEN 'pki.created' ELSE 'pki.renewed' END, 'pki',
      NEW.purpose || ':' || NEW.generation, NEW.purpose, NULL,
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after));
  ELSE
    PERFORM record_audit('pki.updated', 'pki', NEW.purpose || ':' || NEW.generation, NEW.purpose, c.before, c.after)
    FROM audit_changes(
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after),
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after)) c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER pki_entities_audit AFTER INSERT OR DELETE ON pki_entities FOR EACH ROW
  EXECUTE FUNCTION audit_pki_entities();
CREATE TRIGGER pki_entities_audit_change AFTER UPDATE ON pki_entities FOR EACH ROW
  WHEN (OLD.purpose <> NEW.purpose OR OLD.generation <> NEW.generation OR OLD.fingerprint <> NEW.fingerprint
    OR OLD.not_before <> NEW.not_before OR OLD.not_after <> NEW.not_after)
  EXECUTE FUNCTION audit_pki_entities();

-- The one row of the network: made at its first start, which is no change.
CREATE FUNCTION audit_network() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.master_key_check <> NEW.master_key_check THEN
    PERFORM record_audit('masterKey.changed', 'network', NULL, NULL, NULL, NULL);
  END IF;
  IF OLD.trust_domain <> NEW.trust_domain OR OLD.advertise <> NEW.advertise THEN
    PERFORM record_audit('network.updated', 'network', NULL, NULL, c.before, c.after)
    FROM audit_changes(
      jsonb_build_object('trustDomain', OLD.trust_domain, 'advertise', OLD.advertise),
      jsonb_build_object('trustDomain', NEW.trust_domain, 'advertise', NEW.advertise)) c;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER network_audit_change AFTER UPDATE ON network FOR EACH ROW
  WHEN (OLD.master_key_check <> NEW.master_key_check OR OLD.trust_domain <> NEW.trust_domain
    OR OLD.advertise <> NEW.advertise)
  EXECUTE FUNCTION audit_network();
