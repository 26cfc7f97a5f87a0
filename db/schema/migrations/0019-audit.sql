-- The audit record: what was changed and who logged in, written by triggers in the transaction of the change.

CREATE SEQUENCE audit_record_seq;

-- One row for each change of one entity, and for each login. `xid` tells in which order transactions came to be seen;
-- it is empty after a restore, since it means nothing in another cluster.
CREATE TABLE audit_records (
  seq bigint NOT NULL DEFAULT nextval('audit_record_seq'),
  at timestamptz(3) NOT NULL DEFAULT now(),
  xid xid8 DEFAULT pg_current_xact_id(),
  kind text COLLATE "C" NOT NULL,
  entity_type text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C",
  entity_name text COLLATE "C",
  actor_kind text COLLATE "C" NOT NULL,
  actor_id text COLLATE "C",
  actor_name text COLLATE "C",
  api_session_id text COLLATE "C",
  address text COLLATE "C",
  request_id text COLLATE "C",
  controller text COLLATE "C",
  before jsonb,
  after jsonb,
  reason text COLLATE "C",
  CONSTRAINT audit_records_pkey PRIMARY KEY (seq, at)
) PARTITION BY RANGE (at);
CREATE INDEX audit_records_at ON audit_records (at);
CREATE INDEX audit_records_xid ON audit_records (xid);
CREATE INDEX audit_records_entity ON audit_records (entity_id);
CREATE INDEX audit_records_actor ON audit_records (actor_id);
CREATE INDEX audit_records_kind ON audit_records (kind);

-- Takes what no month's partition takes, so that no change ever fails for want of one.
CREATE TABLE audit_records_rest PARTITION OF audit_records DEFAULT;

-- Makes the partitions of this month, of those to come, and of the months of what is in the default partition, which
-- moves. A table is made first and attached then, so that writers do not wait. Answers how many were made.
CREATE FUNCTION make_audit_partitions(months_ahead integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  month date;
  made integer := 0;
  part text;
  has_rest boolean := EXISTS (SELECT FROM audit_records_rest);
BEGIN
  FOR month IN
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date
    FROM generate_series(0, months_ahead) n
    UNION SELECT date_trunc('month', at AT TIME ZONE 'UTC')::date FROM audit_records_rest ORDER BY 1
  LOOP
    part := 'audit_records_' || to_char(month, 'YYYY_MM');
    CONTINUE WHEN to_regclass(part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE audit_records INCLUDING DEFAULTS)', part);
    IF has_rest THEN
      LOCK TABLE audit_records_rest IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('WITH moved AS (DELETE FROM audit_records_rest
          WHERE at >= %L::timestamptz AND at < %L::timestamptz RETURNING *) INSERT INTO %I SELECT * FROM moved',
        month || ' 00:00+00', (month + interval '1 month')::date || ' 00:00+00', part);
    END IF;
    EXECUTE format('ALTER TABLE audit_records ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', part,
      month || ' 00:00+00', (month + interval '1 month')::date || ' 00:00+00');
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;

-- Drops the partitions whose records are all older than `keep`. Answers how many.
CREATE FUNCTION drop_audit_partitions(keep interval) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  part text;
  dropped integer := 0;
BEGIN
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_records'::regclass AND c.relname ~ '^audit_records_[0-9]{4}_[0-9]{2}$'
      AND (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') AT TIME ZONE 'UTC' <= now() - keep
    ORDER BY 1
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM audit_records_rest WHERE at <= now() - keep;
  RETURN dropped;
END $$;

SELECT make_audit_partitions(2);

-- Who acts comes as the setting edge.actor of the transaction: kind, id, name, API session, address, request and
-- controller with | between, the names in hex. Without it the controller acts by itself.
CREATE FUNCTION record_audit(kind text, entity_type text, entity_id text, entity_name text, before jsonb, after jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE actor CONSTANT text[] := string_to_array(current_setting('edge.actor', true), '|');
BEGIN
  INSERT INTO audit_records (kind, entity_type, entity_id, entity_name, before, after, actor_kind, actor_id, actor_name,
    api_session_id, address, request_id, controller)
  VALUES (kind, entity_type, entity_id, entity_name, before, after, coalesce(actor[1], 'controller'),
    nullif(actor[2], ''), nullif(convert_from(decode(actor[3], 'hex'), 'UTF8'), ''), nullif(actor[4], ''),
    nullif(actor[5], ''), nullif(actor[6], ''), nullif(convert_from(decode(actor[7], 'hex'), 'UTF8'), ''));
END $$;

-- The members of two rows that differ.
CREATE FUNCTION audit_changes(old_row jsonb, new_row jsonb, OUT before jsonb, OUT after jsonb)
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}'), coalesce(jsonb_object_agg(o.key, new_row -> o.key), '{}')
  FROM jsonb_each(old_row) o WHERE o.value IS DISTINCT FROM new_row -> o.key
$$;

-- A function and two triggers for each table of entities: what is recorded of a row is named here, member by member, as
-- the API names it. What is not named is not recorded, and a change of nothing else writes no record. `marks` says of a
-- secret that it has changed, and nothing more.
DO $do$
DECLARE
  spec record;
  row_of text;
  differs text;
  body text;
BEGIN
  FOR spec IN SELECT * FROM (VALUES
    ('identities', '''identity''', '%s.name', $c$name name, type type_id, isAdmin is_admin,
      isDefaultAdmin is_default_admin, externalId external_id, authPolicyId auth_policy_id,
      roleAttributes role_attributes, permissions permissions, appData app_data,
      defaultHostingCost default_hosting_cost, defaultHostingPrecedence default_hosting_precedence,
      disabledAt disabled_at, disabledUntil disabled_until, tags tags$c$, NULL, NULL, ''),
    ('authenticators', '''authenticator''', '%s.username', $c$identityId identity_id, method method, username username,
      fingerprint fingerprint, caId ca_id, isIssuedByNetwork is_issued_by_network,
      extendRequestedAt extend_requested_at, isKeyRollRequested is_key_roll_requested,
      unverifiedFingerprint unverified_fingerprint, tags tags$c$,
      'passwordChanged', 'OLD.password_hash IS DISTINCT FROM NEW.password_hash', ''),
    ('enrollments', '''enrollment''', '%s.username', $c$method method, identityId identity_id,
      edgeRouterId edge_router_id, transitRouterId transit_router_id, caId ca_id, username username,
      expiresAt expires_at, tags tags$c$, NULL, NULL, ''),
    ('mfas', '''mfa''', 'NULL', $c$identityId identity_id, isVerified is_verified$c$, 'recoveryCodesChanged',
      'OLD.sealed_codes IS DISTINCT FROM NEW.sealed_codes AND OLD.sealed_secret = NEW.sealed_secret
        AND cardinality(NEW.sealed_codes) >= cardinality(OLD.sealed_codes)', ''),
    ('services', '''service''', '%s.name', $c$name name, encryptionRequired encryption_required,
      terminatorStrategy terminator_strategy, maxIdleTimeMillis max_idle_time_millis, roleAttributes role_attributes,
      tags tags$c$, NULL, NULL, ''),
    ('configs', '''config''', '%s.name', $c$name name, configTypeId config_type_id, data data, tags tags$c$,
      NULL, NULL, ''),
    ('config_types', '''configType''', '%s.name', $c$name name, schema schema, target target, tags tags$c$,
      NULL, NULL, ''),
    ('service_policies', '''servicePolicy''', '%s.name', $c$name name, type type, semantic semantic,
      identityRoles identity_roles, serviceRoles service_roles, postureCheckRoles posture_check_roles, tags tags$c$,
      NULL, NULL, ''),
    ('edge_router_policies', '''edgeRouterPolicy''', '%s.name', $c$name name, semantic semantic,
      identityRoles identity_roles, edgeRouterRoles edge_router_roles, tags tags$c$, NULL, NULL, ''),
    ('service_edge_router_policies', '''serviceEdgeRouterPolicy''', '%s.name', $c$name name, semantic semantic,
      serviceRoles service_roles, edgeRouterRoles edge_router_roles, tags tags$c$, NULL, NULL, ''),
    ('routers', 'CASE WHEN %s.is_edge THEN ''edgeRouter'' ELSE ''router'' END', '%s.name', $c$name name, cost cost,
      noTraversal no_traversal, disabled disabled, isTunnelerEnabled is_tunneler_enabled,
      roleAttributes role_attributes, appData app_data, ctrlChanListeners ctrl_chan_listeners, fingerprint fingerprint,
      unverifiedFingerprint unverified_fingerprint, serverNames server_names, tags tags$c$, NULL, NULL, ''),
    ('terminators', '''terminator''', 'NULL', $c$serviceId service_id, routerId router_id, binding binding,
      address address, identity instance_id, cost cost, precedence precedence, tags tags$c$, NULL, NULL,
      'NOT %s.is_system'),
    ('cas', '''ca''', '%s.name', $c$name name, fingerprint fingerprint, isVerified is_verified,
      isAuthEnabled is_auth_enabled, isAutoCaEnrollmentEnabled is_auto_ca_enrollment_enabled,
      isOttCaEnrollmentEnabled is_ott_ca_enrollment_enabled, identityRoles identity_roles,
      identityNameFormat identity_name_format, externalIdClaim external_id_claim, tags tags$c$, NULL, NULL, ''),
    ('external_jwt_signers', '''externalJwtSigner''', '%s.name', $c$name name, issuer issuer, audience audience,
      kid kid, fingerprint fingerprint, commonName common_name, notBefore not_before, notAfter not_after,
      jwksEndpoint jwks_endpoint, enabled is_enabled, useExternalId use_external_id, claimsProperty claims_property,
      clientId client_id, scopes scopes, externalAuthUrl external_auth_url, targetToken target_token,
      enrollToCertEnabled enroll_to_cert_enabled, enrollToTokenEnabled enroll_to_token_enabled,
      enrollAuthPolicyId enroll_auth_policy_id, enrollNameClaimsSelector enroll_name_claims_selector,
      enrollAttributeClaimsSelector enroll_attribute_claims_selector, tags tags$c$, NULL, NULL, ''),
    ('auth_policies', '''authPolicy''', '%s.name', $c$name name, primary.cert.allowed cert_allowed,
      primary.cert.allowExpiredCerts cert_allow_expired, primary.extJwt.allowed ext_jwt_allowed,
      primary.updb.allowed updb_allowed, primary.updb.minPasswordLength updb_min_password_length,
      primary.updb.requireMixedCase updb_require_mixed_case, primary.updb.requireNumberChar updb_require_number_char,
      primary.updb.requireSpecialChar updb_require_special_char, primary.updb.maxAttempts updb_max_attempts,
      primary.updb.lockoutDurationMinutes updb_lockout_minutes, secondary.requireTotp require_totp,
      secondary.requireExtJwtSigner require_ext_jwt_signer_id, tags tags$c$, NULL, NULL, ''),
    ('posture_checks', '''postureCheck''', '%s.name', $c$name name, typeId type_id, roleAttributes role_attributes,
      criteria criteria, tags tags$c$, NULL, NULL, ''),
    ('controller_settings', '''controllerSetting''', 'NULL', $c$controllerId controller_id,
      redirectUris redirect_uris, postLogoutUris post_logout_uris, tags tags$c$, NULL, NULL, ''),
    ('controllers', '''controller''', '%s.name', $c$name name, ctrlAddress ctrl_address, fingerprint fingerprint,
      apiAddresses api_addresses, tags tags$c$, NULL, NULL, ''),
    ('revocations', '''revocation''', 'NULL', $c$type type, issuedBefore issued_before, expiresAt expires_at,
      tags tags$c$, NULL, NULL, ''),
    ('api_session_certificates', '''apiSessionCertificate''', 'NULL', $c$apiSessionId api_session_id,
      fingerprint fingerprint, subject subject, validFrom valid_from, validTo valid_to$c$, NULL, NULL,
      'pg_trigger_depth() = 0')
  ) s (of_table, type, name, members, mark, marked, condition)
  LOOP
    SELECT 'jsonb_build_object('
        || string_agg(format('%L, %%1$s.%s', split_part(m, ' ', 1), split_part(m, ' ', 2)), ', ') || ')',
      string_agg(format('OLD.%1$s IS DISTINCT FROM NEW.%1$s', split_part(m, ' ', 2)), ' OR ')
      INTO row_of, differs
    FROM (SELECT btrim(x, E' \n') AS m FROM string_to_table(spec.members, ',') x) members;
    body := 'BEGIN
  IF TG_OP = ''INSERT'' THEN
    PERFORM record_audit(' || replace(spec.type, '%s', 'NEW') || ' || ''.created'', ' || replace(spec.type, '%s', 'NEW')
        || ', NEW.id, ' || replace(spec.name, '%s', 'NEW') || ', NULL,
      ' || format(row_of, 'NEW') || ');
  ELSIF TG_OP = ''DELETE'' THEN
    PERFORM record_audit(' || replace(spec.type, '%s', 'OLD') || ' || ''.deleted'', ' || replace(spec.type, '%s', 'OLD')
        || ', OLD.id, ' || replace(spec.name, '%s', 'OLD') || ',
      ' || format(row_of, 'OLD') || ', NULL);
  ELSE
    PERFORM record_audit(' || replace(spec.type, '%s', 'NEW') || ' || ''.updated'', ' || replace(spec.type, '%s', 'NEW')
        || ', NEW.id, ' || replace(spec.name, '%s', 'NEW') || ', c.before, c.after'
        || coalesce(' || CASE WHEN ' || spec.marked || ' THEN ''{"' || spec.mark || '": true}''::jsonb ELSE ''{}'' END',
          '') || ')
    FROM audit_changes(
      ' || format(row_of, 'OLD') || ',
      ' || format(row_of, 'NEW') || ') c;
  END IF;
  RETURN NULL;
END';
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || spec.of_table, body);
    differs := '(' || coalesce(spec.marked || ' OR ', '') || differs || ')';
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW %s EXECUTE FUNCTION %I()',
      spec.of_table || '_audit_in', spec.of_table,
      CASE WHEN spec.condition <> '' THEN 'WHEN (' || replace(spec.condition, '%s', 'NEW') || ')' ELSE '' END,
      'audit_' || spec.of_table);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW %s EXECUTE FUNCTION %I()',
      spec.of_table || '_audit_out', spec.of_table,
      CASE WHEN spec.condition <> '' THEN 'WHEN (' || replace(spec.condition, '%s', 'OLD') || ')' ELSE '' END,
      'audit_' || spec.of_table);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (%s) EXECUTE FUNCTION %I()',
      spec.of_table || '_audit_change', spec.of_table,
      CASE WHEN spec.condition <> '' THEN replace(spec.condition, '%s', 'NEW') || ' AND ' ELSE '' END || differs,
      'audit_' || spec.of_table);
  END LOOP;
END $do$;

-- What belongs to an entity and has a table of its own: it is the entity that changes, by what came and what went. With
-- the entity itself it goes without a record.
DO $do$
DECLARE
  spec record;
  row_of text;
BEGIN
  FOR spec IN SELECT * FROM (VALUES
    ('service_configs', 'services', 'service_id', '''service''', 'configs', $c$configId config_id$c$),
    ('router_configs', 'routers', 'router_id', 'CASE WHEN o.is_edge THEN ''edgeRouter'' ELSE ''router'' END', 'configs',
      $c$configId config_id$c$),
    ('auth_policy_signers', 'auth_policies', 'auth_policy_id', '''authPolicy''', 'primary.extJwt.allowedSigners',
      $c$signerId signer_id$c$),
    ('identity_hostings', 'identities', 'identity_id', '''identity''', 'serviceHostings',
      $c$serviceId service_id, cost cost, precedence precedence$c$),
    ('identity_service_configs', 'identities', 'identity_id', '''identity''', 'serviceConfigs',
      $c$serviceId service_id, configId config_id$c$),
    ('identity_traces', 'identities', 'identity_id', '''identity''', 'traces',
      $c$traceId trace_id, channels channels, until ends_at$c$)
  ) s (of_table, owner, owner_id, type, member, members)
  LOOP
    SELECT 'jsonb_build_object(' || format('%L', spec.member) || ', jsonb_build_array(jsonb_build_object('
        || string_agg(format('%L, %%1$s.%s', split_part(m, ' ', 1), split_part(m, ' ', 2)), ', ') || ')))'
      INTO row_of
    FROM (SELECT btrim(x, E' \n') AS m FROM string_to_table(spec.members, ',') x) members;
    EXECUTE format('CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || spec.of_table, 'BEGIN
  PERFORM record_audit(o.type || ''.updated'', o.type, o.id, o.name,
    CASE WHEN TG_OP <> ''INSERT'' THEN ' || format(row_of, 'OLD') || ' END,
    CASE WHEN TG_OP <> ''DELETE'' THEN ' || format(row_of, 'NEW') || ' END)
  FROM (SELECT o.id, o.name, ' || spec.type || ' AS type FROM ' || spec.owner || ' o
    WHERE o.id = CASE TG_OP WHEN ''DELETE'' THEN OLD.' || spec.owner_id || ' ELSE NEW.' || spec.owner_id || ' END) o;
  RETURN NULL;
END');
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
      spec.of_table || '_audit', spec.of_table, 'audit_' || spec.of_table);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW)
      EXECUTE FUNCTION %I()', spec.of_table || '_audit_change', spec.of_table, 'audit_' || spec.of_table);
  END LOOP;
END $do$;

-- A login is the API session that it opens, and is told of its identity: nobody was known before. The end of an API
-- session is a logout where it is the identity's own doing.
CREATE FUNCTION audit_api_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  actor CONSTANT text[] := string_to_array(current_setting('edge.actor', true), '|');
  holder CONSTANT text := (SELECT name FROM identities
    WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END);
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM record_audit('apiSession.deleted', 'apiSession', OLD.id, holder,
      jsonb_build_object('identityId', OLD.identity_id, 'method', OLD.method, 'ipAddress', OLD.ip_address), NULL);
  ELSE
    INSERT INTO audit_records (kind, entity_type, entity_id, entity_name, after, actor_kind, actor_id, actor_name,
      api_session_id, address, request_id, controller)
    VALUES ('login.succeeded', 'identity', NEW.identity_id, holder,
      jsonb_build_object('method', NEW.method, 'authenticatorId', NEW.authenticator_id), 'identity', NEW.identity_id,
      holder, NEW.id, NEW.ip_address, nullif(actor[6], ''),
      nullif(convert_from(decode(actor[7], 'hex'), 'UTF8'), ''));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_audit AFTER INSERT OR DELETE ON api_sessions FOR EACH ROW
  EXECUTE FUNCTION audit_api_sessions();

-- A code of a second factor that completes a login. That a session loses what it gave is the change of the factor.
CREATE FUNCTION audit_second_factors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM record_audit('login.completed', 'identity', i.id, i.name, NULL, '{"method": "totp"}')
  FROM identities i WHERE i.id = NEW.identity_id;
  RETURN NULL;
END $$;
CREATE TRIGGER api_sessions_audit_mfa AFTER UPDATE OF is_mfa_complete, mfa_passed_at ON api_sessions FOR EACH ROW
  WHEN (NEW.is_mfa_complete AND NEW.mfa_passed_at IS DISTINCT FROM OLD.mfa_passed_at)
  EXECUTE FUNCTION audit_second_factors();

-- Sessions come and go with the traffic, which is no change of the network; ending one of somebody else is.
CREATE FUNCTION audit_sessions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE actor CONSTANT text[] := string_to_array(current_setting('edge.actor', true), '|');
BEGIN
  IF actor[1] = 'identity' AND actor[2] <> OLD.identity_id THEN
    PERFORM record_audit('session.deleted', 'session', OLD.id, NULL, jsonb_build_object('identityId', OLD.identity_id,
      'apiSessionId', OLD.api_session_id, 'serviceId', OLD.service_id, 'type', OLD.type), NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_audit_out AFTER DELETE ON sessions FOR EACH ROW WHEN (pg_trigger_depth() = 0)
  EXECUTE FUNCTION audit_sessions();
