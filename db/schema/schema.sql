-- The schema after all migrations. Written by scripts/dump-schema.ts; do not edit.

SET check_function_bodies = off;

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE SEQUENCE audit_record_seq AS bigint;

CREATE SEQUENCE entity_count_slots AS integer;

CREATE SEQUENCE failed_service_request_places AS bigint;

CREATE SEQUENCE role_attribute_count_slots AS bigint;

CREATE SEQUENCE role_attribute_epoch_slots AS bigint;

CREATE SEQUENCE schema_migrations_id_seq AS integer;

CREATE SEQUENCE schema_migrations_lock_index_seq AS integer;

CREATE OR REPLACE FUNCTION public.actor_part(part integer)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN NULLIF(split_part(current_setting('edge.actor'::text, true), '|'::text, part), ''::text);

CREATE OR REPLACE FUNCTION public.acts_for_another(host_id text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT coalesce(CASE split_part(current_setting('edge.actor', true), '|', 1) WHEN 'operator' THEN true
    WHEN 'identity' THEN split_part(current_setting('edge.actor', true), '|', 2) <> host_id END, false)
$function$;

CREATE OR REPLACE FUNCTION public.add_role_attribute(of_kind text, item text, added bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  held tid;
  now_used bigint;
BEGIN
  SELECT ctid INTO held FROM role_attribute_counts WHERE kind = of_kind AND attribute = item
    LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE role_attribute_counts SET uses = uses + added WHERE ctid = held RETURNING uses INTO STRICT now_used;
    RETURN now_used = added;
  END IF;
  INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, added);
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'model identity *');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_model()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  changed record;
  id text;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  IF TG_ARGV[1] = 'service_id' THEN id := changed.service_id;
  ELSIF TG_ARGV[1] = 'identity_id' THEN id := changed.identity_id;
  ELSIF TG_ARGV[1] = 'router_id' THEN id := changed.router_id;
  ELSE id := changed.id;
  END IF;
  PERFORM pg_notify('edge', concat('model ', TG_ARGV[0], ' ', id));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.announce_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'webhooks');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_api_session_certificates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('apiSessionCertificate' || '.created', 'apiSessionCertificate', NEW.id, NULL, NULL,
      jsonb_build_object('apiSessionId', NEW.api_session_id, 'fingerprint', NEW.fingerprint, 'subject', NEW.subject, 'validFrom', NEW.valid_from, 'validTo', NEW.valid_to));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('apiSessionCertificate' || '.deleted', 'apiSessionCertificate', OLD.id, NULL,
      jsonb_build_object('apiSessionId', OLD.api_session_id, 'fingerprint', OLD.fingerprint, 'subject', OLD.subject, 'validFrom', OLD.valid_from, 'validTo', OLD.valid_to), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'apiSessionCertificate' || '.updated', 'apiSessionCertificate', NEW.id, NULL, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('apiSessionId', OLD.api_session_id, 'fingerprint', OLD.fingerprint, 'subject', OLD.subject, 'validFrom', OLD.valid_from, 'validTo', OLD.valid_to),
      jsonb_build_object('apiSessionId', NEW.api_session_id, 'fingerprint', NEW.fingerprint, 'subject', NEW.subject, 'validFrom', NEW.valid_from, 'validTo', NEW.valid_to)) c;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_api_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE holder text;
BEGIN
  IF current_setting('edge.summed', true) = 'on' THEN
    INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
    VALUES ('login.succeeded', NEW.identity_id, NEW.authenticator_id, NEW.method, 'identity', 1)
    ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + 1;
    RETURN NULL;
  END IF;
  holder := (SELECT name FROM identities WHERE id = NEW.identity_id);
  INSERT INTO audited_changes (kind, entity_type, entity_id, entity_name, after, actor_kind, actor_id, actor_name,
    api_session_id, address)
  VALUES ('login.succeeded', 'identity', NEW.identity_id, holder,
    jsonb_build_object('method', NEW.method, 'authenticatorId', NEW.authenticator_id), 'identity', NEW.identity_id,
    holder, NEW.id, NEW.ip_address);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_api_sessions_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  actor text;
  summed text;
  most bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  actor := coalesce(actor_part(1), 'controller');
  summed := current_setting('edge.summed', true);
  IF summed = 'once' THEN PERFORM set_config('edge.summed', '', true); END IF;
  most := CASE WHEN summed IN ('on', 'once') THEN 0 WHEN actor = 'controller' THEN 10 END;
  IF most IS NULL THEN
    INSERT INTO audited_changes SELECT 'apiSession.deleted', 'apiSession', g.id, i.name,
      jsonb_build_object('identityId', g.identity_id, 'method', g.method, 'ipAddress', g.ip_address), NULL
    FROM gone g LEFT JOIN identities i ON i.id = g.identity_id;
    RETURN NULL;
  END IF;
  IF most > 0 THEN
    INSERT INTO audited_changes SELECT 'apiSession.deleted', 'apiSession', g.id, i.name,
      jsonb_build_object('identityId', g.identity_id, 'method', g.method, 'ipAddress', g.ip_address), NULL
    FROM (SELECT id, identity_id, method, ip_address, row_number() OVER (PARTITION BY identity_id ORDER BY id) AS nth
      FROM gone) g LEFT JOIN identities i ON i.id = g.identity_id
    WHERE g.nth <= most;
  END IF;
  INSERT INTO audit_sums AS s (kind, identity_id, authenticator_id, method, actor_kind, total)
  SELECT 'apiSession.deleted', identity_id, '', '', actor, count(*) - most FROM gone
  GROUP BY identity_id HAVING count(*) > most
  ON CONFLICT ON CONSTRAINT audit_sums_pkey DO UPDATE SET total = s.total + excluded.total;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_auth_policies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('authPolicy' || '.created', 'authPolicy', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'primary.cert.allowed', NEW.cert_allowed, 'primary.cert.allowExpiredCerts', NEW.cert_allow_expired, 'primary.extJwt.allowed', NEW.ext_jwt_allowed, 'primary.updb.allowed', NEW.updb_allowed, 'primary.updb.minPasswordLength', NEW.updb_min_password_length, 'primary.updb.requireMixedCase', NEW.updb_require_mixed_case, 'primary.updb.requireNumberChar', NEW.updb_require_number_char, 'primary.updb.requireSpecialChar', NEW.updb_require_special_char, 'primary.updb.maxAttempts', NEW.updb_max_attempts, 'primary.updb.lockoutDurationMinutes', NEW.updb_lockout_minutes, 'secondary.requireTotp', NEW.require_totp, 'secondary.requireExtJwtSigner', NEW.require_ext_jwt_signer_id, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('authPolicy' || '.deleted', 'authPolicy', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'primary.cert.allowed', OLD.cert_allowed, 'primary.cert.allowExpiredCerts', OLD.cert_allow_expired, 'primary.extJwt.allowed', OLD.ext_jwt_allowed, 'primary.updb.allowed', OLD.updb_allowed, 'primary.updb.minPasswordLength', OLD.updb_min_password_length, 'primary.updb.requireMixedCase', OLD.updb_require_mixed_case, 'primary.updb.requireNumberChar', OLD.updb_require_number_char, 'primary.updb.requireSpecialChar', OLD.updb_require_special_char, 'primary.updb.maxAttempts', OLD.updb_max_attempts, 'primary.updb.lockoutDurationMinutes', OLD.updb_lockout_minutes, 'secondary.requireTotp', OLD.require_totp, 'secondary.requireExtJwtSigner', OLD.require_ext_jwt_signer_id, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.cert_allowed IS DISTINCT FROM NEW.cert_allowed THEN
      before := before || jsonb_build_object('primary.cert.allowed', OLD.cert_allowed);
      after := after || jsonb_build_object('primary.cert.allowed', NEW.cert_allowed);
    END IF;
    IF OLD.cert_allow_expired IS DISTINCT FROM NEW.cert_allow_expired THEN
      before := before || jsonb_build_object('primary.cert.allowExpiredCerts', OLD.cert_allow_expired);
      after := after || jsonb_build_object('primary.cert.allowExpiredCerts', NEW.cert_allow_expired);
    END IF;
    IF OLD.ext_jwt_allowed IS DISTINCT FROM NEW.ext_jwt_allowed THEN
      before := before || jsonb_build_object('primary.extJwt.allowed', OLD.ext_jwt_allowed);
      after := after || jsonb_build_object('primary.extJwt.allowed', NEW.ext_jwt_allowed);
    END IF;
    IF OLD.updb_allowed IS DISTINCT FROM NEW.updb_allowed THEN
      before := before || jsonb_build_object('primary.updb.allowed', OLD.updb_allowed);
      after := after || jsonb_build_object('primary.updb.allowed', NEW.updb_allowed);
    END IF;
    IF OLD.updb_min_password_length IS DISTINCT FROM NEW.updb_min_password_length THEN
      before := before || jsonb_build_object('primary.updb.minPasswordLength', OLD.updb_min_password_length);
      after := after || jsonb_build_object('primary.updb.minPasswordLength', NEW.updb_min_password_length);
    END IF;
    IF OLD.updb_require_mixed_case IS DISTINCT FROM NEW.updb_require_mixed_case THEN
      before := before || jsonb_build_object('primary.updb.requireMixedCase', OLD.updb_require_mixed_case);
      after := after || jsonb_build_object('primary.updb.requireMixedCase', NEW.updb_require_mixed_case);
    END IF;
    IF OLD.updb_require_number_char IS DISTINCT FROM NEW.updb_require_number_char THEN
      before := before || jsonb_build_object('primary.updb.requireNumberChar', OLD.updb_require_number_char);
      after := after || jsonb_build_object('primary.updb.requireNumberChar', NEW.updb_require_number_char);
    END IF;
    IF OLD.updb_require_special_char IS DISTINCT FROM NEW.updb_require_special_char THEN
      before := before || jsonb_build_object('primary.updb.requireSpecialChar', OLD.updb_require_special_char);
      after := after || jsonb_build_object('primary.updb.requireSpecialChar', NEW.updb_require_special_char);
    END IF;
    IF OLD.updb_max_attempts IS DISTINCT FROM NEW.updb_max_attempts THEN
      before := before || jsonb_build_object('primary.updb.maxAttempts', OLD.updb_max_attempts);
      after := after || jsonb_build_object('primary.updb.maxAttempts', NEW.updb_max_attempts);
    END IF;
    IF OLD.updb_lockout_minutes IS DISTINCT FROM NEW.updb_lockout_minutes THEN
      before := before || jsonb_build_object('primary.updb.lockoutDurationMinutes', OLD.updb_lockout_minutes);
      after := after || jsonb_build_object('primary.updb.lockoutDurationMinutes', NEW.updb_lockout_minutes);
    END IF;
    IF OLD.require_totp IS DISTINCT FROM NEW.require_totp THEN
      before := before || jsonb_build_object('secondary.requireTotp', OLD.require_totp);
      after := after || jsonb_build_object('secondary.requireTotp', NEW.require_totp);
    END IF;
    IF OLD.require_ext_jwt_signer_id IS DISTINCT FROM NEW.require_ext_jwt_signer_id THEN
      before := before || jsonb_build_object('secondary.requireExtJwtSigner', OLD.require_ext_jwt_signer_id);
      after := after || jsonb_build_object('secondary.requireExtJwtSigner', NEW.require_ext_jwt_signer_id);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('authPolicy' || '.updated', 'authPolicy', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_auth_policy_signers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('primary.extJwt.allowedSigners', jsonb_build_array(jsonb_build_object('signerId', OLD.signer_id))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('primary.extJwt.allowedSigners', jsonb_build_array(jsonb_build_object('signerId', NEW.signer_id))) END
  FROM (SELECT o.id, o.name, 'authPolicy' AS type FROM auth_policies o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.auth_policy_id ELSE NEW.auth_policy_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_authenticators()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('authenticator' || '.created', 'authenticator', NEW.id, NEW.username, NULL,
      jsonb_build_object('identityId', NEW.identity_id, 'method', NEW.method, 'username', NEW.username, 'fingerprint', NEW.fingerprint, 'caId', NEW.ca_id, 'isIssuedByNetwork', NEW.is_issued_by_network, 'extendRequestedAt', NEW.extend_requested_at, 'isKeyRollRequested', NEW.is_key_roll_requested, 'unverifiedFingerprint', NEW.unverified_fingerprint, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('authenticator' || '.deleted', 'authenticator', OLD.id, OLD.username,
      jsonb_build_object('identityId', OLD.identity_id, 'method', OLD.method, 'username', OLD.username, 'fingerprint', OLD.fingerprint, 'caId', OLD.ca_id, 'isIssuedByNetwork', OLD.is_issued_by_network, 'extendRequestedAt', OLD.extend_requested_at, 'isKeyRollRequested', OLD.is_key_roll_requested, 'unverifiedFingerprint', OLD.unverified_fingerprint, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.identity_id IS DISTINCT FROM NEW.identity_id THEN
      before := before || jsonb_build_object('identityId', OLD.identity_id);
      after := after || jsonb_build_object('identityId', NEW.identity_id);
    END IF;
    IF OLD.method IS DISTINCT FROM NEW.method THEN
      before := before || jsonb_build_object('method', OLD.method);
      after := after || jsonb_build_object('method', NEW.method);
    END IF;
    IF OLD.username IS DISTINCT FROM NEW.username THEN
      before := before || jsonb_build_object('username', OLD.username);
      after := after || jsonb_build_object('username', NEW.username);
    END IF;
    IF OLD.fingerprint IS DISTINCT FROM NEW.fingerprint THEN
      before := before || jsonb_build_object('fingerprint', OLD.fingerprint);
      after := after || jsonb_build_object('fingerprint', NEW.fingerprint);
    END IF;
    IF OLD.ca_id IS DISTINCT FROM NEW.ca_id THEN
      before := before || jsonb_build_object('caId', OLD.ca_id);
      after := after || jsonb_build_object('caId', NEW.ca_id);
    END IF;
    IF OLD.is_issued_by_network IS DISTINCT FROM NEW.is_issued_by_network THEN
      before := before || jsonb_build_object('isIssuedByNetwork', OLD.is_issued_by_network);
      after := after || jsonb_build_object('isIssuedByNetwork', NEW.is_issued_by_network);
    END IF;
    IF OLD.extend_requested_at IS DISTINCT FROM NEW.extend_requested_at THEN
      before := before || jsonb_build_object('extendRequestedAt', OLD.extend_requested_at);
      after := after || jsonb_build_object('extendRequestedAt', NEW.extend_requested_at);
    END IF;
    IF OLD.is_key_roll_requested IS DISTINCT FROM NEW.is_key_roll_requested THEN
      before := before || jsonb_build_object('isKeyRollRequested', OLD.is_key_roll_requested);
      after := after || jsonb_build_object('isKeyRollRequested', NEW.is_key_roll_requested);
    END IF;
    IF OLD.unverified_fingerprint IS DISTINCT FROM NEW.unverified_fingerprint THEN
      before := before || jsonb_build_object('unverifiedFingerprint', OLD.unverified_fingerprint);
      after := after || jsonb_build_object('unverifiedFingerprint', NEW.unverified_fingerprint);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF OLD.password_hash IS DISTINCT FROM NEW.password_hash THEN
      after := after || jsonb_build_object('passwordChanged', true);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('authenticator' || '.updated', 'authenticator', NEW.id, NEW.username, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_by_columns(of_table text, entity_type text, members text[], columns text[], secrets text[] DEFAULT '{}'::text[], type_of text DEFAULT NULL::text, unrecorded text DEFAULT NULL::text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  types CONSTANT text := coalesce(type_of, quote_literal(entity_type));
  name_of CONSTANT text := CASE WHEN 'name' = ANY (columns) THEN '%s.name' WHEN 'username' = ANY (columns)
    THEN '%s.username' ELSE 'NULL' END;
  whole text;
  changes text;
BEGIN
  SELECT 'jsonb_build_object(' || string_agg(format('%L, %%1$s.%I', member, name), ', ' ORDER BY n) || ')',
    string_agg(format('    IF OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN
      before := before || jsonb_build_object(%2$L, OLD.%1$I);
      after := after || jsonb_build_object(%2$L, NEW.%1$I);
    END IF;
', name, member), '' ORDER BY n)
    INTO whole, changes
  FROM unnest(members, columns) WITH ORDINALITY each (member, name, n);
  FOR i IN 1 .. cardinality(secrets) BY 2 LOOP
    changes := changes || format('    IF OLD.%1$I IS DISTINCT FROM NEW.%1$I THEN
      after := after || jsonb_build_object(%2$L, true);
    END IF;
', secrets[i], secrets[i + 1]);
  END LOOP;
  EXECUTE format('CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS %L', 'audit_' || of_table,
    format('
DECLARE
  before jsonb := ''{}'';
  after jsonb := ''{}'';
BEGIN
  IF TG_OP = ''INSERT'' THEN
    INSERT INTO audited_changes VALUES (%1$s || ''.created'', %1$s, NEW.id, %3$s, NULL,
      %5$s);%8$s
  ELSIF TG_OP = ''DELETE'' THEN
    INSERT INTO audited_changes VALUES (%2$s || ''.deleted'', %2$s, OLD.id, %4$s,
      %6$s, NULL);
  ELSE
%7$s    IF after <> ''{}'' THEN
      INSERT INTO audited_changes VALUES (%1$s || ''.updated'', %1$s, NEW.id, %3$s, before, after);
    END IF;
  END IF;
  RETURN NULL;
END', format(types, 'NEW'), format(types, 'OLD'), format(name_of, 'NEW'), format(name_of, 'OLD'),
      format(whole, 'NEW'), format(whole, 'OLD'), changes,
      E'\n  ELSIF ' || unrecorded || E' THEN\n    RETURN NULL;'));
END $function$;

CREATE OR REPLACE FUNCTION public.audit_cas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('ca' || '.created', 'ca', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'fingerprint', NEW.fingerprint, 'isVerified', NEW.is_verified, 'isAuthEnabled', NEW.is_auth_enabled, 'isAutoCaEnrollmentEnabled', NEW.is_auto_ca_enrollment_enabled, 'isOttCaEnrollmentEnabled', NEW.is_ott_ca_enrollment_enabled, 'identityRoles', NEW.identity_roles, 'identityNameFormat', NEW.identity_name_format, 'externalIdClaim', NEW.external_id_claim, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('ca' || '.deleted', 'ca', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'fingerprint', OLD.fingerprint, 'isVerified', OLD.is_verified, 'isAuthEnabled', OLD.is_auth_enabled, 'isAutoCaEnrollmentEnabled', OLD.is_auto_ca_enrollment_enabled, 'isOttCaEnrollmentEnabled', OLD.is_ott_ca_enrollment_enabled, 'identityRoles', OLD.identity_roles, 'identityNameFormat', OLD.identity_name_format, 'externalIdClaim', OLD.external_id_claim, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.fingerprint IS DISTINCT FROM NEW.fingerprint THEN
      before := before || jsonb_build_object('fingerprint', OLD.fingerprint);
      after := after || jsonb_build_object('fingerprint', NEW.fingerprint);
    END IF;
    IF OLD.is_verified IS DISTINCT FROM NEW.is_verified THEN
      before := before || jsonb_build_object('isVerified', OLD.is_verified);
      after := after || jsonb_build_object('isVerified', NEW.is_verified);
    END IF;
    IF OLD.is_auth_enabled IS DISTINCT FROM NEW.is_auth_enabled THEN
      before := before || jsonb_build_object('isAuthEnabled', OLD.is_auth_enabled);
      after := after || jsonb_build_object('isAuthEnabled', NEW.is_auth_enabled);
    END IF;
    IF OLD.is_auto_ca_enrollment_enabled IS DISTINCT FROM NEW.is_auto_ca_enrollment_enabled THEN
      before := before || jsonb_build_object('isAutoCaEnrollmentEnabled', OLD.is_auto_ca_enrollment_enabled);
      after := after || jsonb_build_object('isAutoCaEnrollmentEnabled', NEW.is_auto_ca_enrollment_enabled);
    END IF;
    IF OLD.is_ott_ca_enrollment_enabled IS DISTINCT FROM NEW.is_ott_ca_enrollment_enabled THEN
      before := before || jsonb_build_object('isOttCaEnrollmentEnabled', OLD.is_ott_ca_enrollment_enabled);
      after := after || jsonb_build_object('isOttCaEnrollmentEnabled', NEW.is_ott_ca_enrollment_enabled);
    END IF;
    IF OLD.identity_roles IS DISTINCT FROM NEW.identity_roles THEN
      before := before || jsonb_build_object('identityRoles', OLD.identity_roles);
      after := after || jsonb_build_object('identityRoles', NEW.identity_roles);
    END IF;
    IF OLD.identity_name_format IS DISTINCT FROM NEW.identity_name_format THEN
      before := before || jsonb_build_object('identityNameFormat', OLD.identity_name_format);
      after := after || jsonb_build_object('identityNameFormat', NEW.identity_name_format);
    END IF;
    IF OLD.external_id_claim IS DISTINCT FROM NEW.external_id_claim THEN
      before := before || jsonb_build_object('externalIdClaim', OLD.external_id_claim);
      after := after || jsonb_build_object('externalIdClaim', NEW.external_id_claim);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('ca' || '.updated', 'ca', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_changes(old_row jsonb, new_row jsonb, OUT before jsonb, OUT after jsonb)
 RETURNS record
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
BEGIN
  SELECT coalesce(jsonb_object_agg(o.key, o.value), '{}'), coalesce(jsonb_object_agg(o.key, new_row -> o.key), '{}')
    INTO before, after
  FROM jsonb_each(old_row) o WHERE o.value IS DISTINCT FROM new_row -> o.key;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_config_types()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('configType' || '.created', 'configType', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'schema', NEW.schema, 'target', NEW.target, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('configType' || '.deleted', 'configType', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'schema', OLD.schema, 'target', OLD.target, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.schema IS DISTINCT FROM NEW.schema THEN
      before := before || jsonb_build_object('schema', OLD.schema);
      after := after || jsonb_build_object('schema', NEW.schema);
    END IF;
    IF OLD.target IS DISTINCT FROM NEW.target THEN
      before := before || jsonb_build_object('target', OLD.target);
      after := after || jsonb_build_object('target', NEW.target);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('configType' || '.updated', 'configType', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_configs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('config.created', 'config', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'configTypeId', NEW.config_type_id, 'data', NEW.data, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('config.deleted', 'config', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'configTypeId', OLD.config_type_id, 'data', OLD.data, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.config_type_id IS DISTINCT FROM NEW.config_type_id THEN
      before := before || jsonb_build_object('configTypeId', OLD.config_type_id);
      after := after || jsonb_build_object('configTypeId', NEW.config_type_id);
    END IF;
    IF OLD.data IS DISTINCT FROM NEW.data THEN
      before := before || jsonb_build_object('data', OLD.data);
      after := after || jsonb_build_object('data', NEW.data);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('config.updated', 'config', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_controller_settings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('controllerSetting' || '.created', 'controllerSetting', NEW.id, NULL, NULL,
      jsonb_build_object('controllerId', NEW.controller_id, 'redirectUris', NEW.redirect_uris, 'postLogoutUris', NEW.post_logout_uris, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('controllerSetting' || '.deleted', 'controllerSetting', OLD.id, NULL,
      jsonb_build_object('controllerId', OLD.controller_id, 'redirectUris', OLD.redirect_uris, 'postLogoutUris', OLD.post_logout_uris, 'tags', OLD.tags), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'controllerSetting' || '.updated', 'controllerSetting', NEW.id, NULL, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('controllerId', OLD.controller_id, 'redirectUris', OLD.redirect_uris, 'postLogoutUris', OLD.post_logout_uris, 'tags', OLD.tags),
      jsonb_build_object('controllerId', NEW.controller_id, 'redirectUris', NEW.redirect_uris, 'postLogoutUris', NEW.post_logout_uris, 'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_controllers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('controller' || '.created', 'controller', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'ctrlAddress', NEW.ctrl_address, 'fingerprint', NEW.fingerprint, 'apiAddresses', NEW.api_addresses, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('controller' || '.deleted', 'controller', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'ctrlAddress', OLD.ctrl_address, 'fingerprint', OLD.fingerprint, 'apiAddresses', OLD.api_addresses, 'tags', OLD.tags), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'controller' || '.updated', 'controller', NEW.id, NEW.name, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('name', OLD.name, 'ctrlAddress', OLD.ctrl_address, 'fingerprint', OLD.fingerprint, 'apiAddresses', OLD.api_addresses, 'tags', OLD.tags),
      jsonb_build_object('name', NEW.name, 'ctrlAddress', NEW.ctrl_address, 'fingerprint', NEW.fingerprint, 'apiAddresses', NEW.api_addresses, 'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_edge_router_policies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('edgeRouterPolicy.created', 'edgeRouterPolicy', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'semantic', NEW.semantic, 'identityRoles', NEW.identity_roles, 'edgeRouterRoles', NEW.edge_router_roles, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('edgeRouterPolicy.deleted', 'edgeRouterPolicy', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'semantic', OLD.semantic, 'identityRoles', OLD.identity_roles, 'edgeRouterRoles', OLD.edge_router_roles, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.semantic IS DISTINCT FROM NEW.semantic THEN
      before := before || jsonb_build_object('semantic', OLD.semantic);
      after := after || jsonb_build_object('semantic', NEW.semantic);
    END IF;
    IF OLD.identity_roles IS DISTINCT FROM NEW.identity_roles THEN
      before := before || jsonb_build_object('identityRoles', OLD.identity_roles);
      after := after || jsonb_build_object('identityRoles', NEW.identity_roles);
    END IF;
    IF OLD.edge_router_roles IS DISTINCT FROM NEW.edge_router_roles THEN
      before := before || jsonb_build_object('edgeRouterRoles', OLD.edge_router_roles);
      after := after || jsonb_build_object('edgeRouterRoles', NEW.edge_router_roles);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('edgeRouterPolicy.updated', 'edgeRouterPolicy', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_enrollments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('enrollment' || '.created', 'enrollment', NEW.id, NEW.username, NULL,
      jsonb_build_object('method', NEW.method, 'identityId', NEW.identity_id, 'edgeRouterId', NEW.edge_router_id, 'transitRouterId', NEW.transit_router_id, 'caId', NEW.ca_id, 'username', NEW.username, 'expiresAt', NEW.expires_at, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('enrollment' || '.deleted', 'enrollment', OLD.id, OLD.username,
      jsonb_build_object('method', OLD.method, 'identityId', OLD.identity_id, 'edgeRouterId', OLD.edge_router_id, 'transitRouterId', OLD.transit_router_id, 'caId', OLD.ca_id, 'username', OLD.username, 'expiresAt', OLD.expires_at, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.method IS DISTINCT FROM NEW.method THEN
      before := before || jsonb_build_object('method', OLD.method);
      after := after || jsonb_build_object('method', NEW.method);
    END IF;
    IF OLD.identity_id IS DISTINCT FROM NEW.identity_id THEN
      before := before || jsonb_build_object('identityId', OLD.identity_id);
      after := after || jsonb_build_object('identityId', NEW.identity_id);
    END IF;
    IF OLD.edge_router_id IS DISTINCT FROM NEW.edge_router_id THEN
      before := before || jsonb_build_object('edgeRouterId', OLD.edge_router_id);
      after := after || jsonb_build_object('edgeRouterId', NEW.edge_router_id);
    END IF;
    IF OLD.transit_router_id IS DISTINCT FROM NEW.transit_router_id THEN
      before := before || jsonb_build_object('transitRouterId', OLD.transit_router_id);
      after := after || jsonb_build_object('transitRouterId', NEW.transit_router_id);
    END IF;
    IF OLD.ca_id IS DISTINCT FROM NEW.ca_id THEN
      before := before || jsonb_build_object('caId', OLD.ca_id);
      after := after || jsonb_build_object('caId', NEW.ca_id);
    END IF;
    IF OLD.username IS DISTINCT FROM NEW.username THEN
      before := before || jsonb_build_object('username', OLD.username);
      after := after || jsonb_build_object('username', NEW.username);
    END IF;
    IF OLD.expires_at IS DISTINCT FROM NEW.expires_at THEN
      before := before || jsonb_build_object('expiresAt', OLD.expires_at);
      after := after || jsonb_build_object('expiresAt', NEW.expires_at);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF OLD.token IS DISTINCT FROM NEW.token THEN
      after := after || jsonb_build_object('tokenChanged', true);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('enrollment' || '.updated', 'enrollment', NEW.id, NEW.username, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_entity(of_table text, entity_type text, VARIADIC left_out text[] DEFAULT '{}'::text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  members text[];
  columns text[];
BEGIN
  SELECT array_agg(m.member ORDER BY m.attnum), array_agg(m.attname ORDER BY m.attnum) INTO members, columns
  FROM (
    SELECT a.attname::text, a.attnum, (
      SELECT string_agg(CASE n WHEN 1 THEN word ELSE initcap(word) END, '' ORDER BY n)
      FROM string_to_table(a.attname, '_') WITH ORDINALITY words (word, n)) AS member
    FROM pg_attribute a WHERE a.attrelid = of_table::regclass AND a.attnum > 0 AND NOT a.attisdropped
      AND a.attname <> ALL (ARRAY['id', 'created_at', 'updated_at', 'is_system'] || left_out)) m;
  PERFORM audit_by_columns(of_table, entity_type, members, columns);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER INSERT ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_in', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER DELETE ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_out', of_table, 'audit_' || of_table);
  EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER UPDATE OF %s ON %I FOR EACH ROW EXECUTE FUNCTION %I()',
    of_table || '_audit_change', (SELECT string_agg(quote_ident(name), ', ' ORDER BY n)
      FROM unnest(columns) WITH ORDINALITY each (name, n)), of_table, 'audit_' || of_table);
END $function$;

CREATE OR REPLACE FUNCTION public.audit_external_jwt_signers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('externalJwtSigner' || '.created', 'externalJwtSigner', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'issuer', NEW.issuer, 'audience', NEW.audience, 'kid', NEW.kid, 'fingerprint', NEW.fingerprint, 'commonName', NEW.common_name, 'notBefore', NEW.not_before, 'notAfter', NEW.not_after, 'jwksEndpoint', NEW.jwks_endpoint, 'enabled', NEW.is_enabled, 'useExternalId', NEW.use_external_id, 'claimsProperty', NEW.claims_property, 'clientId', NEW.client_id, 'scopes', NEW.scopes, 'externalAuthUrl', NEW.external_auth_url, 'targetToken', NEW.target_token, 'enrollToCertEnabled', NEW.enroll_to_cert_enabled, 'enrollToTokenEnabled', NEW.enroll_to_token_enabled, 'enrollAuthPolicyId', NEW.enroll_auth_policy_id, 'enrollNameClaimsSelector', NEW.enroll_name_claims_selector, 'enrollAttributeClaimsSelector', NEW.enroll_attribute_claims_selector, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('externalJwtSigner' || '.deleted', 'externalJwtSigner', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'issuer', OLD.issuer, 'audience', OLD.audience, 'kid', OLD.kid, 'fingerprint', OLD.fingerprint, 'commonName', OLD.common_name, 'notBefore', OLD.not_before, 'notAfter', OLD.not_after, 'jwksEndpoint', OLD.jwks_endpoint, 'enabled', OLD.is_enabled, 'useExternalId', OLD.use_external_id, 'claimsProperty', OLD.claims_property, 'clientId', OLD.client_id, 'scopes', OLD.scopes, 'externalAuthUrl', OLD.external_auth_url, 'targetToken', OLD.target_token, 'enrollToCertEnabled', OLD.enroll_to_cert_enabled, 'enrollToTokenEnabled', OLD.enroll_to_token_enabled, 'enrollAuthPolicyId', OLD.enroll_auth_policy_id, 'enrollNameClaimsSelector', OLD.enroll_name_claims_selector, 'enrollAttributeClaimsSelector', OLD.enroll_attribute_claims_selector, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.issuer IS DISTINCT FROM NEW.issuer THEN
      before := before || jsonb_build_object('issuer', OLD.issuer);
      after := after || jsonb_build_object('issuer', NEW.issuer);
    END IF;
    IF OLD.audience IS DISTINCT FROM NEW.audience THEN
      before := before || jsonb_build_object('audience', OLD.audience);
      after := after || jsonb_build_object('audience', NEW.audience);
    END IF;
    IF OLD.kid IS DISTINCT FROM NEW.kid THEN
      before := before || jsonb_build_object('kid', OLD.kid);
      after := after || jsonb_build_object('kid', NEW.kid);
    END IF;
    IF OLD.fingerprint IS DISTINCT FROM NEW.fingerprint THEN
      before := before || jsonb_build_object('fingerprint', OLD.fingerprint);
      after := after || jsonb_build_object('fingerprint', NEW.fingerprint);
    END IF;
    IF OLD.common_name IS DISTINCT FROM NEW.common_name THEN
      before := before || jsonb_build_object('commonName', OLD.common_name);
      after := after || jsonb_build_object('commonName', NEW.common_name);
    END IF;
    IF OLD.not_before IS DISTINCT FROM NEW.not_before THEN
      before := before || jsonb_build_object('notBefore', OLD.not_before);
      after := after || jsonb_build_object('notBefore', NEW.not_before);
    END IF;
    IF OLD.not_after IS DISTINCT FROM NEW.not_after THEN
      before := before || jsonb_build_object('notAfter', OLD.not_after);
      after := after || jsonb_build_object('notAfter', NEW.not_after);
    END IF;
    IF OLD.jwks_endpoint IS DISTINCT FROM NEW.jwks_endpoint THEN
      before := before || jsonb_build_object('jwksEndpoint', OLD.jwks_endpoint);
      after := after || jsonb_build_object('jwksEndpoint', NEW.jwks_endpoint);
    END IF;
    IF OLD.is_enabled IS DISTINCT FROM NEW.is_enabled THEN
      before := before || jsonb_build_object('enabled', OLD.is_enabled);
      after := after || jsonb_build_object('enabled', NEW.is_enabled);
    END IF;
    IF OLD.use_external_id IS DISTINCT FROM NEW.use_external_id THEN
      before := before || jsonb_build_object('useExternalId', OLD.use_external_id);
      after := after || jsonb_build_object('useExternalId', NEW.use_external_id);
    END IF;
    IF OLD.claims_property IS DISTINCT FROM NEW.claims_property THEN
      before := before || jsonb_build_object('claimsProperty', OLD.claims_property);
      after := after || jsonb_build_object('claimsProperty', NEW.claims_property);
    END IF;
    IF OLD.client_id IS DISTINCT FROM NEW.client_id THEN
      before := before || jsonb_build_object('clientId', OLD.client_id);
      after := after || jsonb_build_object('clientId', NEW.client_id);
    END IF;
    IF OLD.scopes IS DISTINCT FROM NEW.scopes THEN
      before := before || jsonb_build_object('scopes', OLD.scopes);
      after := after || jsonb_build_object('scopes', NEW.scopes);
    END IF;
    IF OLD.external_auth_url IS DISTINCT FROM NEW.external_auth_url THEN
      before := before || jsonb_build_object('externalAuthUrl', OLD.external_auth_url);
      after := after || jsonb_build_object('externalAuthUrl', NEW.external_auth_url);
    END IF;
    IF OLD.target_token IS DISTINCT FROM NEW.target_token THEN
      before := before || jsonb_build_object('targetToken', OLD.target_token);
      after := after || jsonb_build_object('targetToken', NEW.target_token);
    END IF;
    IF OLD.enroll_to_cert_enabled IS DISTINCT FROM NEW.enroll_to_cert_enabled THEN
      before := before || jsonb_build_object('enrollToCertEnabled', OLD.enroll_to_cert_enabled);
      after := after || jsonb_build_object('enrollToCertEnabled', NEW.enroll_to_cert_enabled);
    END IF;
    IF OLD.enroll_to_token_enabled IS DISTINCT FROM NEW.enroll_to_token_enabled THEN
      before := before || jsonb_build_object('enrollToTokenEnabled', OLD.enroll_to_token_enabled);
      after := after || jsonb_build_object('enrollToTokenEnabled', NEW.enroll_to_token_enabled);
    END IF;
    IF OLD.enroll_auth_policy_id IS DISTINCT FROM NEW.enroll_auth_policy_id THEN
      before := before || jsonb_build_object('enrollAuthPolicyId', OLD.enroll_auth_policy_id);
      after := after || jsonb_build_object('enrollAuthPolicyId', NEW.enroll_auth_policy_id);
    END IF;
    IF OLD.enroll_name_claims_selector IS DISTINCT FROM NEW.enroll_name_claims_selector THEN
      before := before || jsonb_build_object('enrollNameClaimsSelector', OLD.enroll_name_claims_selector);
      after := after || jsonb_build_object('enrollNameClaimsSelector', NEW.enroll_name_claims_selector);
    END IF;
    IF OLD.enroll_attribute_claims_selector IS DISTINCT FROM NEW.enroll_attribute_claims_selector THEN
      before := before || jsonb_build_object('enrollAttributeClaimsSelector', OLD.enroll_attribute_claims_selector);
      after := after || jsonb_build_object('enrollAttributeClaimsSelector', NEW.enroll_attribute_claims_selector);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('externalJwtSigner' || '.updated', 'externalJwtSigner', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_fabric_services()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('fabricService.created', 'fabricService', NEW.id, NEW.name, NULL,
      jsonb_build_object('tags', NEW.tags, 'name', NEW.name, 'terminatorStrategy', NEW.terminator_strategy, 'maxIdleTimeMillis', NEW.max_idle_time_millis));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('fabricService.deleted', 'fabricService', OLD.id, OLD.name,
      jsonb_build_object('tags', OLD.tags, 'name', OLD.name, 'terminatorStrategy', OLD.terminator_strategy, 'maxIdleTimeMillis', OLD.max_idle_time_millis), NULL);
  ELSE
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.terminator_strategy IS DISTINCT FROM NEW.terminator_strategy THEN
      before := before || jsonb_build_object('terminatorStrategy', OLD.terminator_strategy);
      after := after || jsonb_build_object('terminatorStrategy', NEW.terminator_strategy);
    END IF;
    IF OLD.max_idle_time_millis IS DISTINCT FROM NEW.max_idle_time_millis THEN
      before := before || jsonb_build_object('maxIdleTimeMillis', OLD.max_idle_time_millis);
      after := after || jsonb_build_object('maxIdleTimeMillis', NEW.max_idle_time_millis);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('fabricService.updated', 'fabricService', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_fabric_terminators()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('fabricTerminator.created', 'fabricTerminator', NEW.id, NULL, NULL,
      jsonb_build_object('tags', NEW.tags, 'serviceId', NEW.service_id, 'routerId', NEW.router_id, 'binding', NEW.binding, 'address', NEW.address, 'instanceId', NEW.instance_id, 'hostId', NEW.host_id, 'cost', NEW.cost, 'precedence', NEW.precedence));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('fabricTerminator.deleted', 'fabricTerminator', OLD.id, NULL,
      jsonb_build_object('tags', OLD.tags, 'serviceId', OLD.service_id, 'routerId', OLD.router_id, 'binding', OLD.binding, 'address', OLD.address, 'instanceId', OLD.instance_id, 'hostId', OLD.host_id, 'cost', OLD.cost, 'precedence', OLD.precedence), NULL);
  ELSE
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF OLD.service_id IS DISTINCT FROM NEW.service_id THEN
      before := before || jsonb_build_object('serviceId', OLD.service_id);
      after := after || jsonb_build_object('serviceId', NEW.service_id);
    END IF;
    IF OLD.router_id IS DISTINCT FROM NEW.router_id THEN
      before := before || jsonb_build_object('routerId', OLD.router_id);
      after := after || jsonb_build_object('routerId', NEW.router_id);
    END IF;
    IF OLD.binding IS DISTINCT FROM NEW.binding THEN
      before := before || jsonb_build_object('binding', OLD.binding);
      after := after || jsonb_build_object('binding', NEW.binding);
    END IF;
    IF OLD.address IS DISTINCT FROM NEW.address THEN
      before := before || jsonb_build_object('address', OLD.address);
      after := after || jsonb_build_object('address', NEW.address);
    END IF;
    IF OLD.instance_id IS DISTINCT FROM NEW.instance_id THEN
      before := before || jsonb_build_object('instanceId', OLD.instance_id);
      after := after || jsonb_build_object('instanceId', NEW.instance_id);
    END IF;
    IF OLD.host_id IS DISTINCT FROM NEW.host_id THEN
      before := before || jsonb_build_object('hostId', OLD.host_id);
      after := after || jsonb_build_object('hostId', NEW.host_id);
    END IF;
    IF OLD.cost IS DISTINCT FROM NEW.cost THEN
      before := before || jsonb_build_object('cost', OLD.cost);
      after := after || jsonb_build_object('cost', NEW.cost);
    END IF;
    IF OLD.precedence IS DISTINCT FROM NEW.precedence THEN
      before := before || jsonb_build_object('precedence', OLD.precedence);
      after := after || jsonb_build_object('precedence', NEW.precedence);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('fabricTerminator.updated', 'fabricTerminator', NEW.id, NULL, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('identity.created', 'identity', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'type', NEW.type_id, 'isAdmin', NEW.is_admin, 'isDefaultAdmin', NEW.is_default_admin, 'externalId', NEW.external_id, 'authPolicyId', NEW.auth_policy_id, 'roleAttributes', NEW.role_attributes, 'permissions', NEW.permissions, 'appData', NEW.app_data, 'defaultHostingCost', NEW.default_hosting_cost, 'defaultHostingPrecedence', NEW.default_hosting_precedence, 'disabledAt', NEW.disabled_at, 'disabledUntil', NEW.disabled_until, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('identity.deleted', 'identity', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'type', OLD.type_id, 'isAdmin', OLD.is_admin, 'isDefaultAdmin', OLD.is_default_admin, 'externalId', OLD.external_id, 'authPolicyId', OLD.auth_policy_id, 'roleAttributes', OLD.role_attributes, 'permissions', OLD.permissions, 'appData', OLD.app_data, 'defaultHostingCost', OLD.default_hosting_cost, 'defaultHostingPrecedence', OLD.default_hosting_precedence, 'disabledAt', OLD.disabled_at, 'disabledUntil', OLD.disabled_until, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.type_id IS DISTINCT FROM NEW.type_id THEN
      before := before || jsonb_build_object('type', OLD.type_id);
      after := after || jsonb_build_object('type', NEW.type_id);
    END IF;
    IF OLD.is_admin IS DISTINCT FROM NEW.is_admin THEN
      before := before || jsonb_build_object('isAdmin', OLD.is_admin);
      after := after || jsonb_build_object('isAdmin', NEW.is_admin);
    END IF;
    IF OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin THEN
      before := before || jsonb_build_object('isDefaultAdmin', OLD.is_default_admin);
      after := after || jsonb_build_object('isDefaultAdmin', NEW.is_default_admin);
    END IF;
    IF OLD.external_id IS DISTINCT FROM NEW.external_id THEN
      before := before || jsonb_build_object('externalId', OLD.external_id);
      after := after || jsonb_build_object('externalId', NEW.external_id);
    END IF;
    IF OLD.auth_policy_id IS DISTINCT FROM NEW.auth_policy_id THEN
      before := before || jsonb_build_object('authPolicyId', OLD.auth_policy_id);
      after := after || jsonb_build_object('authPolicyId', NEW.auth_policy_id);
    END IF;
    IF OLD.role_attributes IS DISTINCT FROM NEW.role_attributes THEN
      before := before || jsonb_build_object('roleAttributes', OLD.role_attributes);
      after := after || jsonb_build_object('roleAttributes', NEW.role_attributes);
    END IF;
    IF OLD.permissions IS DISTINCT FROM NEW.permissions THEN
      before := before || jsonb_build_object('permissions', OLD.permissions);
      after := after || jsonb_build_object('permissions', NEW.permissions);
    END IF;
    IF OLD.app_data IS DISTINCT FROM NEW.app_data THEN
      before := before || jsonb_build_object('appData', OLD.app_data);
      after := after || jsonb_build_object('appData', NEW.app_data);
    END IF;
    IF OLD.default_hosting_cost IS DISTINCT FROM NEW.default_hosting_cost THEN
      before := before || jsonb_build_object('defaultHostingCost', OLD.default_hosting_cost);
      after := after || jsonb_build_object('defaultHostingCost', NEW.default_hosting_cost);
    END IF;
    IF OLD.default_hosting_precedence IS DISTINCT FROM NEW.default_hosting_precedence THEN
      before := before || jsonb_build_object('defaultHostingPrecedence', OLD.default_hosting_precedence);
      after := after || jsonb_build_object('defaultHostingPrecedence', NEW.default_hosting_precedence);
    END IF;
    IF OLD.disabled_at IS DISTINCT FROM NEW.disabled_at THEN
      before := before || jsonb_build_object('disabledAt', OLD.disabled_at);
      after := after || jsonb_build_object('disabledAt', NEW.disabled_at);
    END IF;
    IF OLD.disabled_until IS DISTINCT FROM NEW.disabled_until THEN
      before := before || jsonb_build_object('disabledUntil', OLD.disabled_until);
      after := after || jsonb_build_object('disabledUntil', NEW.disabled_until);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('identity.updated', 'identity', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_identity_hostings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('serviceHostings', jsonb_build_array(jsonb_build_object('serviceId', OLD.service_id, 'cost', OLD.cost, 'precedence', OLD.precedence))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('serviceHostings', jsonb_build_array(jsonb_build_object('serviceId', NEW.service_id, 'cost', NEW.cost, 'precedence', NEW.precedence))) END
  FROM (SELECT o.id, o.name, 'identity' AS type FROM identities o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_identity_service_configs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('serviceConfigs', jsonb_build_array(jsonb_build_object('serviceId', OLD.service_id, 'configId', OLD.config_id))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('serviceConfigs', jsonb_build_array(jsonb_build_object('serviceId', NEW.service_id, 'configId', NEW.config_id))) END
  FROM (SELECT o.id, o.name, 'identity' AS type FROM identities o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_identity_traces()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('traces', jsonb_build_array(jsonb_build_object('traceId', OLD.trace_id, 'channels', OLD.channels, 'until', OLD.ends_at))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('traces', jsonb_build_array(jsonb_build_object('traceId', NEW.trace_id, 'channels', NEW.channels, 'until', NEW.ends_at))) END
  FROM (SELECT o.id, o.name, 'identity' AS type FROM identities o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_mfas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('mfa' || '.created', 'mfa', NEW.id, NULL, NULL,
      jsonb_build_object('identityId', NEW.identity_id, 'isVerified', NEW.is_verified));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('mfa' || '.deleted', 'mfa', OLD.id, NULL,
      jsonb_build_object('identityId', OLD.identity_id, 'isVerified', OLD.is_verified), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'mfa' || '.updated', 'mfa', NEW.id, NULL, c.before, c.after || CASE WHEN OLD.sealed_codes IS DISTINCT FROM NEW.sealed_codes AND OLD.sealed_secret = NEW.sealed_secret
        AND cardinality(NEW.sealed_codes) >= cardinality(OLD.sealed_codes) THEN '{"recoveryCodesChanged": true}'::jsonb ELSE '{}' END
    FROM audit_changes(
      jsonb_build_object('identityId', OLD.identity_id, 'isVerified', OLD.is_verified),
      jsonb_build_object('identityId', NEW.identity_id, 'isVerified', NEW.is_verified)) c;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_network()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.master_key_check <> NEW.master_key_check THEN
    INSERT INTO audited_changes VALUES ('masterKey.changed', 'network', NULL, NULL, NULL, NULL);
  END IF;
  IF OLD.trust_domain <> NEW.trust_domain OR OLD.advertise <> NEW.advertise THEN
    INSERT INTO audited_changes SELECT 'network.updated', 'network', NULL, NULL, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('trustDomain', OLD.trust_domain, 'advertise', OLD.advertise),
      jsonb_build_object('trustDomain', NEW.trust_domain, 'advertise', NEW.advertise)) c;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_pki_entities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('pki.deleted', 'pki', OLD.purpose || ':' || OLD.generation, OLD.purpose,
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after, 'retiredAt', OLD.retired_at), NULL);
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES (CASE NEW.generation WHEN 1 THEN 'pki.created' ELSE 'pki.renewed' END, 'pki',
      NEW.purpose || ':' || NEW.generation, NEW.purpose, NULL,
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after, 'retiredAt', NEW.retired_at));
  ELSE
    INSERT INTO audited_changes SELECT 'pki.updated', 'pki', NEW.purpose || ':' || NEW.generation, NEW.purpose, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after, 'retiredAt', OLD.retired_at),
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after, 'retiredAt', NEW.retired_at)) c;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_posture_checks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('postureCheck.created', 'postureCheck', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'typeId', NEW.type_id, 'roleAttributes', NEW.role_attributes, 'criteria', NEW.criteria, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('postureCheck.deleted', 'postureCheck', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'typeId', OLD.type_id, 'roleAttributes', OLD.role_attributes, 'criteria', OLD.criteria, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.type_id IS DISTINCT FROM NEW.type_id THEN
      before := before || jsonb_build_object('typeId', OLD.type_id);
      after := after || jsonb_build_object('typeId', NEW.type_id);
    END IF;
    IF OLD.role_attributes IS DISTINCT FROM NEW.role_attributes THEN
      before := before || jsonb_build_object('roleAttributes', OLD.role_attributes);
      after := after || jsonb_build_object('roleAttributes', NEW.role_attributes);
    END IF;
    IF OLD.criteria IS DISTINCT FROM NEW.criteria THEN
      before := before || jsonb_build_object('criteria', OLD.criteria);
      after := after || jsonb_build_object('criteria', NEW.criteria);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('postureCheck.updated', 'postureCheck', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_quiesced_routers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  of_id CONSTANT text := CASE TG_OP WHEN 'DELETE' THEN OLD.router_id ELSE NEW.router_id END;
  of_type CONSTANT text := (SELECT CASE WHEN is_edge THEN 'edgeRouter' ELSE 'router' END FROM routers WHERE id = of_id);
  of_name CONSTANT text := (SELECT name FROM routers WHERE id = of_id);
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES (of_type || '.dequiesced', of_type, of_id, of_name,
      jsonb_build_object('routerId', OLD.router_id), NULL);
  ELSE
    INSERT INTO audited_changes VALUES (of_type || '.quiesced', of_type, of_id, of_name, NULL,
      jsonb_build_object('routerId', NEW.router_id));
  END IF;
  PERFORM pg_notify('edge', 'router ' || of_id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_revocations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('revocation' || '.created', 'revocation', NEW.id, NULL, NULL,
      jsonb_build_object('type', NEW.type, 'issuedBefore', NEW.issued_before, 'expiresAt', NEW.expires_at, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('revocation' || '.deleted', 'revocation', OLD.id, NULL,
      jsonb_build_object('type', OLD.type, 'issuedBefore', OLD.issued_before, 'expiresAt', OLD.expires_at, 'tags', OLD.tags), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'revocation' || '.updated', 'revocation', NEW.id, NULL, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('type', OLD.type, 'issuedBefore', OLD.issued_before, 'expiresAt', OLD.expires_at, 'tags', OLD.tags),
      jsonb_build_object('type', NEW.type, 'issuedBefore', NEW.issued_before, 'expiresAt', NEW.expires_at, 'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_router_configs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('configs', jsonb_build_array(jsonb_build_object('configId', OLD.config_id))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('configs', jsonb_build_array(jsonb_build_object('configId', NEW.config_id))) END
  FROM (SELECT o.id, o.name, CASE WHEN o.is_edge THEN 'edgeRouter' ELSE 'router' END AS type FROM routers o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.router_id ELSE NEW.router_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_router_link_settings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('link.updated', 'link', NEW.id, NULL, NULL,
      jsonb_build_object('staticCost', NEW.static_cost, 'down', NEW.is_down));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('link.updated', 'link', OLD.id, NULL,
      jsonb_build_object('staticCost', OLD.static_cost, 'down', OLD.is_down), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'link.updated', 'link', NEW.id, NULL, c.before, c.after
    FROM audit_changes(
      jsonb_build_object('staticCost', OLD.static_cost, 'down', OLD.is_down),
      jsonb_build_object('staticCost', NEW.static_cost, 'down', NEW.is_down)) c;
  END IF;
  PERFORM pg_notify('edge', 'links');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_routers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES (CASE WHEN NEW.is_edge THEN 'edgeRouter' ELSE 'router' END || '.created', CASE WHEN NEW.is_edge THEN 'edgeRouter' ELSE 'router' END, NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'cost', NEW.cost, 'noTraversal', NEW.no_traversal, 'disabled', NEW.disabled, 'isTunnelerEnabled', NEW.is_tunneler_enabled, 'roleAttributes', NEW.role_attributes, 'appData', NEW.app_data, 'ctrlChanListeners', NEW.ctrl_chan_listeners, 'fingerprint', NEW.fingerprint, 'unverifiedFingerprint', NEW.unverified_fingerprint, 'serverNames', NEW.server_names, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES (CASE WHEN OLD.is_edge THEN 'edgeRouter' ELSE 'router' END || '.deleted', CASE WHEN OLD.is_edge THEN 'edgeRouter' ELSE 'router' END, OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'cost', OLD.cost, 'noTraversal', OLD.no_traversal, 'disabled', OLD.disabled, 'isTunnelerEnabled', OLD.is_tunneler_enabled, 'roleAttributes', OLD.role_attributes, 'appData', OLD.app_data, 'ctrlChanListeners', OLD.ctrl_chan_listeners, 'fingerprint', OLD.fingerprint, 'unverifiedFingerprint', OLD.unverified_fingerprint, 'serverNames', OLD.server_names, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.cost IS DISTINCT FROM NEW.cost THEN
      before := before || jsonb_build_object('cost', OLD.cost);
      after := after || jsonb_build_object('cost', NEW.cost);
    END IF;
    IF OLD.no_traversal IS DISTINCT FROM NEW.no_traversal THEN
      before := before || jsonb_build_object('noTraversal', OLD.no_traversal);
      after := after || jsonb_build_object('noTraversal', NEW.no_traversal);
    END IF;
    IF OLD.disabled IS DISTINCT FROM NEW.disabled THEN
      before := before || jsonb_build_object('disabled', OLD.disabled);
      after := after || jsonb_build_object('disabled', NEW.disabled);
    END IF;
    IF OLD.is_tunneler_enabled IS DISTINCT FROM NEW.is_tunneler_enabled THEN
      before := before || jsonb_build_object('isTunnelerEnabled', OLD.is_tunneler_enabled);
      after := after || jsonb_build_object('isTunnelerEnabled', NEW.is_tunneler_enabled);
    END IF;
    IF OLD.role_attributes IS DISTINCT FROM NEW.role_attributes THEN
      before := before || jsonb_build_object('roleAttributes', OLD.role_attributes);
      after := after || jsonb_build_object('roleAttributes', NEW.role_attributes);
    END IF;
    IF OLD.app_data IS DISTINCT FROM NEW.app_data THEN
      before := before || jsonb_build_object('appData', OLD.app_data);
      after := after || jsonb_build_object('appData', NEW.app_data);
    END IF;
    IF OLD.ctrl_chan_listeners IS DISTINCT FROM NEW.ctrl_chan_listeners THEN
      before := before || jsonb_build_object('ctrlChanListeners', OLD.ctrl_chan_listeners);
      after := after || jsonb_build_object('ctrlChanListeners', NEW.ctrl_chan_listeners);
    END IF;
    IF OLD.fingerprint IS DISTINCT FROM NEW.fingerprint THEN
      before := before || jsonb_build_object('fingerprint', OLD.fingerprint);
      after := after || jsonb_build_object('fingerprint', NEW.fingerprint);
    END IF;
    IF OLD.unverified_fingerprint IS DISTINCT FROM NEW.unverified_fingerprint THEN
      before := before || jsonb_build_object('unverifiedFingerprint', OLD.unverified_fingerprint);
      after := after || jsonb_build_object('unverifiedFingerprint', NEW.unverified_fingerprint);
    END IF;
    IF OLD.server_names IS DISTINCT FROM NEW.server_names THEN
      before := before || jsonb_build_object('serverNames', OLD.server_names);
      after := after || jsonb_build_object('serverNames', NEW.server_names);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES (CASE WHEN NEW.is_edge THEN 'edgeRouter' ELSE 'router' END || '.updated', CASE WHEN NEW.is_edge THEN 'edgeRouter' ELSE 'router' END, NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_second_factors()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO audited_changes SELECT 'login.completed', 'identity', i.id, i.name, NULL, '{"method": "totp"}'
  FROM identities i WHERE i.id = NEW.identity_id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_service_configs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$BEGIN
  INSERT INTO audited_changes SELECT o.type || '.updated', o.type, o.id, o.name,
    CASE WHEN TG_OP <> 'INSERT' THEN jsonb_build_object('configs', jsonb_build_array(jsonb_build_object('configId', OLD.config_id))) END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('configs', jsonb_build_array(jsonb_build_object('configId', NEW.config_id))) END
  FROM (SELECT o.id, o.name, 'service' AS type FROM services o
    WHERE o.id = CASE TG_OP WHEN 'DELETE' THEN OLD.service_id ELSE NEW.service_id END) o;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_service_edge_router_policies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('serviceEdgeRouterPolicy.created', 'serviceEdgeRouterPolicy', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'semantic', NEW.semantic, 'serviceRoles', NEW.service_roles, 'edgeRouterRoles', NEW.edge_router_roles, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('serviceEdgeRouterPolicy.deleted', 'serviceEdgeRouterPolicy', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'semantic', OLD.semantic, 'serviceRoles', OLD.service_roles, 'edgeRouterRoles', OLD.edge_router_roles, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.semantic IS DISTINCT FROM NEW.semantic THEN
      before := before || jsonb_build_object('semantic', OLD.semantic);
      after := after || jsonb_build_object('semantic', NEW.semantic);
    END IF;
    IF OLD.service_roles IS DISTINCT FROM NEW.service_roles THEN
      before := before || jsonb_build_object('serviceRoles', OLD.service_roles);
      after := after || jsonb_build_object('serviceRoles', NEW.service_roles);
    END IF;
    IF OLD.edge_router_roles IS DISTINCT FROM NEW.edge_router_roles THEN
      before := before || jsonb_build_object('edgeRouterRoles', OLD.edge_router_roles);
      after := after || jsonb_build_object('edgeRouterRoles', NEW.edge_router_roles);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('serviceEdgeRouterPolicy.updated', 'serviceEdgeRouterPolicy', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_service_policies()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('servicePolicy.created', 'servicePolicy', NEW.id, NEW.name, NULL,
      jsonb_build_object('name', NEW.name, 'type', NEW.type, 'semantic', NEW.semantic, 'identityRoles', NEW.identity_roles, 'serviceRoles', NEW.service_roles, 'postureCheckRoles', NEW.posture_check_roles, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('servicePolicy.deleted', 'servicePolicy', OLD.id, OLD.name,
      jsonb_build_object('name', OLD.name, 'type', OLD.type, 'semantic', OLD.semantic, 'identityRoles', OLD.identity_roles, 'serviceRoles', OLD.service_roles, 'postureCheckRoles', OLD.posture_check_roles, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.type IS DISTINCT FROM NEW.type THEN
      before := before || jsonb_build_object('type', OLD.type);
      after := after || jsonb_build_object('type', NEW.type);
    END IF;
    IF OLD.semantic IS DISTINCT FROM NEW.semantic THEN
      before := before || jsonb_build_object('semantic', OLD.semantic);
      after := after || jsonb_build_object('semantic', NEW.semantic);
    END IF;
    IF OLD.identity_roles IS DISTINCT FROM NEW.identity_roles THEN
      before := before || jsonb_build_object('identityRoles', OLD.identity_roles);
      after := after || jsonb_build_object('identityRoles', NEW.identity_roles);
    END IF;
    IF OLD.service_roles IS DISTINCT FROM NEW.service_roles THEN
      before := before || jsonb_build_object('serviceRoles', OLD.service_roles);
      after := after || jsonb_build_object('serviceRoles', NEW.service_roles);
    END IF;
    IF OLD.posture_check_roles IS DISTINCT FROM NEW.posture_check_roles THEN
      before := before || jsonb_build_object('postureCheckRoles', OLD.posture_check_roles);
      after := after || jsonb_build_object('postureCheckRoles', NEW.posture_check_roles);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('servicePolicy.updated', 'servicePolicy', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_services()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('service.created', 'service', NEW.id, NEW.name, NULL,
      jsonb_build_object('tags', NEW.tags, 'name', NEW.name, 'encryptionRequired', NEW.encryption_required, 'terminatorStrategy', NEW.terminator_strategy, 'maxIdleTimeMillis', NEW.max_idle_time_millis, 'roleAttributes', NEW.role_attributes));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('service.deleted', 'service', OLD.id, OLD.name,
      jsonb_build_object('tags', OLD.tags, 'name', OLD.name, 'encryptionRequired', OLD.encryption_required, 'terminatorStrategy', OLD.terminator_strategy, 'maxIdleTimeMillis', OLD.max_idle_time_millis, 'roleAttributes', OLD.role_attributes), NULL);
  ELSE
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF OLD.name IS DISTINCT FROM NEW.name THEN
      before := before || jsonb_build_object('name', OLD.name);
      after := after || jsonb_build_object('name', NEW.name);
    END IF;
    IF OLD.encryption_required IS DISTINCT FROM NEW.encryption_required THEN
      before := before || jsonb_build_object('encryptionRequired', OLD.encryption_required);
      after := after || jsonb_build_object('encryptionRequired', NEW.encryption_required);
    END IF;
    IF OLD.terminator_strategy IS DISTINCT FROM NEW.terminator_strategy THEN
      before := before || jsonb_build_object('terminatorStrategy', OLD.terminator_strategy);
      after := after || jsonb_build_object('terminatorStrategy', NEW.terminator_strategy);
    END IF;
    IF OLD.max_idle_time_millis IS DISTINCT FROM NEW.max_idle_time_millis THEN
      before := before || jsonb_build_object('maxIdleTimeMillis', OLD.max_idle_time_millis);
      after := after || jsonb_build_object('maxIdleTimeMillis', NEW.max_idle_time_millis);
    END IF;
    IF OLD.role_attributes IS DISTINCT FROM NEW.role_attributes THEN
      before := before || jsonb_build_object('roleAttributes', OLD.role_attributes);
      after := after || jsonb_build_object('roleAttributes', NEW.role_attributes);
    END IF;
    IF before <> '{}' THEN
      INSERT INTO audited_changes VALUES ('service.updated', 'service', NEW.id, NEW.name, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE actor CONSTANT text[] := string_to_array(current_setting('edge.actor', true), '|');
BEGIN
  IF actor[1] = 'identity' AND actor[2] <> OLD.identity_id
    AND OLD.id <> ALL (string_to_array(coalesce(current_setting('edge.ended', true), ''), ' ')) THEN
    INSERT INTO audited_changes VALUES ('session.deleted', 'session', OLD.id, NULL, jsonb_build_object('identityId', OLD.identity_id,
      'apiSessionId', OLD.api_session_id, 'serviceId', OLD.service_id, 'type', OLD.type), NULL);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.audit_terminators()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before jsonb := '{}';
  after jsonb := '{}';
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('terminator' || '.created', 'terminator', NEW.id, NULL, NULL,
      jsonb_build_object('serviceId', NEW.service_id, 'routerId', NEW.router_id, 'binding', NEW.binding, 'address', NEW.address, 'identity', NEW.instance_id, 'cost', NEW.cost, 'precedence', NEW.precedence, 'tags', NEW.tags));
  ELSIF OLD.is_system AND NOT acts_for_another(OLD.host_id) THEN
    RETURN NULL;
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('terminator' || '.deleted', 'terminator', OLD.id, NULL,
      jsonb_build_object('serviceId', OLD.service_id, 'routerId', OLD.router_id, 'binding', OLD.binding, 'address', OLD.address, 'identity', OLD.instance_id, 'cost', OLD.cost, 'precedence', OLD.precedence, 'tags', OLD.tags), NULL);
  ELSE
    IF OLD.service_id IS DISTINCT FROM NEW.service_id THEN
      before := before || jsonb_build_object('serviceId', OLD.service_id);
      after := after || jsonb_build_object('serviceId', NEW.service_id);
    END IF;
    IF OLD.router_id IS DISTINCT FROM NEW.router_id THEN
      before := before || jsonb_build_object('routerId', OLD.router_id);
      after := after || jsonb_build_object('routerId', NEW.router_id);
    END IF;
    IF OLD.binding IS DISTINCT FROM NEW.binding THEN
      before := before || jsonb_build_object('binding', OLD.binding);
      after := after || jsonb_build_object('binding', NEW.binding);
    END IF;
    IF OLD.address IS DISTINCT FROM NEW.address THEN
      before := before || jsonb_build_object('address', OLD.address);
      after := after || jsonb_build_object('address', NEW.address);
    END IF;
    IF OLD.instance_id IS DISTINCT FROM NEW.instance_id THEN
      before := before || jsonb_build_object('identity', OLD.instance_id);
      after := after || jsonb_build_object('identity', NEW.instance_id);
    END IF;
    IF OLD.cost IS DISTINCT FROM NEW.cost THEN
      before := before || jsonb_build_object('cost', OLD.cost);
      after := after || jsonb_build_object('cost', NEW.cost);
    END IF;
    IF OLD.precedence IS DISTINCT FROM NEW.precedence THEN
      before := before || jsonb_build_object('precedence', OLD.precedence);
      after := after || jsonb_build_object('precedence', NEW.precedence);
    END IF;
    IF OLD.tags IS DISTINCT FROM NEW.tags THEN
      before := before || jsonb_build_object('tags', OLD.tags);
      after := after || jsonb_build_object('tags', NEW.tags);
    END IF;
    IF after <> '{}' THEN
      INSERT INTO audited_changes VALUES ('terminator' || '.updated', 'terminator', NEW.id, NULL, before, after);
    END IF;
  END IF;
  RETURN NULL;
END$function$;

CREATE OR REPLACE FUNCTION public.audit_webhooks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO audited_changes VALUES ('webhook.created', 'webhook', NEW.id, NEW.name, NULL, jsonb_build_object('name', NEW.name,
      'url', NEW.url, 'kinds', NEW.kinds, 'enabled', NEW.is_enabled, 'tags', NEW.tags));
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO audited_changes VALUES ('webhook.deleted', 'webhook', OLD.id, OLD.name, jsonb_build_object('name', OLD.name,
      'url', OLD.url, 'kinds', OLD.kinds, 'enabled', OLD.is_enabled, 'tags', OLD.tags), NULL);
  ELSE
    INSERT INTO audited_changes SELECT 'webhook.updated', 'webhook', NEW.id, NEW.name, c.before,
      c.after || CASE WHEN OLD.secret_set_at <> NEW.secret_set_at THEN '{"secretChanged": true}'::jsonb ELSE '{}' END
    FROM audit_changes(
      jsonb_build_object('name', OLD.name, 'url', OLD.url, 'kinds', OLD.kinds, 'enabled', OLD.is_enabled,
        'tags', OLD.tags),
      jsonb_build_object('name', NEW.name, 'url', NEW.url, 'kinds', NEW.kinds, 'enabled', NEW.is_enabled,
        'tags', NEW.tags)) c;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.begin_webhook_progress()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO webhook_progress (webhook_id, batch, seq)
  SELECT NEW.id, coalesce(max(n), 0) + 1, 0 FROM event_batches;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.claim_username()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM identities WHERE id = NEW.identity_id FOR KEY SHARE;
  INSERT INTO usernames (username, identity_id) VALUES (NEW.username, NEW.identity_id) ON CONFLICT DO NOTHING;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.clear_identity_hostings(of_id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM identity_hostings WHERE identity_id = of_id;
END$function$;

CREATE OR REPLACE FUNCTION public.clear_router_configs(of_id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM router_configs WHERE router_id = of_id;
END$function$;

CREATE OR REPLACE FUNCTION public.clear_router_enrollments(of_id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM enrollments WHERE edge_router_id = of_id;
END $function$;

CREATE OR REPLACE FUNCTION public.clear_service_configs(of_id text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM service_configs WHERE service_id = of_id;
END$function$;

CREATE OR REPLACE FUNCTION public.close_event_batch(lock_number bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.count_entities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE entity_counts
  SET total = total + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * (SELECT count(*) FROM changed)
  WHERE kind = TG_TABLE_NAME AND slot = (SELECT slot FROM entity_counts
    WHERE kind = TG_TABLE_NAME AND EXISTS (SELECT FROM changed) LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO entity_counts (kind, total)
    SELECT TG_TABLE_NAME, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END * count(*) FROM changed HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_new_attributes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  noted text := current_setting('edge.moves', true);
  owed text;
  item text;
  counted integer;
  has_moved boolean := false;
BEGIN
  IF strpos(noted, 'attributes') > 0 THEN
    noted := set_config('edge.moves', replace(noted, ' attributes', ''), true);
    counted := count_noted_attributes();
  END IF;
  owed := current_setting('edge.owed', true);
  FOREACH item IN ARRAY NEW.role_attributes LOOP
    IF owed <> '' AND strpos(owed, md5(TG_TABLE_NAME || ' ' || item)) > 0 THEN
      owed := set_config('edge.owed',
        overlay(owed PLACING '' FROM strpos(owed, md5(TG_TABLE_NAME || ' ' || item)) - 1 FOR 33), true);
    ELSE
      has_moved := add_role_attribute(TG_TABLE_NAME, item, 1) OR has_moved;
    END IF;
  END LOOP;
  IF has_moved THEN PERFORM move_role_attribute_epoch(TG_TABLE_NAME); END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.count_noted_attributes()
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  tables integer := 0;
  of_kind text;
  taken text;
  added text;
  item text;
  uses bigint;
  has_moved boolean;
BEGIN
  FOREACH of_kind IN ARRAY '{identities,posture_checks,routers,services}'::text[] LOOP
    taken := current_setting('edge.taken_' || of_kind, true);
    added := current_setting('edge.added_' || of_kind, true);
    CONTINUE WHEN concat(taken, added) = '';
    has_moved := false;
    FOR item, uses IN
      SELECT a COLLATE "C", sum(n)::bigint FROM (
        SELECT unnest(take_noted('edge.taken_' || of_kind, taken)), -1 WHERE taken <> ''
        UNION ALL SELECT unnest(take_noted('edge.added_' || of_kind, added)), 1 WHERE added <> '') noted (a, n)
      GROUP BY 1 HAVING sum(n) <> 0 ORDER BY sum(n) > 0, 1
    LOOP
      has_moved := CASE WHEN uses > 0 THEN add_role_attribute(of_kind, item, uses)
        ELSE take_role_attribute(of_kind, item, -uses) END OR has_moved;
    END LOOP;
    IF has_moved THEN PERFORM move_role_attribute_epoch(of_kind); END IF;
    tables := tables + 1;
  END LOOP;
  RETURN tables;
END $function$;

CREATE OR REPLACE FUNCTION public.default_config_target()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  NEW.target := 'service';
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.delete_dependents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_TABLE_NAME = 'sessions' THEN
    IF EXISTS (SELECT FROM terminators WHERE session_id = OLD.id) THEN
      DELETE FROM terminators WHERE session_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
  ELSIF TG_TABLE_NAME = 'api_sessions' THEN
    IF EXISTS (SELECT FROM sessions WHERE api_session_id = OLD.id) THEN
      DELETE FROM sessions WHERE api_session_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM api_session_certificates WHERE api_session_id = OLD.id) THEN
      DELETE FROM api_session_certificates WHERE api_session_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
  ELSIF TG_TABLE_NAME = 'identities' THEN
    IF EXISTS (SELECT FROM api_sessions WHERE identity_id = OLD.id) THEN
      DELETE FROM api_sessions WHERE identity_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM sessions WHERE identity_id = OLD.id) THEN
      DELETE FROM sessions WHERE identity_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM authenticators WHERE identity_id = OLD.id) THEN
      DELETE FROM authenticators WHERE identity_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM enrollments WHERE identity_id = OLD.id) THEN
      DELETE FROM enrollments WHERE identity_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM mfas WHERE identity_id = OLD.id) THEN
      DELETE FROM mfas WHERE identity_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    DELETE FROM last_uses WHERE kind = 'identity' AND entity_id = OLD.id;
  ELSIF TG_TABLE_NAME = 'services' THEN
    IF EXISTS (SELECT FROM sessions WHERE service_id = OLD.id) THEN
      DELETE FROM sessions WHERE service_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM terminators WHERE service_id = OLD.id) THEN
      DELETE FROM terminators WHERE service_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    DELETE FROM last_uses WHERE kind = 'service' AND entity_id = OLD.id;
  ELSIF TG_TABLE_NAME = 'routers' THEN
    IF EXISTS (SELECT FROM enrollments WHERE edge_router_id = OLD.id) THEN
      DELETE FROM enrollments WHERE edge_router_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM enrollments WHERE transit_router_id = OLD.id) THEN
      DELETE FROM enrollments WHERE transit_router_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM terminators WHERE router_id = OLD.id) THEN
      DELETE FROM terminators WHERE router_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM fabric_terminators WHERE router_id = OLD.id) THEN
      DELETE FROM fabric_terminators WHERE router_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
  ELSIF TG_TABLE_NAME = 'cas' THEN
    IF EXISTS (SELECT FROM api_sessions WHERE ca_id = OLD.id) THEN
      DELETE FROM api_sessions WHERE ca_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM authenticators WHERE ca_id = OLD.id) THEN
      DELETE FROM authenticators WHERE ca_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
    IF EXISTS (SELECT FROM enrollments WHERE ca_id = OLD.id) THEN
      DELETE FROM enrollments WHERE ca_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
  ELSE
    IF EXISTS (SELECT FROM api_sessions WHERE signer_id = OLD.id) THEN
      DELETE FROM api_sessions WHERE signer_id = ANY (ARRAY (SELECT id FROM gone));
    END IF;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.doubt_sessions_of(wanted text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM sessions WHERE identity_id = wanted ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE identity_id = wanted;
  PERFORM pg_notify('edge', 'grants');
END $function$;

CREATE OR REPLACE FUNCTION public.doubt_sessions_of_enrolled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM identities WHERE id = NEW.identity_id FOR NO KEY UPDATE;
  PERFORM doubt_sessions_of(NEW.identity_id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.doubt_sessions_of_identity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT (NEW.role_attributes @> OLD.role_attributes) OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at
    OR OLD.disabled_until IS DISTINCT FROM NEW.disabled_until
  THEN
    PERFORM doubt_sessions_of(NEW.id);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.drop_audit_partitions(keep interval)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.end_api_sessions_of(identity text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE ids CONSTANT text[] := ARRAY (SELECT id FROM api_sessions WHERE identity_id = identity);
BEGIN
  IF ids <> '{}' THEN
    PERFORM hold_api_sessions(ids);
    DELETE FROM api_sessions WHERE id = ANY (ids);
  END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.end_client_of_token()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM end_clients('JTI', ARRAY[NEW.id]);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.end_clients(of_type text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  -- In one order, so that two transactions never wait for each other.
  INSERT INTO client_ends AS c (type, id) SELECT of_type, i FROM unnest(ids) i ORDER BY i
  ON CONFLICT (type, id) DO UPDATE SET ended_at = excluded.ended_at;
  PERFORM pg_notify('edge', 'clients');
END $function$;

CREATE OR REPLACE FUNCTION public.end_clients_of_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE ids text[];
BEGIN
  SELECT array_agg(id) INTO ids FROM gone WHERE expires_at > now();
  IF ids IS NOT NULL THEN PERFORM end_clients('API_SESSION', ids); END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.end_sessions_of_authenticators()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE ids CONSTANT text[] := ARRAY (SELECT s.id FROM api_sessions s JOIN gone ON gone.id = s.authenticator_id);
BEGIN
  IF ids <> '{}' THEN
    PERFORM hold_api_sessions(ids);
    DELETE FROM api_sessions WHERE id = ANY (ids);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.end_sessions_of_moved_identity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF EXISTS (SELECT FROM auth_policies p JOIN auth_policies q ON q.id = OLD.auth_policy_id
      WHERE p.id = NEW.auth_policy_id AND p.require_ext_jwt_signer_id IS NOT NULL
        AND p.require_ext_jwt_signer_id IS DISTINCT FROM q.require_ext_jwt_signer_id) THEN
    PERFORM FROM sessions WHERE identity_id = NEW.id ORDER BY id FOR UPDATE;
    DELETE FROM sessions WHERE identity_id = NEW.id;
  ELSE
    PERFORM doubt_sessions_of(NEW.id);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.end_sessions_of_policy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM sessions s JOIN identities i ON i.id = s.identity_id WHERE i.auth_policy_id = NEW.id
  ORDER BY s.id FOR UPDATE OF s;
  DELETE FROM sessions s USING identities i WHERE i.id = s.identity_id AND i.auth_policy_id = NEW.id;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.end_surplus_api_sessions(owner text, kept text, most bigint)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE
  actor CONSTANT text := coalesce(current_setting('edge.actor', true), '');
  surplus CONSTANT text[] := ARRAY (
    SELECT id FROM api_sessions WHERE id IN (
      SELECT id FROM api_sessions WHERE identity_id = owner AND id <> kept
      ORDER BY last_activity_at DESC, id DESC OFFSET most - 1)
    FOR UPDATE SKIP LOCKED);
  ended bigint;
BEGIN
  IF surplus = '{}' THEN RETURN 0; END IF;
  PERFORM hold_api_sessions(surplus);
  PERFORM set_config('edge.actor', 'controller||||||' || split_part(actor, '|', 7), true);
  DELETE FROM api_sessions WHERE id = ANY (surplus);
  GET DIAGNOSTICS ended = ROW_COUNT;
  PERFORM set_config('edge.actor', actor, true);
  RETURN ended;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_mfa_of_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM identities WHERE id = OLD.identity_id FOR NO KEY UPDATE;
  PERFORM FROM api_sessions WHERE identity_id = OLD.identity_id ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM sessions WHERE identity_id = OLD.identity_id ORDER BY id FOR NO KEY UPDATE;
  UPDATE api_sessions
  SET is_mfa_complete = false, mfa_passed_at = NULL, posture_revision = posture_revision + 1
  WHERE identity_id = OLD.identity_id AND (is_mfa_complete OR mfa_passed_at IS NOT NULL);
  PERFORM pg_notify('edge', 'identity ' || OLD.identity_id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_selectors_of_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE selector CONSTANT text := '@' || OLD.id;
BEGIN
  PERFORM FROM service_policies WHERE identity_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE service_policies SET identity_roles = array_remove(identity_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE identity_roles @> ARRAY[selector];
  END IF;
  PERFORM FROM edge_router_policies WHERE identity_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE edge_router_policies SET identity_roles = array_remove(identity_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE identity_roles @> ARRAY[selector];
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_selectors_of_posture_checks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE selector CONSTANT text := '@' || OLD.id;
BEGIN
  PERFORM FROM service_policies WHERE posture_check_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE service_policies SET posture_check_roles = array_remove(posture_check_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE posture_check_roles @> ARRAY[selector];
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_selectors_of_routers()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE selector CONSTANT text := '@' || OLD.id;
BEGIN
  PERFORM FROM edge_router_policies WHERE edge_router_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE edge_router_policies SET edge_router_roles = array_remove(edge_router_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE edge_router_roles @> ARRAY[selector];
  END IF;
  PERFORM FROM service_edge_router_policies WHERE edge_router_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE service_edge_router_policies SET edge_router_roles = array_remove(edge_router_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE edge_router_roles @> ARRAY[selector];
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.forget_selectors_of_services()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE selector CONSTANT text := '@' || OLD.id;
BEGIN
  PERFORM FROM service_policies WHERE service_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE service_policies SET service_roles = array_remove(service_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE service_roles @> ARRAY[selector];
  END IF;
  PERFORM FROM service_edge_router_policies WHERE service_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  IF FOUND THEN
    UPDATE service_edge_router_policies SET service_roles = array_remove(service_roles, selector), updated_at = greatest(now(), updated_at + interval '1 ms')
    WHERE service_roles @> ARRAY[selector];
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.full_api_session(wanted text)
 RETURNS SETOF text
 LANGUAGE sql
 STABLE ROWS 1
AS $function$
  SELECT t.id FROM api_sessions t
  JOIN identities i ON i.id = t.identity_id
  JOIN auth_policies p ON p.id = i.auth_policy_id
  WHERE t.id = wanted
    AND (t.is_mfa_complete OR NOT (p.require_totp
      OR EXISTS (SELECT FROM mfas m WHERE m.identity_id = i.id AND m.is_verified)))
    AND CASE t.method WHEN 'password' THEN p.updb_allowed WHEN 'cert' THEN p.cert_allowed
      ELSE p.ext_jwt_allowed
        AND EXISTS (SELECT FROM external_jwt_signers e WHERE e.id = t.signer_id AND e.is_enabled)
        AND (NOT EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id)
          OR EXISTS (SELECT FROM auth_policy_signers s WHERE s.auth_policy_id = p.id AND s.signer_id = t.signer_id))
      END
$function$;

CREATE OR REPLACE FUNCTION public.hold_api_sessions(wanted text[])
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
DECLARE held bigint;
BEGIN
  PERFORM FROM api_sessions WHERE id = ANY (wanted) ORDER BY id FOR UPDATE;
  GET DIAGNOSTICS held = ROW_COUNT;
  PERFORM FROM sessions WHERE api_session_id = ANY (wanted) ORDER BY id FOR UPDATE;
  RETURN held;
END $function$;

CREATE OR REPLACE FUNCTION public.hold_auth_policy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.is_admin IS DISTINCT FROM NEW.is_admin OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin
    OR OLD.permissions IS DISTINCT FROM NEW.permissions
  THEN
    PERFORM FROM auth_policies WHERE id = NEW.auth_policy_id FOR KEY SHARE;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.hold_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE ids text[];
BEGIN
  IF TG_TABLE_NAME = 'api_sessions' THEN
    PERFORM FROM sessions WHERE api_session_id = OLD.id ORDER BY id FOR UPDATE;
  ELSIF TG_TABLE_NAME = 'services' THEN
    PERFORM FROM sessions WHERE service_id = OLD.id ORDER BY id FOR UPDATE;
  ELSE
    IF TG_TABLE_NAME = 'identities' THEN
      ids := ARRAY (SELECT id FROM api_sessions WHERE identity_id = OLD.id);
    ELSE
      ids := ARRAY (SELECT id FROM api_sessions WHERE signer_id = OLD.id);
    END IF;
    IF ids <> '{}' THEN PERFORM hold_api_sessions(ids); END IF;
  END IF;
  RETURN OLD;
END $function$;

CREATE OR REPLACE FUNCTION public.is_fully_authenticated(wanted text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  SELECT EXISTS (SELECT FROM full_api_session(wanted))
$function$;

CREATE OR REPLACE FUNCTION public.is_unused_ca(ca text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
BEGIN
  RETURN NOT EXISTS (SELECT FROM authenticators WHERE ca_id = ca)
    AND NOT EXISTS (SELECT FROM enrollments WHERE ca_id = ca)
    AND NOT EXISTS (SELECT FROM api_sessions WHERE ca_id = ca);
END $function$;

CREATE OR REPLACE FUNCTION public.keep_service_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    DELETE FROM service_names WHERE name = OLD.name;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO service_names VALUES (NEW.name);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_uses_of_identities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM gone) THEN RETURN NULL; END IF;
  INSERT INTO last_uses AS u (kind, entity_id, at)
  SELECT 'identity', g.identity_id, max(g.last_activity_at) FROM gone g
  WHERE EXISTS (SELECT FROM identities i WHERE i.id = g.identity_id)
    AND NOT EXISTS (SELECT FROM last_uses k WHERE k.kind = 'identity' AND k.entity_id = g.identity_id
      AND k.at > g.last_activity_at - interval '1 hour')
  GROUP BY g.identity_id ORDER BY g.identity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.keep_uses_of_services()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO last_uses AS u (kind, entity_id, at)
  SELECT 'service', a.entity_id, max(a.hour) FROM added a
  WHERE a.kind = 'service' AND EXISTS (SELECT FROM services s WHERE s.id = a.entity_id)
  GROUP BY a.entity_id ORDER BY a.entity_id
  ON CONFLICT ON CONSTRAINT last_uses_pkey DO UPDATE SET at = greatest(u.at, excluded.at);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.make_audit_partitions(months_ahead integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
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
END $function$;

CREATE OR REPLACE FUNCTION public.move_noted()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  noted text := current_setting('edge.moves', true);
  counted integer;
  grants bigint;
  is_narrowing boolean;
  is_for_all boolean;
  is_content boolean;
  is_access boolean;
  is_routing boolean;
  is_presence boolean;
BEGIN
  IF noted IS NULL OR noted = '' THEN RETURN NULL; END IF;
  IF concat(noted, set_config('edge.moves', '', true)) IN (' content', ' access') THEN
    UPDATE model_epochs SET epoch = epoch + 1, content = content + (noted = ' content')::integer,
      moved_at = clock_timestamp()
    WHERE name = 'access' RETURNING pg_notify('edge', 'access')::text INTO noted;
    RETURN NULL;
  END IF;
  IF strpos(noted, 'attributes') > 0 THEN counted := count_noted_attributes(); END IF;
  is_narrowing := strpos(noted, 'narrowing') > 0;
  is_for_all := strpos(noted, 'grants') > 0;
  IF is_narrowing OR is_for_all THEN
    UPDATE model_epochs SET epoch = epoch + 1, moved_at = clock_timestamp() WHERE name = 'grants'
      RETURNING epoch INTO grants;
    IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  END IF;
  is_content := strpos(noted, 'content') > 0;
  is_access := is_content OR is_narrowing OR strpos(noted, 'access') > 0;
  is_routing := strpos(noted, 'routing') > 0;
  is_presence := strpos(noted, 'presence') > 0;
  IF is_access OR is_routing OR is_presence THEN
    UPDATE model_epochs SET epoch = epoch + is_access::integer, content = content + is_content::integer,
      moved_at = CASE WHEN is_access THEN clock_timestamp() ELSE moved_at END,
      routing = routing + is_routing::integer, presence = presence + is_presence::integer
    WHERE name = 'access';
    IF FOUND THEN
      IF is_access THEN PERFORM pg_notify('edge', 'access'); END IF;
      IF is_routing THEN PERFORM pg_notify('edge', 'routing'); END IF;
      IF is_presence THEN PERFORM pg_notify('edge', 'presence'); END IF;
    END IF;
  END IF;
  IF is_narrowing AND grants IS NOT NULL THEN is_for_all := narrow_noted(grants) OR is_for_all; END IF;
  IF is_for_all THEN
    UPDATE model_epochs SET for_all = grants WHERE name = 'grants';
    DELETE FROM narrowed_services WHERE epoch <= grants;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.move_role_attribute_epoch(moved text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE role_attribute_epochs SET epoch = epoch + 1 WHERE kind = moved
    AND slot = (SELECT slot FROM role_attribute_epochs WHERE kind = moved LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN INSERT INTO role_attribute_epochs (kind, epoch) VALUES (moved, 1); END IF;
END $function$;

CREATE OR REPLACE FUNCTION public.narrow_noted(moved bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  most CONSTANT integer := 1000;
  noted_roles CONSTANT text := current_setting('edge.narrowed_roles', true);
  noted_checks CONSTANT text := current_setting('edge.narrowing_checks', true);
  roles text[] COLLATE "C" := '{}';
  checks text[] COLLATE "C" := '{}';
  concerned text[] COLLATE "C";
BEGIN
  IF noted_roles <> '' THEN roles := take_noted('edge.narrowed_roles', noted_roles); END IF;
  IF noted_checks <> '' THEN checks := take_noted('edge.narrowing_checks', noted_checks); END IF;
  roles := roles || ARRAY(SELECT unnest(p.service_roles) FROM posture_checks c
    JOIN service_policies p ON p.posture_check_roles && selectors_of(c.id, c.role_attributes)
    WHERE c.id = ANY (checks));
  IF '#all' = ANY (roles) THEN RETURN true; END IF;
  concerned := ARRAY(
    SELECT id FROM services WHERE id = ANY (ARRAY(SELECT substr(r, 2) FROM unnest(roles) r WHERE starts_with(r, '@')))
    UNION
    SELECT id FROM services
    WHERE role_attributes && ARRAY(SELECT substr(r, 2) FROM unnest(roles) r WHERE starts_with(r, '#'))
    LIMIT most + 1);
  IF cardinality(concerned) > most THEN RETURN true; END IF;
  INSERT INTO narrowed_services (service_id, epoch, moved_at)
  SELECT id, moved, clock_timestamp() FROM unnest(concerned) id
  ON CONFLICT (service_id) DO UPDATE SET epoch = excluded.epoch, moved_at = excluded.moved_at, is_swept = false;
  RETURN false;
END $function$;

CREATE OR REPLACE FUNCTION public.note_moves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE noted text;
BEGIN
  IF strpos(coalesce(current_setting('edge.moves', true), ''), TG_ARGV[0]) = 0 THEN
    noted := set_config('edge.moves', concat(current_setting('edge.moves', true), ' ', TG_ARGV[0]), true);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_moves_of_hosting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE noted text := coalesce(current_setting('edge.moves', true), '');
BEGIN
  IF strpos(noted, 'access') = 0 AND EXISTS (SELECT FROM identities
      WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END AND type_id = 'Router') THEN
    noted := set_config('edge.moves', noted || ' access', true);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_narrowing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  setting CONSTANT text := CASE TG_TABLE_NAME
    WHEN 'posture_checks' THEN 'edge.narrowing_checks' ELSE 'edge.narrowed_roles' END;
  items text[];
  noted text := coalesce(current_setting('edge.moves', true), '');
BEGIN
  IF strpos(noted, 'narrowing') = 0 THEN noted := set_config('edge.moves', noted || ' narrowing', true); END IF;
  IF TG_TABLE_NAME = 'service_policies' THEN items := OLD.service_roles;
  ELSIF TG_TABLE_NAME = 'services' THEN items := ARRAY['@' || NEW.id];
  ELSE items := ARRAY[NEW.id];
  END IF;
  IF items = '{}' THEN RETURN NULL; END IF;
  noted := set_config(setting, concat(current_setting(setting, true), ',', btrim(items::text, '{}')), true);
  IF length(noted) > 8000 THEN PERFORM put_noted_aside(setting, noted); END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.note_role_attributes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE noted text := set_config('edge.moves', replace(concat(current_setting('edge.moves', true), ' attributes'),
  ' attributes attributes', ' attributes'), true);
BEGIN
  IF OLD.role_attributes <> '{}' THEN
    noted := set_config('edge.taken_' || TG_TABLE_NAME,
      concat(current_setting('edge.taken_' || TG_TABLE_NAME, true), ',', btrim(OLD.role_attributes::text, '{}')), true);
    IF length(noted) > 8000 THEN PERFORM put_noted_aside('edge.taken_' || TG_TABLE_NAME, noted); END IF;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.role_attributes <> '{}' THEN
    noted := set_config('edge.added_' || TG_TABLE_NAME,
      concat(current_setting('edge.added_' || TG_TABLE_NAME, true), ',', btrim(NEW.role_attributes::text, '{}')), true);
    IF length(noted) > 8000 THEN PERFORM put_noted_aside('edge.added_' || TG_TABLE_NAME, noted); END IF;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.page_keys(query text, v text[])
 RETURNS TABLE(key text, total_count text)
 LANGUAGE plpgsql
 STABLE ROWS 10
AS $function$
BEGIN
  RETURN QUERY EXECUTE 'SELECT key::text, total_count::text FROM (' || query || ') found (key, total_count)'
    USING v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10],
      v[11], v[12], v[13], v[14], v[15], v[16], v[17], v[18], v[19], v[20];
END $function$;

CREATE OR REPLACE FUNCTION public.posture_of_session_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM sessions WHERE api_session_id = NEW.id ORDER BY id FOR NO KEY UPDATE;
  UPDATE sessions SET granted_epoch = 0 WHERE api_session_id = NEW.id;
  IF FOUND THEN PERFORM pg_notify('edge', 'grants'); END IF;
  PERFORM pg_notify('edge', 'posture ' || NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.put_noted_aside(setting text, noted text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE n CONSTANT integer := coalesce(substring(noted FROM '^#(\d+)'), '0')::integer + 1;
BEGIN
  PERFORM set_config(setting || '_' || n, substr(noted, strpos(noted, ',')), true);
  PERFORM set_config(setting, '#' || n, true);
END $function$;

CREATE OR REPLACE FUNCTION public.record_audit(kind text, entity_type text, entity_id text, entity_name text, before jsonb, after jsonb)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO audited_changes VALUES (kind, entity_type, entity_id, entity_name, before, after);
END $function$;

CREATE OR REPLACE FUNCTION public.refuse_sessions_of_partial_logins()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT is_fully_authenticated(NEW.api_session_id)
      AND EXISTS (SELECT FROM api_sessions WHERE id = NEW.api_session_id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $function$;

CREATE OR REPLACE FUNCTION public.release_username()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM FROM usernames WHERE username = OLD.username AND identity_id = OLD.identity_id FOR UPDATE;
  DELETE FROM usernames u WHERE u.username = OLD.username AND u.identity_id = OLD.identity_id
    AND NOT EXISTS (SELECT FROM authenticators WHERE username = u.username AND identity_id = u.identity_id)
    AND NOT EXISTS (SELECT FROM enrollments WHERE identity_id = u.identity_id AND username = u.username);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.role_selects(semantic text, roles text[], entity_id text, attributes text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT roles = ARRAY['#all']
    OR ('@' || entity_id) = ANY (roles)
    OR CASE semantic
         WHEN 'AnyOf' THEN EXISTS (SELECT FROM unnest(attributes) a WHERE ('#' || a) = ANY (roles))
         ELSE EXISTS (SELECT FROM unnest(roles) r WHERE r LIKE '#%')
          AND NOT EXISTS (SELECT FROM unnest(roles) r WHERE r LIKE '#%' AND substr(r, 2) <> ALL (attributes))
       END
$function$;

CREATE OR REPLACE FUNCTION public.selectors_of(entity_id text, attributes text[])
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT array_agg('#' || a COLLATE "C") || ARRAY['@' || entity_id, '#all'] FROM unnest(attributes) a
$function$;

CREATE OR REPLACE FUNCTION public.take_noted(setting text, noted text)
 RETURNS text[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  items text := substr(set_config(setting, '', true) || noted, 2);
  parts integer;
BEGIN
  IF starts_with(noted, '#') THEN
    parts := substring(noted FROM '^#(\d+)');
    items := (SELECT string_agg(current_setting(setting || '_' || n), '') FROM generate_series(1, parts) n);
    items := substr(items || substr(noted, strpos(noted || ',', ',')), 2);
    PERFORM set_config(setting || '_' || n, '', true) FROM generate_series(1, parts) n;
  END IF;
  RETURN concat('{', items, '}');
END $function$;

CREATE OR REPLACE FUNCTION public.take_role_attribute(of_kind text, item text, taken bigint)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  missing bigint := taken;
  held role_attribute_counts;
  part bigint;
  half bigint := 0;
  is_alone boolean := false;
  has_emptied boolean := false;
BEGIN
  -- A slot that was made since a statement began is seen by the next one, so this ends after a few rounds.
  FOR attempt IN 1 .. 50 LOOP
    UPDATE role_attribute_counts SET uses = uses - missing WHERE kind = of_kind AND attribute = item
      AND slot = (SELECT slot FROM role_attribute_counts
        WHERE kind = of_kind AND attribute = item AND uses >= missing
        ORDER BY uses DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING * INTO held;
    IF FOUND THEN
      DELETE FROM role_attribute_counts WHERE held.uses = 0
        AND kind = of_kind AND attribute = item AND slot = held.slot;
      RETURN has_emptied OR held.uses = 0;
    END IF;
    IF NOT is_alone THEN
      PERFORM pg_advisory_xact_lock(hashtextextended(of_kind || ' ' || item, 7210426));
      is_alone := true;
      CONTINUE;
    END IF;
    SELECT * INTO held FROM role_attribute_counts
      WHERE kind = of_kind AND attribute = item AND uses > 0 LIMIT 1 FOR UPDATE;
    CONTINUE WHEN NOT FOUND;
    part := least(held.uses, missing);
    half := (held.uses - part) / 2;
    IF part = held.uses THEN
      DELETE FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND slot = held.slot;
      has_emptied := true;
    ELSE
      UPDATE role_attribute_counts SET uses = uses - part - half
        WHERE kind = of_kind AND attribute = item AND slot = held.slot;
    END IF;
    IF half > 0 THEN INSERT INTO role_attribute_counts (kind, attribute, uses) VALUES (of_kind, item, half); END IF;
    missing := missing - part;
    IF missing = 0 THEN RETURN has_emptied; END IF;
  END LOOP;
  IF EXISTS (SELECT FROM role_attribute_counts WHERE kind = of_kind AND attribute = item AND uses > 0) THEN
    RAISE EXCEPTION 'no use of a role attribute could be taken' USING ERRCODE = 'serialization_failure';
  END IF;
  -- Of a row that this transaction made and then changed: what it had at first will not be added.
  PERFORM set_config('edge.owed',
    concat(current_setting('edge.owed', true), repeat(' ' || md5(of_kind || ' ' || item), missing::integer)), true);
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION public.take_tunneler(router text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE selector CONSTANT text := '@' || router;
BEGIN
  PERFORM FROM service_policies WHERE identity_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM edge_router_policies
  WHERE identity_roles @> ARRAY[selector] OR edge_router_roles @> ARRAY[selector] ORDER BY id FOR NO KEY UPDATE;
  DELETE FROM edge_router_policies WHERE id = router AND is_system;
  -- The holder of its channel removes what it hosts after the router was told, or it would host no more when the
  -- tunneler is switched on again at once.
  IF EXISTS (SELECT FROM terminators WHERE router_id = router AND binding = 'tunnel' AND is_system)
    AND NOT EXISTS (SELECT FROM router_channels WHERE router_id = router) THEN
    DELETE FROM terminators WHERE router_id = router AND binding = 'tunnel' AND is_system;
  END IF;
  DELETE FROM identities WHERE id = router;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_auth_policy_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'session *');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_cas_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'cas');
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_extension_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_identity_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.name IS DISTINCT FROM NEW.name OR OLD.is_admin IS DISTINCT FROM NEW.is_admin
    OR OLD.is_default_admin IS DISTINCT FROM NEW.is_default_admin OR OLD.external_id IS DISTINCT FROM NEW.external_id
    OR OLD.auth_policy_id IS DISTINCT FROM NEW.auth_policy_id OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at
    OR OLD.disabled_until IS DISTINCT FROM NEW.disabled_until
    OR OLD.role_attributes IS DISTINCT FROM NEW.role_attributes OR OLD.permissions IS DISTINCT FROM NEW.permissions
  THEN
    PERFORM pg_notify('edge', 'identity ' || NEW.id);
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_identity_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || OLD.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_identity_prints()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'prints ' || CASE TG_OP WHEN 'DELETE' THEN OLD.identity_id ELSE NEW.identity_id END);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_mfa_verified()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_router_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'router ' || OLD.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_session_mfa_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'session ' || NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_session_opened()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'opened ' || NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_session_prints()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'opened ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT DISTINCT api_session_id AS id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_sessions_ended()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE part text;
BEGIN
  FOR part IN
    SELECT string_agg(g.id, ' ') FROM (SELECT s.id, (row_number() OVER () - 1) / 300 AS part FROM gone s) g
    GROUP BY g.part
  LOOP
    PERFORM pg_notify('edge', 'ended ' || part);
  END LOOP;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_sessions_gone()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'session ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT id FROM gone LIMIT 200) g HAVING count(*) > 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_terminators_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'terminators ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT DISTINCT service_id AS id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_terminators_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'terminators ' || CASE WHEN count(*) < 200 THEN string_agg(id, ' ') ELSE '*' END)
  FROM (SELECT service_id AS id FROM former UNION SELECT service_id FROM changed LIMIT 200) c HAVING count(*) > 0;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_token_revoked()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'revoked ' || NEW.id);
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.tell_trace_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM pg_notify('edge', 'identity ' || coalesce(NEW.identity_id, OLD.identity_id));
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION public.touch_identity_of_hosting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE identities SET updated_at = greatest(now(), updated_at + interval '1 ms') WHERE id = OLD.identity_id;
  RETURN NULL;
END $function$;

CREATE TABLE api_session_certificates (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  api_session_id text COLLATE "C" NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  valid_from timestamp(3) with time zone NOT NULL,
  valid_to timestamp(3) with time zone NOT NULL,
  is_proof boolean NOT NULL DEFAULT false,
  CONSTRAINT api_session_certificates_pkey PRIMARY KEY (id),
  CONSTRAINT api_session_certificates_fingerprint_key UNIQUE (fingerprint)
);

CREATE TABLE api_session_postures (
  api_session_id text COLLATE "C" NOT NULL,
  reported jsonb NOT NULL,
  woken_at timestamp(3) with time zone,
  unlocked_at timestamp(3) with time zone,
  CONSTRAINT api_session_postures_pkey PRIMARY KEY (api_session_id)
);

CREATE TABLE api_session_views (
  api_session_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  posture_revision bigint NOT NULL,
  digest bytea NOT NULL,
  state bytea,
  changed_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT api_session_views_pkey PRIMARY KEY (api_session_id)
);

CREATE TABLE api_sessions (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  authenticator_id text COLLATE "C" NOT NULL,
  ca_id text COLLATE "C",
  token_hash bytea NOT NULL,
  ip_address text NOT NULL,
  config_types text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  is_mfa_complete boolean NOT NULL DEFAULT false,
  improper_client_cert_chain boolean NOT NULL DEFAULT false,
  last_activity_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  method text COLLATE "C" NOT NULL,
  signer_id text COLLATE "C",
  sdk_info jsonb NOT NULL DEFAULT '{}'::jsonb,
  mfa_passed_at timestamp(3) with time zone,
  posture_revision bigint NOT NULL DEFAULT 0,
  api text COLLATE "C" NOT NULL DEFAULT 'client'::text,
  is_shared_with_routers boolean NOT NULL DEFAULT true,
  certificate_hash bytea,
  last_request_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  wrong_codes timestamp(3) with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[],
  undoes_mfa text COLLATE "C",
  expires_at timestamp(3) with time zone,
  is_certificate_bound boolean NOT NULL DEFAULT false,
  CONSTRAINT api_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT api_sessions_token_key UNIQUE (token_hash),
  CONSTRAINT api_sessions_api CHECK (((api = 'client'::text) OR ((api = 'management'::text) AND (NOT is_shared_with_routers)))),
  CONSTRAINT api_sessions_method CHECK (((method = ANY (ARRAY['password'::text, 'cert'::text, 'ext-jwt'::text])) AND ((method = 'ext-jwt'::text) = (signer_id IS NOT NULL))))
) WITH (fillfactor=80);

CREATE TABLE audit_records (
  seq bigint NOT NULL DEFAULT nextval('audit_record_seq'::regclass),
  at timestamp(3) with time zone NOT NULL DEFAULT now(),
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

CREATE TABLE audit_sums (
  kind text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  authenticator_id text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  actor_kind text COLLATE "C" NOT NULL,
  backend integer NOT NULL DEFAULT pg_backend_pid(),
  since timestamp(3) with time zone NOT NULL DEFAULT now(),
  total bigint NOT NULL,
  CONSTRAINT audit_sums_pkey PRIMARY KEY (kind, identity_id, authenticator_id, method, actor_kind, backend)
) WITH (fillfactor=50);

CREATE TABLE auth_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  cert_allowed boolean NOT NULL,
  cert_allow_expired boolean NOT NULL,
  ext_jwt_allowed boolean NOT NULL,
  updb_allowed boolean NOT NULL,
  updb_min_password_length integer NOT NULL,
  updb_require_mixed_case boolean NOT NULL,
  updb_require_number_char boolean NOT NULL,
  updb_require_special_char boolean NOT NULL,
  updb_max_attempts integer NOT NULL,
  updb_lockout_minutes integer NOT NULL,
  require_totp boolean NOT NULL,
  require_ext_jwt_signer_id text COLLATE "C",
  CONSTRAINT auth_policies_pkey PRIMARY KEY (id),
  CONSTRAINT auth_policies_name_key UNIQUE (name)
);

CREATE TABLE auth_policy_signers (
  auth_policy_id text COLLATE "C" NOT NULL,
  signer_id text COLLATE "C" NOT NULL,
  CONSTRAINT auth_policy_signers_pkey PRIMARY KEY (auth_policy_id, signer_id)
);

CREATE TABLE auth_requests (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  network text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  redirect_uri text NOT NULL,
  state text,
  nonce text,
  scopes text[] COLLATE "C" NOT NULL,
  code_challenge text COLLATE "C" NOT NULL,
  config_types text[] COLLATE "C" NOT NULL,
  address text NOT NULL,
  api_session_id text COLLATE "C",
  is_second_token_shown boolean NOT NULL DEFAULT false,
  authenticated_at timestamp(3) with time zone,
  code_issued_at timestamp(3) with time zone,
  code_used_at timestamp(3) with time zone,
  CONSTRAINT auth_requests_pkey PRIMARY KEY (id)
);

CREATE TABLE authenticators (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  method text COLLATE "C" NOT NULL,
  username text COLLATE "C",
  password_hash text,
  failed_attempts integer NOT NULL DEFAULT 0,
  cert_pem text,
  fingerprint text COLLATE "C",
  public_key_print text COLLATE "C",
  ca_id text COLLATE "C",
  is_issued_by_network boolean NOT NULL DEFAULT false,
  last_auth_resolved_to_root boolean NOT NULL DEFAULT false,
  extend_requested_at timestamp(3) with time zone,
  is_key_roll_requested boolean NOT NULL DEFAULT false,
  last_extend_rolled_keys boolean NOT NULL DEFAULT false,
  unverified_cert_pem text,
  unverified_fingerprint text COLLATE "C",
  unverified_public_key_print text COLLATE "C",
  CONSTRAINT authenticators_pkey PRIMARY KEY (id),
  CONSTRAINT authenticators_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT authenticators_username_key UNIQUE (username),
  CONSTRAINT authenticators_method CHECK ((method = ANY (ARRAY['updb'::text, 'cert'::text]))),
  CONSTRAINT authenticators_shape CHECK (
CASE method
    WHEN 'updb'::text THEN ((username IS NOT NULL) AND (password_hash IS NOT NULL) AND (cert_pem IS NULL) AND (fingerprint IS NULL))
    ELSE ((username IS NULL) AND (password_hash IS NULL) AND (cert_pem IS NOT NULL) AND (fingerprint IS NOT NULL))
END)
);

CREATE TABLE cas (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  verification_token uuid NOT NULL,
  is_auth_enabled boolean NOT NULL,
  is_auto_ca_enrollment_enabled boolean NOT NULL,
  is_ott_ca_enrollment_enabled boolean NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  identity_name_format text NOT NULL,
  external_id_claim jsonb,
  CONSTRAINT cas_pkey PRIMARY KEY (id),
  CONSTRAINT cas_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT cas_name_key UNIQUE (name)
);

CREATE TABLE circuits (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  terminator_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C",
  router_ids text[] COLLATE "C" NOT NULL,
  link_ids text[] COLLATE "C" NOT NULL,
  cost bigint NOT NULL,
  details jsonb,
  CONSTRAINT circuits_pkey PRIMARY KEY (id)
) WITH (fillfactor=70);

CREATE TABLE client_ends (
  type text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  ended_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT client_ends_pkey PRIMARY KEY (type, id),
  CONSTRAINT client_ends_type CHECK ((type = ANY (ARRAY['JTI'::text, 'API_SESSION'::text])))
);

CREATE TABLE config_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  schema jsonb,
  target text COLLATE "C" NOT NULL DEFAULT 'service'::text,
  CONSTRAINT config_types_pkey PRIMARY KEY (id),
  CONSTRAINT config_types_name_key UNIQUE (name),
  CONSTRAINT config_types_target CHECK ((target = ANY (ARRAY['service'::text, 'router'::text, 'other'::text])))
);

CREATE TABLE configs (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  data jsonb NOT NULL,
  CONSTRAINT configs_pkey PRIMARY KEY (id),
  CONSTRAINT configs_name_key UNIQUE (name),
  CONSTRAINT configs_with_type_key UNIQUE (id, config_type_id)
);

CREATE TABLE connected_identities (
  host_id text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  is_connected boolean NOT NULL,
  lost_at timestamp(3) with time zone,
  CONSTRAINT connected_identities_pkey PRIMARY KEY (host_id, identity_id)
) WITH (fillfactor=70);

CREATE TABLE controller_addresses (
  address text NOT NULL,
  last_seen_at timestamp with time zone NOT NULL DEFAULT now(),
  every_ms integer NOT NULL DEFAULT 5000,
  CONSTRAINT controller_addresses_pkey PRIMARY KEY (address)
);

CREATE TABLE controller_list (
  is_only boolean NOT NULL DEFAULT true,
  index bigint NOT NULL DEFAULT 0,
  addresses text[] NOT NULL DEFAULT '{}'::text[],
  stand_ins text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT controller_list_pkey PRIMARY KEY (is_only),
  CONSTRAINT controller_list_is_only_check CHECK (is_only)
);

CREATE TABLE controller_settings (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  controller_id text COLLATE "C",
  redirect_uris text[] COLLATE "C",
  post_logout_uris text[] COLLATE "C",
  CONSTRAINT controller_settings_pkey PRIMARY KEY (id),
  CONSTRAINT controller_settings_of_one_or_all CHECK ((id = COALESCE(controller_id, 'global'::text)))
);

CREATE TABLE controllers (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  ctrl_address text COLLATE "C",
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  api_addresses jsonb NOT NULL,
  last_joined_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  last_seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT controllers_pkey PRIMARY KEY (id),
  CONSTRAINT controllers_name_key UNIQUE (name)
);

CREATE TABLE dial_minutes (
  minute timestamp(3) with time zone NOT NULL,
  dials bigint NOT NULL,
  failed_dials bigint NOT NULL,
  CONSTRAINT dial_minutes_pkey PRIMARY KEY (minute)
);

CREATE TABLE edge_router_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT edge_router_policies_name_key UNIQUE (name),
  CONSTRAINT edge_router_policies_semantic CHECK ((semantic = ANY (ARRAY['AllOf'::text, 'AnyOf'::text])))
);

CREATE TABLE enrollments (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  method text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C",
  edge_router_id text COLLATE "C",
  transit_router_id text COLLATE "C",
  ca_id text COLLATE "C",
  username text COLLATE "C",
  token uuid NOT NULL,
  jwt text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT enrollments_pkey PRIMARY KEY (id),
  CONSTRAINT enrollments_one_per_edge_router UNIQUE (edge_router_id),
  CONSTRAINT enrollments_one_per_method UNIQUE (identity_id, method),
  CONSTRAINT enrollments_one_per_transit_router UNIQUE (transit_router_id),
  CONSTRAINT enrollments_token_key UNIQUE (token),
  CONSTRAINT enrollments_method CHECK ((method = ANY (ARRAY['ott'::text, 'ottca'::text, 'updb'::text, 'erott'::text, 'trott'::text]))),
  CONSTRAINT enrollments_username CHECK (((method <> 'updb'::text) OR (username IS NOT NULL)))
);

CREATE TABLE entity_counts (
  kind text COLLATE "C" NOT NULL,
  slot integer NOT NULL DEFAULT nextval('entity_count_slots'::regclass),
  total bigint NOT NULL,
  CONSTRAINT entity_counts_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor=50);

CREATE TABLE event_batches (
  n bigint NOT NULL,
  earlier pg_snapshot,
  snapshot pg_snapshot,
  closed_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT event_batches_pkey PRIMARY KEY (n),
  CONSTRAINT event_batches_n_check CHECK ((n >= 0))
);

CREATE TABLE external_jwt_signers (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  issuer text COLLATE "C" NOT NULL,
  audience text COLLATE "C" NOT NULL,
  kid text COLLATE "C",
  cert_pem text COLLATE "C",
  fingerprint text COLLATE "C",
  common_name text COLLATE "C" NOT NULL DEFAULT ''::text,
  not_before timestamp(3) with time zone,
  not_after timestamp(3) with time zone,
  jwks_endpoint text COLLATE "C",
  is_enabled boolean NOT NULL,
  use_external_id boolean NOT NULL,
  claims_property text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  external_auth_url text COLLATE "C",
  target_token text COLLATE "C" NOT NULL,
  enroll_to_cert_enabled boolean NOT NULL,
  enroll_to_token_enabled boolean NOT NULL,
  enroll_auth_policy_id text COLLATE "C" NOT NULL,
  enroll_name_claims_selector text COLLATE "C" NOT NULL,
  enroll_attribute_claims_selector text COLLATE "C" NOT NULL,
  CONSTRAINT external_jwt_signers_pkey PRIMARY KEY (id),
  CONSTRAINT external_jwt_signers_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT external_jwt_signers_issuer_key UNIQUE (issuer),
  CONSTRAINT external_jwt_signers_name_key UNIQUE (name),
  CONSTRAINT external_jwt_signers_one_key_source CHECK ((num_nonnulls(cert_pem, jwks_endpoint) = 1)),
  CONSTRAINT external_jwt_signers_target_token CHECK ((target_token = ANY (ARRAY['ACCESS'::text, 'ID'::text])))
);

CREATE TABLE fabric_services (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  terminator_strategy text COLLATE "C" NOT NULL DEFAULT 'smartrouting'::text,
  max_idle_time_millis bigint NOT NULL DEFAULT 0,
  CONSTRAINT fabric_services_pkey PRIMARY KEY (id),
  CONSTRAINT fabric_services_terminator_strategy CHECK ((terminator_strategy = ANY (ARRAY['smartrouting'::text, 'weighted'::text, 'random'::text, 'sticky'::text])))
);

CREATE TABLE fabric_terminators (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  service_id text COLLATE "C" NOT NULL,
  router_id text COLLATE "C" NOT NULL,
  binding text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  instance_secret bytea,
  host_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  source_ctrl text COLLATE "C" NOT NULL DEFAULT ''::text,
  cost integer NOT NULL DEFAULT 0,
  dynamic_cost integer NOT NULL DEFAULT 0,
  precedence text COLLATE "C" NOT NULL DEFAULT 'default'::text,
  CONSTRAINT fabric_terminators_pkey PRIMARY KEY (id),
  CONSTRAINT fabric_terminators_cost CHECK (((cost >= 0) AND (cost <= 65535))),
  CONSTRAINT fabric_terminators_dynamic_cost CHECK (((dynamic_cost >= 0) AND (dynamic_cost <= 65535))),
  CONSTRAINT fabric_terminators_precedence CHECK ((precedence = ANY (ARRAY['default'::text, 'required'::text, 'failed'::text])))
);

CREATE TABLE failed_service_requests (
  identity_id text COLLATE "C" NOT NULL,
  place bigint NOT NULL DEFAULT nextval('failed_service_request_places'::regclass),
  at timestamp(3) with time zone NOT NULL DEFAULT now(),
  api_session_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  service_name text COLLATE "C" NOT NULL,
  session_type text COLLATE "C" NOT NULL,
  policy_failures jsonb NOT NULL,
  CONSTRAINT failed_service_requests_pkey PRIMARY KEY (identity_id, place),
  CONSTRAINT failed_service_requests_type CHECK ((session_type = ANY (ARRAY['Dial'::text, 'Bind'::text])))
);

CREATE TABLE identities (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL,
  is_admin boolean NOT NULL,
  is_default_admin boolean NOT NULL DEFAULT false,
  external_id text COLLATE "C",
  auth_policy_id text COLLATE "C" NOT NULL,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  permissions text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  app_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  default_hosting_cost integer NOT NULL DEFAULT 0,
  default_hosting_precedence text COLLATE "C" NOT NULL DEFAULT 'default'::text,
  env_info jsonb NOT NULL DEFAULT '{}'::jsonb,
  sdk_info jsonb NOT NULL DEFAULT '{}'::jsonb,
  disabled_at timestamp(3) with time zone,
  disabled_until timestamp(3) with time zone,
  CONSTRAINT identities_pkey PRIMARY KEY (id),
  CONSTRAINT identities_external_id_key UNIQUE (external_id),
  CONSTRAINT identities_name_key UNIQUE (name),
  CONSTRAINT identities_default_admin CHECK (((NOT is_default_admin) OR (is_admin AND (disabled_at IS NULL)))),
  CONSTRAINT identities_disabled CHECK (((disabled_until IS NULL) OR (disabled_at IS NOT NULL))),
  CONSTRAINT identities_hosting_cost CHECK (((default_hosting_cost >= 0) AND (default_hosting_cost <= 65535))),
  CONSTRAINT identities_hosting_precedence CHECK ((default_hosting_precedence = ANY (ARRAY['default'::text, 'required'::text, 'failed'::text])))
);

CREATE TABLE identity_hostings (
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  cost integer,
  precedence text COLLATE "C",
  CONSTRAINT identity_hostings_pkey PRIMARY KEY (identity_id, service_id),
  CONSTRAINT identity_hostings_cost CHECK (((cost >= 0) AND (cost <= 65535))),
  CONSTRAINT identity_hostings_precedence CHECK ((precedence = ANY (ARRAY['default'::text, 'required'::text, 'failed'::text])))
);

CREATE TABLE identity_service_configs (
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT identity_service_configs_pkey PRIMARY KEY (identity_id, service_id, config_type_id)
);

CREATE TABLE identity_traces (
  identity_id text COLLATE "C" NOT NULL,
  trace_id text COLLATE "C" NOT NULL,
  channels text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  ends_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT identity_traces_pkey PRIMARY KEY (identity_id)
);

CREATE TABLE identity_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  CONSTRAINT identity_types_pkey PRIMARY KEY (id),
  CONSTRAINT identity_types_name_key UNIQUE (name)
);

CREATE TABLE inspection_answers (
  inspection_id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  answer jsonb NOT NULL,
  CONSTRAINT inspection_answers_pkey PRIMARY KEY (inspection_id, host_id)
);

CREATE TABLE inspections (
  id text COLLATE "C" NOT NULL,
  pattern text COLLATE "C" NOT NULL,
  requested text[] COLLATE "C" NOT NULL,
  ends_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT inspections_pkey PRIMARY KEY (id)
);

CREATE TABLE integrity_findings (
  "position" integer NOT NULL,
  description text NOT NULL,
  is_fixed boolean NOT NULL,
  CONSTRAINT integrity_findings_pkey PRIMARY KEY ("position")
);

CREATE TABLE integrity_runs (
  singleton boolean NOT NULL DEFAULT true,
  is_fixing boolean NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  error text NOT NULL DEFAULT ''::text,
  has_too_many boolean NOT NULL DEFAULT false,
  CONSTRAINT integrity_runs_pkey PRIMARY KEY (singleton),
  CONSTRAINT integrity_runs_is_single CHECK (singleton)
);

CREATE TABLE issued_certificates (
  serial_number text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  issuer_fingerprint text COLLATE "C" NOT NULL,
  not_before timestamp(3) with time zone NOT NULL,
  not_after timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT issued_certificates_pkey PRIMARY KEY (serial_number),
  CONSTRAINT issued_certificates_kind CHECK ((kind = ANY (ARRAY['identity'::text, 'apiSession'::text, 'router'::text, 'routerServer'::text, 'server'::text, 'intermediate'::text])))
);

CREATE TABLE last_uses (
  kind text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  CONSTRAINT last_uses_pkey PRIMARY KEY (kind, entity_id)
);

CREATE TABLE mfas (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  identity_id text COLLATE "C" NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  sealed_secret bytea NOT NULL,
  sealed_codes bytea[] NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  failed_at timestamp(3) with time zone[] NOT NULL DEFAULT '{}'::timestamp with time zone[],
  blocked_until timestamp(3) with time zone,
  verified_at timestamp(3) with time zone,
  CONSTRAINT mfas_pkey PRIMARY KEY (id),
  CONSTRAINT mfas_identity_key UNIQUE (identity_id)
);

CREATE TABLE model_epochs (
  name text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL DEFAULT 1,
  moved_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  moved_by xid8,
  content bigint NOT NULL DEFAULT 1,
  content_by xid8,
  routing bigint NOT NULL DEFAULT 1,
  routing_by xid8,
  presence bigint NOT NULL DEFAULT 1,
  presence_by xid8,
  for_all bigint NOT NULL DEFAULT 1,
  CONSTRAINT model_epochs_pkey PRIMARY KEY (name)
);

CREATE TABLE narrowed_services (
  service_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  moved_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  is_swept boolean NOT NULL DEFAULT false,
  CONSTRAINT narrowed_services_pkey PRIMARY KEY (service_id)
);

CREATE TABLE network (
  singleton boolean NOT NULL DEFAULT true,
  trust_domain text NOT NULL,
  master_key_check text NOT NULL,
  advertise text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  timeline_id text COLLATE "C" NOT NULL DEFAULT (gen_random_uuid())::text,
  uses_known_since timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT network_pkey PRIMARY KEY (singleton),
  CONSTRAINT network_is_single CHECK (singleton)
);

CREATE TABLE network_jwts (
  name text COLLATE "C" NOT NULL,
  token text NOT NULL,
  signed_by text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT network_jwts_pkey PRIMARY KEY (name)
);

CREATE TABLE network_secrets (
  name text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sealed_secret bytea NOT NULL,
  CONSTRAINT network_secrets_pkey PRIMARY KEY (name)
);

CREATE TABLE pki_entities (
  purpose text COLLATE "C" NOT NULL,
  generation integer NOT NULL,
  sealed_key bytea NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  not_before timestamp(3) with time zone NOT NULL,
  not_after timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  used_from timestamp(3) with time zone NOT NULL DEFAULT now(),
  cross_pem text NOT NULL DEFAULT ''::text,
  retired_at timestamp(3) with time zone,
  CONSTRAINT pki_entities_pkey PRIMARY KEY (purpose, generation),
  CONSTRAINT pki_entities_purpose CHECK ((purpose = ANY (ARRAY['root'::text, 'intermediate'::text, 'server'::text])))
);

CREATE TABLE posture_check_types (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  version text NOT NULL,
  operating_systems jsonb NOT NULL,
  CONSTRAINT posture_check_types_pkey PRIMARY KEY (id),
  CONSTRAINT posture_check_types_name_key UNIQUE (name)
);

CREATE TABLE posture_checks (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type_id text COLLATE "C" NOT NULL,
  version integer NOT NULL DEFAULT 1,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  criteria jsonb NOT NULL,
  CONSTRAINT posture_checks_pkey PRIMARY KEY (id),
  CONSTRAINT posture_checks_name_key UNIQUE (name),
  CONSTRAINT posture_checks_type CHECK ((type_id = ANY (ARRAY['OS'::text, 'PROCESS'::text, 'DOMAIN'::text, 'MAC'::text, 'MFA'::text, 'PROCESS_MULTI'::text])))
);

CREATE TABLE quiesced_routers (
  router_id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT quiesced_routers_pkey PRIMARY KEY (router_id)
);

CREATE TABLE revocations (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  type text COLLATE "C" NOT NULL,
  issued_before timestamp(3) with time zone NOT NULL DEFAULT now(),
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT revocations_pkey PRIMARY KEY (id),
  CONSTRAINT revocations_end CHECK ((expires_at > issued_before)),
  CONSTRAINT revocations_type CHECK ((type = ANY (ARRAY['JTI'::text, 'IDENTITY'::text, 'API_SESSION'::text])))
);

CREATE TABLE role_attribute_counts (
  kind text COLLATE "C" NOT NULL,
  attribute text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_count_slots'::regclass),
  uses bigint NOT NULL,
  CONSTRAINT role_attribute_counts_pkey PRIMARY KEY (kind, attribute, slot)
) WITH (fillfactor=50);

CREATE TABLE role_attribute_epochs (
  kind text COLLATE "C" NOT NULL,
  slot bigint NOT NULL DEFAULT nextval('role_attribute_epoch_slots'::regclass),
  epoch bigint NOT NULL,
  CONSTRAINT role_attribute_epochs_pkey PRIMARY KEY (kind, slot)
) WITH (fillfactor=50);

CREATE TABLE router_channels (
  router_id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  connected_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  sync_status text COLLATE "C" NOT NULL,
  hostname text NOT NULL DEFAULT ''::text,
  protocols jsonb NOT NULL DEFAULT '{}'::jsonb,
  version_info jsonb NOT NULL,
  link_listeners jsonb NOT NULL DEFAULT '[]'::jsonb,
  CONSTRAINT router_channels_pkey PRIMARY KEY (router_id, host_id)
);

CREATE TABLE router_configs (
  router_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT router_configs_pkey PRIMARY KEY (router_id, config_id),
  CONSTRAINT router_configs_one_per_type UNIQUE (router_id, config_type_id)
);

CREATE TABLE router_hosts (
  id text COLLATE "C" NOT NULL,
  controller_id text COLLATE "C" NOT NULL,
  seen_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  joined_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  circuits integer NOT NULL DEFAULT 0,
  CONSTRAINT router_hosts_pkey PRIMARY KEY (id)
) WITH (fillfactor=50);

CREATE TABLE router_link_settings (
  id text COLLATE "C" NOT NULL,
  static_cost integer NOT NULL,
  is_down boolean NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT router_link_settings_pkey PRIMARY KEY (id)
);

CREATE TABLE router_links (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  iteration bigint NOT NULL,
  source_router_id text COLLATE "C" NOT NULL,
  dest_router_id text COLLATE "C" NOT NULL,
  protocol text COLLATE "C" NOT NULL,
  dial_address text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  source_latency bigint NOT NULL,
  dest_latency bigint NOT NULL,
  state_iteration bigint NOT NULL,
  connections jsonb NOT NULL,
  CONSTRAINT router_links_pkey PRIMARY KEY (id, host_id)
) WITH (fillfactor=70);

CREATE TABLE routers (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  is_edge boolean NOT NULL,
  cost integer NOT NULL DEFAULT 0,
  no_traversal boolean NOT NULL DEFAULT false,
  disabled boolean NOT NULL DEFAULT false,
  is_tunneler_enabled boolean NOT NULL DEFAULT false,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  app_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  ctrl_chan_listeners jsonb NOT NULL DEFAULT '{}'::jsonb,
  hostname text NOT NULL DEFAULT ''::text,
  fingerprint text COLLATE "C",
  cert_pem text,
  unverified_fingerprint text COLLATE "C",
  unverified_cert_pem text,
  interfaces jsonb NOT NULL DEFAULT '[]'::jsonb,
  server_names text[] COLLATE "C",
  names_left_out text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  version text COLLATE "C",
  capabilities_mask bigint,
  CONSTRAINT routers_pkey PRIMARY KEY (id),
  CONSTRAINT routers_fingerprint_key UNIQUE (fingerprint),
  CONSTRAINT routers_name_key UNIQUE (name),
  CONSTRAINT routers_cost CHECK (((cost >= 0) AND (cost <= 65535))),
  CONSTRAINT routers_tunneler CHECK ((is_edge OR (NOT is_tunneler_enabled)))
);

CREATE TABLE schema_migrations (
  id integer NOT NULL DEFAULT nextval('schema_migrations_id_seq'::regclass),
  name character varying(255),
  batch integer,
  migration_time timestamp with time zone,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (id)
);

CREATE TABLE schema_migrations_lock (
  index integer NOT NULL DEFAULT nextval('schema_migrations_lock_index_seq'::regclass),
  is_locked integer,
  CONSTRAINT schema_migrations_lock_pkey PRIMARY KEY (index)
);

CREATE TABLE server_names (
  name text COLLATE "C" NOT NULL,
  last_seen_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT server_names_pkey PRIMARY KEY (name)
);

CREATE TABLE service_configs (
  service_id text COLLATE "C" NOT NULL,
  config_id text COLLATE "C" NOT NULL,
  config_type_id text COLLATE "C" NOT NULL,
  CONSTRAINT service_configs_pkey PRIMARY KEY (service_id, config_id),
  CONSTRAINT service_configs_one_per_type UNIQUE (service_id, config_type_id)
);

CREATE TABLE service_edge_router_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  edge_router_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT service_edge_router_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_edge_router_policies_name_key UNIQUE (name),
  CONSTRAINT service_edge_router_policies_semantic CHECK ((semantic = ANY (ARRAY['AllOf'::text, 'AnyOf'::text])))
);

CREATE TABLE service_names (
  name text COLLATE "C" NOT NULL,
  CONSTRAINT service_names_pkey PRIMARY KEY (name)
);

CREATE TABLE service_policies (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  semantic text COLLATE "C" NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  service_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  posture_check_roles text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT service_policies_pkey PRIMARY KEY (id),
  CONSTRAINT service_policies_name_key UNIQUE (name),
  CONSTRAINT service_policies_semantic CHECK ((semantic = ANY (ARRAY['AllOf'::text, 'AnyOf'::text]))),
  CONSTRAINT service_policies_type CHECK ((type = ANY (ARRAY['Dial'::text, 'Bind'::text])))
);

CREATE TABLE service_views (
  identity_id text COLLATE "C" NOT NULL,
  config_types text[] COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  digest bytea NOT NULL,
  state bytea,
  changed_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT service_views_pkey PRIMARY KEY (identity_id, config_types)
);

CREATE TABLE services (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  encryption_required boolean NOT NULL,
  terminator_strategy text COLLATE "C" NOT NULL DEFAULT 'smartrouting'::text,
  max_idle_time_millis bigint NOT NULL DEFAULT 0,
  role_attributes text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT services_pkey PRIMARY KEY (id),
  CONSTRAINT services_name_key UNIQUE (name),
  CONSTRAINT services_terminator_strategy CHECK ((terminator_strategy = ANY (ARRAY['smartrouting'::text, 'weighted'::text, 'random'::text, 'sticky'::text])))
);

CREATE TABLE sessions (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  api_session_id text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  service_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  granted_epoch bigint NOT NULL DEFAULT 0,
  granted_until timestamp(3) with time zone NOT NULL DEFAULT 'infinity'::timestamp with time zone,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_one_per_use UNIQUE (api_session_id, service_id, type),
  CONSTRAINT sessions_type CHECK ((type = ANY (ARRAY['Dial'::text, 'Bind'::text])))
);

CREATE TABLE terminator_costs (
  id text COLLATE "C" NOT NULL,
  host_id text COLLATE "C" NOT NULL,
  dynamic_cost integer NOT NULL,
  CONSTRAINT terminator_costs_pkey PRIMARY KEY (id, host_id)
) WITH (fillfactor=70);

CREATE TABLE terminators (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  service_id text COLLATE "C" NOT NULL,
  router_id text COLLATE "C" NOT NULL,
  binding text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  instance_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  instance_secret bytea,
  host_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  source_ctrl text COLLATE "C" NOT NULL DEFAULT ''::text,
  cost integer NOT NULL DEFAULT 0,
  dynamic_cost integer NOT NULL DEFAULT 0,
  precedence text COLLATE "C" NOT NULL DEFAULT 'default'::text,
  peer_data jsonb NOT NULL DEFAULT '{}'::jsonb,
  session_id text COLLATE "C",
  CONSTRAINT terminators_pkey PRIMARY KEY (id),
  CONSTRAINT terminators_cost CHECK (((cost >= 0) AND (cost <= 65535))),
  CONSTRAINT terminators_dynamic_cost CHECK (((dynamic_cost >= 0) AND (dynamic_cost <= 65535))),
  CONSTRAINT terminators_precedence CHECK ((precedence = ANY (ARRAY['default'::text, 'required'::text, 'failed'::text])))
);

CREATE TABLE token_families (
  api_session_id text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  scopes text[] COLLATE "C" NOT NULL,
  authenticated_at timestamp(3) with time zone NOT NULL,
  ends_at timestamp(3) with time zone NOT NULL,
  refresh_hash bytea,
  previous_hash bytea,
  rotated_at timestamp(3) with time zone,
  CONSTRAINT token_families_pkey PRIMARY KEY (api_session_id)
);

CREATE TABLE usage_hours (
  hour timestamp(3) with time zone NOT NULL,
  kind text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  bytes_in bigint NOT NULL,
  bytes_out bigint NOT NULL,
  dials bigint NOT NULL,
  failed_dials bigint NOT NULL,
  CONSTRAINT usage_hours_pkey PRIMARY KEY (hour, kind, entity_id)
);

CREATE TABLE used_tokens (
  token_hash bytea NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT used_tokens_pkey PRIMARY KEY (token_hash)
);

CREATE TABLE usernames (
  username text COLLATE "C" NOT NULL,
  identity_id text COLLATE "C" NOT NULL,
  CONSTRAINT usernames_pkey PRIMARY KEY (username, identity_id)
);

CREATE TABLE webhook_dead_letters (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  body text NOT NULL,
  attempts integer NOT NULL,
  first_failed_at timestamp(3) with time zone NOT NULL,
  last_error text COLLATE "C" NOT NULL,
  is_due boolean NOT NULL DEFAULT false,
  CONSTRAINT webhook_dead_letters_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_dead_letters_event_key UNIQUE (webhook_id, event_id)
);

CREATE TABLE webhook_progress (
  webhook_id text COLLATE "C" NOT NULL,
  batch bigint NOT NULL,
  seq bigint NOT NULL,
  delivered_at timestamp(3) with time zone,
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamp(3) with time zone,
  next_attempt_at timestamp(3) with time zone,
  last_error text COLLATE "C",
  leased_by text COLLATE "C",
  leased_until timestamp(3) with time zone,
  CONSTRAINT webhook_progress_pkey PRIMARY KEY (webhook_id)
);

CREATE TABLE webhooks (
  id text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}'::jsonb,
  is_system boolean NOT NULL DEFAULT false,
  name text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  kinds text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  is_enabled boolean NOT NULL,
  sealed_secret bytea NOT NULL,
  secret_set_at timestamp(3) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_name_key UNIQUE (name)
);

CREATE TABLE audit_records_rest PARTITION OF audit_records DEFAULT;

CREATE VIEW audited_changes AS
 SELECT kind,
    entity_type,
    entity_id,
    entity_name,
    before,
    after,
    actor_kind,
    actor_id,
    actor_name,
    api_session_id,
    address,
    request_id,
    controller
   FROM audit_records;

ALTER VIEW audited_changes ALTER actor_kind SET DEFAULT COALESCE(actor_part(1), 'controller'::text);
ALTER VIEW audited_changes ALTER actor_id SET DEFAULT actor_part(2);
ALTER VIEW audited_changes ALTER actor_name SET DEFAULT convert_from(decode(actor_part(3), 'hex'::text), 'UTF8'::name);
ALTER VIEW audited_changes ALTER api_session_id SET DEFAULT actor_part(4);
ALTER VIEW audited_changes ALTER address SET DEFAULT actor_part(5);
ALTER VIEW audited_changes ALTER request_id SET DEFAULT actor_part(6);
ALTER VIEW audited_changes ALTER controller SET DEFAULT convert_from(decode(actor_part(7), 'hex'::text), 'UTF8'::name);

ALTER SEQUENCE schema_migrations_id_seq OWNED BY schema_migrations.id;

ALTER SEQUENCE schema_migrations_lock_index_seq OWNED BY schema_migrations_lock.index;

ALTER TABLE api_session_certificates ADD CONSTRAINT api_session_certificates_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions(id);
ALTER TABLE api_session_postures ADD CONSTRAINT api_session_postures_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions(id) ON DELETE CASCADE;
ALTER TABLE api_session_views ADD CONSTRAINT api_session_views_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions(id) ON DELETE CASCADE;
ALTER TABLE api_sessions ADD CONSTRAINT api_sessions_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas(id);
ALTER TABLE api_sessions ADD CONSTRAINT api_sessions_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id);
ALTER TABLE api_sessions ADD CONSTRAINT api_sessions_signer_fkey FOREIGN KEY (signer_id) REFERENCES external_jwt_signers(id);
ALTER TABLE auth_policies ADD CONSTRAINT auth_policies_required_signer_fkey FOREIGN KEY (require_ext_jwt_signer_id) REFERENCES external_jwt_signers(id);
ALTER TABLE auth_policy_signers ADD CONSTRAINT auth_policy_signers_policy_fkey FOREIGN KEY (auth_policy_id) REFERENCES auth_policies(id) ON DELETE CASCADE;
ALTER TABLE auth_policy_signers ADD CONSTRAINT auth_policy_signers_signer_fkey FOREIGN KEY (signer_id) REFERENCES external_jwt_signers(id);
ALTER TABLE authenticators ADD CONSTRAINT authenticators_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas(id);
ALTER TABLE authenticators ADD CONSTRAINT authenticators_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id);
ALTER TABLE authenticators ADD CONSTRAINT authenticators_username_fkey FOREIGN KEY (username, identity_id) REFERENCES usernames(username, identity_id);
ALTER TABLE configs ADD CONSTRAINT configs_type_fkey FOREIGN KEY (config_type_id) REFERENCES config_types(id);
ALTER TABLE connected_identities ADD CONSTRAINT connected_identities_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts(id) ON DELETE CASCADE;
ALTER TABLE controller_settings ADD CONSTRAINT controller_settings_controller_fkey FOREIGN KEY (controller_id) REFERENCES controllers(id) ON DELETE CASCADE;
ALTER TABLE enrollments ADD CONSTRAINT enrollments_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas(id);
ALTER TABLE enrollments ADD CONSTRAINT enrollments_edge_router_fkey FOREIGN KEY (edge_router_id) REFERENCES routers(id);
ALTER TABLE enrollments ADD CONSTRAINT enrollments_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id);
ALTER TABLE enrollments ADD CONSTRAINT enrollments_transit_router_fkey FOREIGN KEY (transit_router_id) REFERENCES routers(id);
ALTER TABLE enrollments ADD CONSTRAINT enrollments_username_fkey FOREIGN KEY (username, identity_id) REFERENCES usernames(username, identity_id);
ALTER TABLE external_jwt_signers ADD CONSTRAINT external_jwt_signers_enroll_auth_policy_fkey FOREIGN KEY (enroll_auth_policy_id) REFERENCES auth_policies(id);
ALTER TABLE fabric_terminators ADD CONSTRAINT fabric_terminators_router_fkey FOREIGN KEY (router_id) REFERENCES routers(id);
ALTER TABLE fabric_terminators ADD CONSTRAINT fabric_terminators_service_fkey FOREIGN KEY (service_id) REFERENCES fabric_services(id) ON DELETE CASCADE;
ALTER TABLE failed_service_requests ADD CONSTRAINT failed_service_requests_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE;
ALTER TABLE identities ADD CONSTRAINT identities_auth_policy_fkey FOREIGN KEY (auth_policy_id) REFERENCES auth_policies(id);
ALTER TABLE identities ADD CONSTRAINT identities_type_fkey FOREIGN KEY (type_id) REFERENCES identity_types(id);
ALTER TABLE identity_hostings ADD CONSTRAINT identity_hostings_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE;
ALTER TABLE identity_hostings ADD CONSTRAINT identity_hostings_service_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE;
ALTER TABLE identity_service_configs ADD CONSTRAINT identity_service_configs_config_fkey FOREIGN KEY (config_id, config_type_id) REFERENCES configs(id, config_type_id) ON DELETE CASCADE;
ALTER TABLE identity_service_configs ADD CONSTRAINT identity_service_configs_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE;
ALTER TABLE identity_service_configs ADD CONSTRAINT identity_service_configs_service_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE;
ALTER TABLE identity_traces ADD CONSTRAINT identity_traces_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE;
ALTER TABLE inspection_answers ADD CONSTRAINT inspection_answers_inspection_fkey FOREIGN KEY (inspection_id) REFERENCES inspections(id) ON DELETE CASCADE;
ALTER TABLE mfas ADD CONSTRAINT mfas_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id);
ALTER TABLE quiesced_routers ADD CONSTRAINT quiesced_routers_router_fkey FOREIGN KEY (router_id) REFERENCES routers(id) ON DELETE CASCADE;
ALTER TABLE router_channels ADD CONSTRAINT router_channels_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts(id) ON DELETE CASCADE;
ALTER TABLE router_channels ADD CONSTRAINT router_channels_router_fkey FOREIGN KEY (router_id) REFERENCES routers(id) ON DELETE CASCADE;
ALTER TABLE router_configs ADD CONSTRAINT router_configs_config_fkey FOREIGN KEY (config_id, config_type_id) REFERENCES configs(id, config_type_id);
ALTER TABLE router_configs ADD CONSTRAINT router_configs_router_fkey FOREIGN KEY (router_id) REFERENCES routers(id) ON DELETE CASCADE;
ALTER TABLE router_hosts ADD CONSTRAINT router_hosts_controller_fkey FOREIGN KEY (controller_id) REFERENCES controllers(id) ON DELETE CASCADE;
ALTER TABLE router_links ADD CONSTRAINT router_links_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts(id) ON DELETE CASCADE;
ALTER TABLE service_configs ADD CONSTRAINT service_configs_config_fkey FOREIGN KEY (config_id, config_type_id) REFERENCES configs(id, config_type_id);
ALTER TABLE service_configs ADD CONSTRAINT service_configs_service_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE;
ALTER TABLE service_views ADD CONSTRAINT service_views_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id) ON DELETE CASCADE;
ALTER TABLE sessions ADD CONSTRAINT sessions_api_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions(id);
ALTER TABLE sessions ADD CONSTRAINT sessions_identity_fkey FOREIGN KEY (identity_id) REFERENCES identities(id);
ALTER TABLE sessions ADD CONSTRAINT sessions_service_fkey FOREIGN KEY (service_id) REFERENCES services(id);
ALTER TABLE terminator_costs ADD CONSTRAINT terminator_costs_host_fkey FOREIGN KEY (host_id) REFERENCES router_hosts(id) ON DELETE CASCADE;
ALTER TABLE terminators ADD CONSTRAINT terminators_router_fkey FOREIGN KEY (router_id) REFERENCES routers(id);
ALTER TABLE terminators ADD CONSTRAINT terminators_service_fkey FOREIGN KEY (service_id) REFERENCES services(id);
ALTER TABLE terminators ADD CONSTRAINT terminators_session_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);
ALTER TABLE token_families ADD CONSTRAINT token_families_session_fkey FOREIGN KEY (api_session_id) REFERENCES api_sessions(id) ON DELETE CASCADE;
ALTER TABLE webhook_dead_letters ADD CONSTRAINT webhook_dead_letters_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
ALTER TABLE webhook_progress ADD CONSTRAINT webhook_progress_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;

CREATE INDEX api_session_certificates_end ON api_session_certificates USING btree (valid_to);
CREATE INDEX api_session_certificates_session ON api_session_certificates USING btree (api_session_id, id);
CREATE INDEX api_sessions_authenticator ON api_sessions USING btree (authenticator_id);
CREATE INDEX api_sessions_ca ON api_sessions USING btree (ca_id) WHERE (ca_id IS NOT NULL);
CREATE INDEX api_sessions_expires_at ON api_sessions USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX api_sessions_identity ON api_sessions USING btree (identity_id, id);
CREATE INDEX api_sessions_last_activity ON api_sessions USING btree (last_activity_at, id);
CREATE INDEX api_sessions_signer ON api_sessions USING btree (signer_id) WHERE (signer_id IS NOT NULL);
CREATE INDEX audit_records_actor ON audit_records USING btree (actor_id);
CREATE INDEX audit_records_at ON audit_records USING btree (at);
CREATE INDEX audit_records_entity ON audit_records USING btree (entity_id);
CREATE INDEX audit_records_kind ON audit_records USING btree (kind);
CREATE INDEX audit_records_xid ON audit_records USING btree (xid);
CREATE INDEX auth_policies_required_signer ON auth_policies USING btree (require_ext_jwt_signer_id) WHERE (require_ext_jwt_signer_id IS NOT NULL);
CREATE INDEX auth_policy_signers_signer ON auth_policy_signers USING btree (signer_id);
CREATE INDEX auth_requests_expires_at ON auth_requests USING btree (expires_at);
CREATE INDEX auth_requests_network ON auth_requests USING btree (network);
CREATE INDEX authenticators_ca ON authenticators USING btree (ca_id) WHERE (ca_id IS NOT NULL);
CREATE INDEX authenticators_identity ON authenticators USING btree (identity_id, id);
CREATE UNIQUE INDEX authenticators_one_updb ON authenticators USING btree (identity_id) WHERE (method = 'updb'::text);
CREATE INDEX circuits_host ON circuits USING btree (host_id);
CREATE INDEX client_ends_ended_at ON client_ends USING btree (ended_at);
CREATE INDEX configs_name_any_case ON configs USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX configs_name_letters ON configs USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX configs_type ON configs USING btree (config_type_id, id);
CREATE INDEX connected_identities_number ON connected_identities USING btree (host_id, number);
CREATE INDEX controller_settings_controller ON controller_settings USING btree (controller_id);
CREATE INDEX edge_router_policies_edge_router_roles ON edge_router_policies USING gin (edge_router_roles) WITH (fastupdate=off);
CREATE INDEX edge_router_policies_identity_roles ON edge_router_policies USING gin (identity_roles) WITH (fastupdate=off);
CREATE INDEX edge_router_policies_name_any_case ON edge_router_policies USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX edge_router_policies_name_letters ON edge_router_policies USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX enrollments_ca ON enrollments USING btree (ca_id) WHERE (ca_id IS NOT NULL);
CREATE INDEX enrollments_username ON enrollments USING btree (username) WHERE (username IS NOT NULL);
CREATE INDEX external_jwt_signers_enroll_auth_policy ON external_jwt_signers USING btree (enroll_auth_policy_id);
CREATE INDEX fabric_terminators_router ON fabric_terminators USING btree (router_id);
CREATE INDEX fabric_terminators_service ON fabric_terminators USING btree (service_id);
CREATE INDEX identities_administrators ON identities USING btree (id) WHERE (is_admin OR is_default_admin);
CREATE INDEX identities_auth_policy ON identities USING btree (auth_policy_id, id);
CREATE INDEX identities_created_at ON identities USING btree (created_at, id);
CREATE INDEX identities_disabled_until ON identities USING btree (disabled_until) WHERE (disabled_until IS NOT NULL);
CREATE INDEX identities_name_any_case ON identities USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX identities_name_letters ON identities USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE UNIQUE INDEX identities_one_default_admin ON identities USING btree (is_default_admin) WHERE is_default_admin;
CREATE INDEX identities_role_attributes ON identities USING gin (role_attributes) WITH (gin_pending_list_limit='128');
CREATE INDEX identities_tags ON identities USING gin (tags jsonb_path_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX identities_type ON identities USING btree (type_id, id);
CREATE INDEX identities_updated_at ON identities USING btree (updated_at, id);
CREATE INDEX identities_with_rights ON identities USING btree (auth_policy_id) WHERE (is_admin OR is_default_admin OR (permissions <> '{}'::text[]));
CREATE INDEX identity_hostings_service ON identity_hostings USING btree (service_id);
CREATE INDEX identity_service_configs_config ON identity_service_configs USING btree (config_id);
CREATE INDEX identity_service_configs_service ON identity_service_configs USING btree (service_id);
CREATE INDEX issued_certificates_end ON issued_certificates USING btree (not_after);
CREATE INDEX issued_certificates_subject ON issued_certificates USING btree (subject_id, created_at);
CREATE INDEX narrowed_services_unswept ON narrowed_services USING btree (service_id) WHERE (NOT is_swept);
CREATE INDEX posture_checks_name_any_case ON posture_checks USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX posture_checks_name_letters ON posture_checks USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX posture_checks_role_attributes ON posture_checks USING gin (role_attributes) WITH (gin_pending_list_limit='128');
CREATE INDEX revocations_expires_at ON revocations USING btree (expires_at);
CREATE INDEX router_channels_host ON router_channels USING btree (host_id);
CREATE INDEX router_configs_config ON router_configs USING btree (config_id, router_id);
CREATE INDEX router_hosts_controller ON router_hosts USING btree (controller_id);
CREATE INDEX router_links_host ON router_links USING btree (host_id);
CREATE INDEX routers_edge ON routers USING btree (id) WHERE is_edge;
CREATE INDEX routers_name_any_case ON routers USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX routers_name_letters ON routers USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX routers_role_attributes ON routers USING gin (role_attributes) WITH (gin_pending_list_limit='128');
CREATE INDEX service_configs_config ON service_configs USING btree (config_id, service_id);
CREATE INDEX service_edge_router_policies_edge_router_roles ON service_edge_router_policies USING gin (edge_router_roles) WITH (fastupdate=off);
CREATE INDEX service_edge_router_policies_name_any_case ON service_edge_router_policies USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX service_edge_router_policies_name_letters ON service_edge_router_policies USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX service_edge_router_policies_service_roles ON service_edge_router_policies USING gin (service_roles) WITH (fastupdate=off);
CREATE INDEX service_policies_identity_roles ON service_policies USING gin (identity_roles) WITH (fastupdate=off);
CREATE INDEX service_policies_name_any_case ON service_policies USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX service_policies_name_letters ON service_policies USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX service_policies_posture_check_roles ON service_policies USING gin (posture_check_roles) WITH (fastupdate=off);
CREATE INDEX service_policies_service_roles ON service_policies USING gin (service_roles) WITH (fastupdate=off);
CREATE INDEX services_created_at ON services USING btree (created_at, id);
CREATE INDEX services_name_any_case ON services USING gin (upper((name COLLATE "und-x-icu")) gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX services_name_letters ON services USING gin (name gin_trgm_ops) WITH (gin_pending_list_limit='128');
CREATE INDEX services_role_attributes ON services USING gin (role_attributes) WITH (gin_pending_list_limit='128');
CREATE INDEX sessions_granted_epoch ON sessions USING btree (granted_epoch);
CREATE INDEX sessions_granted_until ON sessions USING btree (granted_until) WHERE (granted_until < 'infinity'::timestamp with time zone);
CREATE INDEX sessions_identity ON sessions USING btree (identity_id, id);
CREATE INDEX sessions_service ON sessions USING btree (service_id, granted_epoch);
CREATE INDEX sessions_token ON sessions USING hash (token);
CREATE INDEX terminator_costs_host ON terminator_costs USING btree (host_id);
CREATE INDEX terminators_instance ON terminators USING btree (service_id, instance_id);
CREATE INDEX terminators_router ON terminators USING btree (router_id, id);
CREATE INDEX terminators_service ON terminators USING btree (service_id, id);
CREATE INDEX terminators_session ON terminators USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX used_tokens_expires_at ON used_tokens USING btree (expires_at);
CREATE UNIQUE INDEX usernames_once ON usernames USING btree (username);
CREATE INDEX webhook_dead_letters_due ON webhook_dead_letters USING btree (webhook_id) WHERE is_due;

CREATE TRIGGER api_session_certificates_audit_change AFTER UPDATE ON api_session_certificates FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND ((old.api_session_id IS DISTINCT FROM new.api_session_id) OR (old.fingerprint IS DISTINCT FROM new.fingerprint) OR (old.subject IS DISTINCT FROM new.subject) OR (old.valid_from IS DISTINCT FROM new.valid_from) OR (old.valid_to IS DISTINCT FROM new.valid_to)))) EXECUTE FUNCTION audit_api_session_certificates();
CREATE TRIGGER api_session_certificates_audit_in AFTER INSERT ON api_session_certificates FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION audit_api_session_certificates();
CREATE TRIGGER api_session_certificates_audit_out AFTER DELETE ON api_session_certificates FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION audit_api_session_certificates();
CREATE TRIGGER api_session_certificates_counted_in AFTER INSERT ON api_session_certificates REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_counted_out AFTER DELETE ON api_session_certificates REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_tell_added AFTER INSERT ON api_session_certificates REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_session_prints();
CREATE TRIGGER api_session_certificates_tell_gone AFTER DELETE ON api_session_certificates REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_session_prints();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER api_sessions_audit AFTER INSERT ON api_sessions FOR EACH ROW EXECUTE FUNCTION audit_api_sessions();
CREATE TRIGGER api_sessions_audit_gone AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION audit_api_sessions_gone();
CREATE TRIGGER api_sessions_audit_mfa AFTER UPDATE OF is_mfa_complete, mfa_passed_at ON api_sessions FOR EACH ROW WHEN ((new.is_mfa_complete AND (new.mfa_passed_at IS DISTINCT FROM old.mfa_passed_at))) EXECUTE FUNCTION audit_second_factors();
CREATE TRIGGER api_sessions_counted_in AFTER INSERT ON api_sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_sessions_counted_out AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_sessions_end_clients AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_clients_of_sessions();
CREATE TRIGGER api_sessions_hold_sessions BEFORE DELETE ON api_sessions FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER api_sessions_keep_uses AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_uses_of_identities();
CREATE TRIGGER api_sessions_posture_moved AFTER UPDATE OF posture_revision ON api_sessions FOR EACH ROW WHEN ((old.posture_revision <> new.posture_revision)) EXECUTE FUNCTION posture_of_session_moved();
CREATE TRIGGER api_sessions_tell_bound AFTER UPDATE OF is_certificate_bound ON api_sessions FOR EACH ROW WHEN ((old.is_certificate_bound IS DISTINCT FROM new.is_certificate_bound)) EXECUTE FUNCTION tell_session_mfa_changed();
CREATE TRIGGER api_sessions_tell_gone AFTER DELETE ON api_sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_gone();
CREATE TRIGGER api_sessions_tell_mfa AFTER UPDATE OF is_mfa_complete ON api_sessions FOR EACH ROW WHEN ((old.is_mfa_complete IS DISTINCT FROM new.is_mfa_complete)) EXECUTE FUNCTION tell_session_mfa_changed();
CREATE TRIGGER api_sessions_tell_opened AFTER INSERT ON api_sessions FOR EACH ROW EXECUTE FUNCTION tell_session_opened();
CREATE TRIGGER auth_policies_audit_change AFTER UPDATE OF name, cert_allowed, cert_allow_expired, ext_jwt_allowed, updb_allowed, updb_min_password_length, updb_require_mixed_case, updb_require_number_char, updb_require_special_char, updb_max_attempts, updb_lockout_minutes, require_totp, require_ext_jwt_signer_id, tags ON auth_policies FOR EACH ROW EXECUTE FUNCTION audit_auth_policies();
CREATE TRIGGER auth_policies_audit_in AFTER INSERT ON auth_policies FOR EACH ROW EXECUTE FUNCTION audit_auth_policies();
CREATE TRIGGER auth_policies_audit_out AFTER DELETE ON auth_policies FOR EACH ROW EXECUTE FUNCTION audit_auth_policies();
CREATE TRIGGER auth_policies_counted_in AFTER INSERT ON auth_policies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER auth_policies_counted_out AFTER DELETE ON auth_policies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER auth_policies_end_sessions AFTER UPDATE OF require_ext_jwt_signer_id ON auth_policies FOR EACH ROW WHEN (((new.require_ext_jwt_signer_id IS NOT NULL) AND (new.require_ext_jwt_signer_id IS DISTINCT FROM old.require_ext_jwt_signer_id))) EXECUTE FUNCTION end_sessions_of_policy();
CREATE TRIGGER auth_policies_narrow_grants AFTER UPDATE OF require_totp, updb_allowed, cert_allowed, ext_jwt_allowed ON auth_policies FOR EACH ROW WHEN (((new.require_totp AND (NOT old.require_totp)) OR (old.updb_allowed AND (NOT new.updb_allowed)) OR (old.cert_allowed AND (NOT new.cert_allowed)) OR (old.ext_jwt_allowed AND (NOT new.ext_jwt_allowed)))) EXECUTE FUNCTION note_moves('grants');
CREATE CONSTRAINT TRIGGER auth_policies_narrow_grants_at_commit AFTER UPDATE OF require_totp, updb_allowed, cert_allowed, ext_jwt_allowed ON auth_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.require_totp AND (NOT old.require_totp)) OR (old.updb_allowed AND (NOT new.updb_allowed)) OR (old.cert_allowed AND (NOT new.cert_allowed)) OR (old.ext_jwt_allowed AND (NOT new.ext_jwt_allowed)))) EXECUTE FUNCTION move_noted();
CREATE TRIGGER auth_policies_tell_changed AFTER UPDATE ON auth_policies FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();
CREATE TRIGGER auth_policy_signers_audit AFTER INSERT OR DELETE ON auth_policy_signers FOR EACH ROW EXECUTE FUNCTION audit_auth_policy_signers();
CREATE TRIGGER auth_policy_signers_audit_change AFTER UPDATE ON auth_policy_signers FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_auth_policy_signers();
CREATE TRIGGER auth_policy_signers_narrow_grants AFTER INSERT OR DELETE ON auth_policy_signers FOR EACH ROW EXECUTE FUNCTION note_moves('grants');
CREATE CONSTRAINT TRIGGER auth_policy_signers_narrow_grants_at_commit AFTER INSERT OR DELETE ON auth_policy_signers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER auth_policy_signers_tell_changed AFTER INSERT OR DELETE ON auth_policy_signers FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();
CREATE TRIGGER authenticators_audit_change AFTER UPDATE OF identity_id, method, username, fingerprint, ca_id, is_issued_by_network, extend_requested_at, is_key_roll_requested, unverified_fingerprint, tags, password_hash ON authenticators FOR EACH ROW EXECUTE FUNCTION audit_authenticators();
CREATE TRIGGER authenticators_audit_in AFTER INSERT ON authenticators FOR EACH ROW EXECUTE FUNCTION audit_authenticators();
CREATE TRIGGER authenticators_audit_out AFTER DELETE ON authenticators FOR EACH ROW EXECUTE FUNCTION audit_authenticators();
CREATE TRIGGER authenticators_claim_username BEFORE INSERT OR UPDATE OF username, identity_id ON authenticators FOR EACH ROW WHEN ((new.username IS NOT NULL)) EXECUTE FUNCTION claim_username();
CREATE TRIGGER authenticators_counted_in AFTER INSERT ON authenticators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER authenticators_counted_out AFTER DELETE ON authenticators REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER authenticators_end_sessions AFTER DELETE ON authenticators REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_sessions_of_authenticators();
CREATE TRIGGER authenticators_release_username AFTER DELETE ON authenticators FOR EACH ROW WHEN ((old.username IS NOT NULL)) EXECUTE FUNCTION release_username();
CREATE TRIGGER authenticators_replace_username AFTER UPDATE OF username, identity_id ON authenticators FOR EACH ROW WHEN (((old.username IS NOT NULL) AND ((old.username IS DISTINCT FROM new.username) OR (old.identity_id IS DISTINCT FROM new.identity_id)))) EXECUTE FUNCTION release_username();
CREATE TRIGGER authenticators_tell_added_print AFTER INSERT ON authenticators FOR EACH ROW WHEN ((new.fingerprint IS NOT NULL)) EXECUTE FUNCTION tell_identity_prints();
CREATE TRIGGER authenticators_tell_extension AFTER UPDATE OF extend_requested_at, is_key_roll_requested ON authenticators FOR EACH ROW WHEN (((old.extend_requested_at IS DISTINCT FROM new.extend_requested_at) OR (old.is_key_roll_requested IS DISTINCT FROM new.is_key_roll_requested))) EXECUTE FUNCTION tell_extension_changed();
CREATE TRIGGER authenticators_tell_gone_print AFTER DELETE ON authenticators FOR EACH ROW WHEN ((old.fingerprint IS NOT NULL)) EXECUTE FUNCTION tell_identity_prints();
CREATE TRIGGER authenticators_tell_new_print AFTER UPDATE OF fingerprint ON authenticators FOR EACH ROW WHEN ((old.fingerprint IS DISTINCT FROM new.fingerprint)) EXECUTE FUNCTION tell_identity_prints();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON cas REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER cas_audit_change AFTER UPDATE OF name, fingerprint, is_verified, is_auth_enabled, is_auto_ca_enrollment_enabled, is_ott_ca_enrollment_enabled, identity_roles, identity_name_format, external_id_claim, tags ON cas FOR EACH ROW EXECUTE FUNCTION audit_cas();
CREATE TRIGGER cas_audit_in AFTER INSERT ON cas FOR EACH ROW EXECUTE FUNCTION audit_cas();
CREATE TRIGGER cas_audit_out AFTER DELETE ON cas FOR EACH ROW EXECUTE FUNCTION audit_cas();
CREATE TRIGGER cas_counted_in AFTER INSERT ON cas REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER cas_counted_out AFTER DELETE ON cas REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER cas_tell_changed AFTER DELETE OR UPDATE OF is_verified, is_auth_enabled ON cas FOR EACH STATEMENT EXECUTE FUNCTION tell_cas_changed();
CREATE TRIGGER config_types_announce_model AFTER UPDATE OF name ON config_types FOR EACH ROW EXECUTE FUNCTION announce_model('configType', 'id');
CREATE TRIGGER config_types_audit_change AFTER UPDATE OF name, schema, target, tags ON config_types FOR EACH ROW EXECUTE FUNCTION audit_config_types();
CREATE TRIGGER config_types_audit_in AFTER INSERT ON config_types FOR EACH ROW EXECUTE FUNCTION audit_config_types();
CREATE TRIGGER config_types_audit_out AFTER DELETE ON config_types FOR EACH ROW EXECUTE FUNCTION audit_config_types();
CREATE TRIGGER config_types_counted_in AFTER INSERT ON config_types REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER config_types_counted_out AFTER DELETE ON config_types REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER config_types_default_target BEFORE INSERT ON config_types FOR EACH ROW WHEN ((new.target IS NULL)) EXECUTE FUNCTION default_config_target();
CREATE TRIGGER config_types_move_access AFTER UPDATE OF name ON config_types FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER config_types_move_access_at_commit AFTER UPDATE OF name ON config_types DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER configs_announce_model AFTER UPDATE OF name, data ON configs FOR EACH ROW EXECUTE FUNCTION announce_model('config', 'id');
CREATE TRIGGER configs_audit_change AFTER UPDATE OF name, config_type_id, data, tags ON configs FOR EACH ROW EXECUTE FUNCTION audit_configs();
CREATE TRIGGER configs_audit_in AFTER INSERT ON configs FOR EACH ROW EXECUTE FUNCTION audit_configs();
CREATE TRIGGER configs_audit_out AFTER DELETE ON configs FOR EACH ROW EXECUTE FUNCTION audit_configs();
CREATE TRIGGER configs_counted_in AFTER INSERT ON configs REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER configs_counted_out AFTER DELETE ON configs REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER configs_move_access AFTER INSERT OR DELETE OR UPDATE ON configs FOR EACH ROW EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER configs_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON configs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER controller_settings_audit_change AFTER UPDATE ON controller_settings FOR EACH ROW WHEN (((old.controller_id IS DISTINCT FROM new.controller_id) OR (old.redirect_uris IS DISTINCT FROM new.redirect_uris) OR (old.post_logout_uris IS DISTINCT FROM new.post_logout_uris) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION audit_controller_settings();
CREATE TRIGGER controller_settings_audit_in AFTER INSERT ON controller_settings FOR EACH ROW EXECUTE FUNCTION audit_controller_settings();
CREATE TRIGGER controller_settings_audit_out AFTER DELETE ON controller_settings FOR EACH ROW EXECUTE FUNCTION audit_controller_settings();
CREATE TRIGGER controller_settings_counted_in AFTER INSERT ON controller_settings REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER controller_settings_counted_out AFTER DELETE ON controller_settings REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER controllers_audit_change AFTER UPDATE ON controllers FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.ctrl_address IS DISTINCT FROM new.ctrl_address) OR (old.fingerprint IS DISTINCT FROM new.fingerprint) OR (old.api_addresses IS DISTINCT FROM new.api_addresses) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION audit_controllers();
CREATE TRIGGER controllers_audit_in AFTER INSERT ON controllers FOR EACH ROW EXECUTE FUNCTION audit_controllers();
CREATE TRIGGER controllers_audit_out AFTER DELETE ON controllers FOR EACH ROW EXECUTE FUNCTION audit_controllers();
CREATE TRIGGER controllers_counted_in AFTER INSERT ON controllers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER controllers_counted_out AFTER DELETE ON controllers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER edge_router_policies_announce_model AFTER INSERT OR DELETE OR UPDATE ON edge_router_policies FOR EACH ROW EXECUTE FUNCTION announce_model('edgeRouterPolicy', 'id');
CREATE TRIGGER edge_router_policies_audit_change AFTER UPDATE OF name, semantic, identity_roles, edge_router_roles, tags ON edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_edge_router_policies();
CREATE TRIGGER edge_router_policies_audit_in AFTER INSERT ON edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_edge_router_policies();
CREATE TRIGGER edge_router_policies_audit_out AFTER DELETE ON edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_edge_router_policies();
CREATE TRIGGER edge_router_policies_counted_in AFTER INSERT ON edge_router_policies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER edge_router_policies_counted_out AFTER DELETE ON edge_router_policies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER edge_router_policies_move_routing AFTER INSERT OR DELETE OR UPDATE ON edge_router_policies FOR EACH ROW EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER edge_router_policies_move_routing_at_commit AFTER INSERT OR DELETE OR UPDATE ON edge_router_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER enrollments_audit_change AFTER UPDATE OF method, identity_id, edge_router_id, transit_router_id, ca_id, username, expires_at, tags, token ON enrollments FOR EACH ROW EXECUTE FUNCTION audit_enrollments();
CREATE TRIGGER enrollments_audit_in AFTER INSERT ON enrollments FOR EACH ROW EXECUTE FUNCTION audit_enrollments();
CREATE TRIGGER enrollments_audit_out AFTER DELETE ON enrollments FOR EACH ROW EXECUTE FUNCTION audit_enrollments();
CREATE TRIGGER enrollments_claim_username BEFORE INSERT OR UPDATE OF username, identity_id ON enrollments FOR EACH ROW WHEN ((new.username IS NOT NULL)) EXECUTE FUNCTION claim_username();
CREATE TRIGGER enrollments_counted_in AFTER INSERT ON enrollments REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER enrollments_counted_out AFTER DELETE ON enrollments REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER enrollments_release_username AFTER DELETE ON enrollments FOR EACH ROW WHEN ((old.username IS NOT NULL)) EXECUTE FUNCTION release_username();
CREATE TRIGGER enrollments_replace_username AFTER UPDATE OF username, identity_id ON enrollments FOR EACH ROW WHEN (((old.username IS NOT NULL) AND ((old.username IS DISTINCT FROM new.username) OR (old.identity_id IS DISTINCT FROM new.identity_id)))) EXECUTE FUNCTION release_username();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON external_jwt_signers REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER external_jwt_signers_audit_change AFTER UPDATE OF name, issuer, audience, kid, fingerprint, common_name, not_before, not_after, jwks_endpoint, is_enabled, use_external_id, claims_property, client_id, scopes, external_auth_url, target_token, enroll_to_cert_enabled, enroll_to_token_enabled, enroll_auth_policy_id, enroll_name_claims_selector, enroll_attribute_claims_selector, tags ON external_jwt_signers FOR EACH ROW EXECUTE FUNCTION audit_external_jwt_signers();
CREATE TRIGGER external_jwt_signers_audit_in AFTER INSERT ON external_jwt_signers FOR EACH ROW EXECUTE FUNCTION audit_external_jwt_signers();
CREATE TRIGGER external_jwt_signers_audit_out AFTER DELETE ON external_jwt_signers FOR EACH ROW EXECUTE FUNCTION audit_external_jwt_signers();
CREATE TRIGGER external_jwt_signers_counted_in AFTER INSERT ON external_jwt_signers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER external_jwt_signers_counted_out AFTER DELETE ON external_jwt_signers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER external_jwt_signers_hold_sessions BEFORE DELETE ON external_jwt_signers FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER external_jwt_signers_narrow_grants AFTER UPDATE OF is_enabled ON external_jwt_signers FOR EACH ROW WHEN ((old.is_enabled AND (NOT new.is_enabled))) EXECUTE FUNCTION note_moves('grants');
CREATE CONSTRAINT TRIGGER external_jwt_signers_narrow_grants_at_commit AFTER UPDATE OF is_enabled ON external_jwt_signers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.is_enabled AND (NOT new.is_enabled))) EXECUTE FUNCTION move_noted();
CREATE TRIGGER external_jwt_signers_tell_changed AFTER DELETE OR UPDATE ON external_jwt_signers FOR EACH STATEMENT EXECUTE FUNCTION tell_auth_policy_changed();
CREATE TRIGGER fabric_services_audit_change AFTER UPDATE OF tags, name, terminator_strategy, max_idle_time_millis ON fabric_services FOR EACH ROW EXECUTE FUNCTION audit_fabric_services();
CREATE TRIGGER fabric_services_audit_in AFTER INSERT ON fabric_services FOR EACH ROW EXECUTE FUNCTION audit_fabric_services();
CREATE TRIGGER fabric_services_audit_out AFTER DELETE ON fabric_services FOR EACH ROW EXECUTE FUNCTION audit_fabric_services();
CREATE TRIGGER fabric_services_counted_in AFTER INSERT ON fabric_services REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_services_counted_out AFTER DELETE ON fabric_services REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_services_name_change AFTER UPDATE OF name ON fabric_services FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER fabric_services_name_in AFTER INSERT OR DELETE ON fabric_services FOR EACH ROW EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER fabric_terminators_audit_change AFTER UPDATE OF tags, service_id, router_id, binding, address, instance_id, host_id, cost, precedence ON fabric_terminators FOR EACH ROW EXECUTE FUNCTION audit_fabric_terminators();
CREATE TRIGGER fabric_terminators_audit_in AFTER INSERT ON fabric_terminators FOR EACH ROW EXECUTE FUNCTION audit_fabric_terminators();
CREATE TRIGGER fabric_terminators_audit_out AFTER DELETE ON fabric_terminators FOR EACH ROW EXECUTE FUNCTION audit_fabric_terminators();
CREATE TRIGGER fabric_terminators_counted_in AFTER INSERT ON fabric_terminators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER fabric_terminators_counted_out AFTER DELETE ON fabric_terminators REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON identities REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER identities_add_announce_model AFTER INSERT ON identities FOR EACH ROW WHEN ((new.type_id = 'Router'::text)) EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identities_add_router AFTER INSERT ON identities FOR EACH ROW WHEN ((new.type_id = 'Router'::text)) EXECUTE FUNCTION note_moves('access');
CREATE CONSTRAINT TRIGGER identities_add_router_at_commit AFTER INSERT ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.type_id = 'Router'::text)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER identities_announce_clients AFTER DELETE OR UPDATE OF name, role_attributes, disabled_at, disabled_until ON identities FOR EACH STATEMENT EXECUTE FUNCTION announce_identities();
CREATE TRIGGER identities_announce_model AFTER UPDATE OF name, app_data, default_hosting_cost, default_hosting_precedence, disabled_at, disabled_until, role_attributes ON identities FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identities_attributes_change AFTER UPDATE OF role_attributes ON identities FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER identities_attributes_change_at_commit AFTER UPDATE OF role_attributes ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION move_noted();
CREATE CONSTRAINT TRIGGER identities_attributes_in AFTER INSERT ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.role_attributes <> '{}'::text[])) EXECUTE FUNCTION count_new_attributes();
CREATE TRIGGER identities_attributes_out AFTER DELETE ON identities FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER identities_attributes_out_at_commit AFTER DELETE ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION move_noted();
CREATE TRIGGER identities_audit_change AFTER UPDATE OF name, type_id, is_admin, is_default_admin, external_id, auth_policy_id, role_attributes, permissions, app_data, default_hosting_cost, default_hosting_precedence, disabled_at, disabled_until, tags ON identities FOR EACH ROW EXECUTE FUNCTION audit_identities();
CREATE TRIGGER identities_audit_in AFTER INSERT ON identities FOR EACH ROW EXECUTE FUNCTION audit_identities();
CREATE TRIGGER identities_audit_out AFTER DELETE ON identities FOR EACH ROW EXECUTE FUNCTION audit_identities();
CREATE TRIGGER identities_change_router AFTER UPDATE OF name, app_data, default_hosting_cost, default_hosting_precedence, disabled_at, disabled_until ON identities FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION note_moves('access');
CREATE CONSTRAINT TRIGGER identities_change_router_at_commit AFTER UPDATE OF name, app_data, default_hosting_cost, default_hosting_precedence, disabled_at, disabled_until ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER identities_counted_in AFTER INSERT ON identities REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identities_counted_out AFTER DELETE ON identities REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identities_doubt_sessions AFTER UPDATE OF role_attributes, disabled_at, disabled_until ON identities FOR EACH ROW EXECUTE FUNCTION doubt_sessions_of_identity();
CREATE TRIGGER identities_end_sessions_by_policy AFTER UPDATE OF auth_policy_id ON identities FOR EACH ROW WHEN ((old.auth_policy_id <> new.auth_policy_id)) EXECUTE FUNCTION end_sessions_of_moved_identity();
CREATE TRIGGER identities_forget_selectors AFTER DELETE ON identities FOR EACH ROW EXECUTE FUNCTION forget_selectors_of_identities();
CREATE TRIGGER identities_hold_auth_policy BEFORE UPDATE OF is_admin, is_default_admin, permissions ON identities FOR EACH ROW EXECUTE FUNCTION hold_auth_policy();
CREATE TRIGGER identities_hold_sessions BEFORE DELETE ON identities FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER identities_move_access AFTER UPDATE OF role_attributes ON identities FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION note_moves('access');
CREATE CONSTRAINT TRIGGER identities_move_access_at_commit AFTER UPDATE OF role_attributes ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER identities_take_announce_model AFTER DELETE ON identities FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER identities_take_router AFTER DELETE ON identities FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION note_moves('access');
CREATE CONSTRAINT TRIGGER identities_take_router_at_commit AFTER DELETE ON identities DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.type_id = 'Router'::text)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER identities_tell_changed AFTER UPDATE OF name, is_admin, is_default_admin, external_id, auth_policy_id, disabled_at, disabled_until, role_attributes, permissions ON identities FOR EACH ROW EXECUTE FUNCTION tell_identity_changed();
CREATE TRIGGER identities_tell_gone AFTER DELETE ON identities FOR EACH ROW EXECUTE FUNCTION tell_identity_gone();
CREATE TRIGGER identity_hostings_announce_model AFTER INSERT OR DELETE OR UPDATE ON identity_hostings FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'identity_id');
CREATE TRIGGER identity_hostings_audit AFTER INSERT OR DELETE ON identity_hostings FOR EACH ROW EXECUTE FUNCTION audit_identity_hostings();
CREATE TRIGGER identity_hostings_audit_change AFTER UPDATE ON identity_hostings FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_identity_hostings();
CREATE TRIGGER identity_hostings_move_access AFTER INSERT OR DELETE OR UPDATE ON identity_hostings FOR EACH ROW EXECUTE FUNCTION note_moves_of_hosting();
CREATE CONSTRAINT TRIGGER identity_hostings_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON identity_hostings DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER identity_hostings_touch_identity AFTER DELETE ON identity_hostings FOR EACH ROW WHEN ((pg_trigger_depth() > 0)) EXECUTE FUNCTION touch_identity_of_hosting();
CREATE TRIGGER identity_service_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON identity_service_configs FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'identity_id');
CREATE TRIGGER identity_service_configs_audit AFTER INSERT OR DELETE ON identity_service_configs FOR EACH ROW EXECUTE FUNCTION audit_identity_service_configs();
CREATE TRIGGER identity_service_configs_audit_change AFTER UPDATE ON identity_service_configs FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_identity_service_configs();
CREATE TRIGGER identity_service_configs_move_access AFTER INSERT OR DELETE OR UPDATE ON identity_service_configs FOR EACH ROW EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER identity_service_configs_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON identity_service_configs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER identity_traces_audit AFTER INSERT OR DELETE ON identity_traces FOR EACH ROW EXECUTE FUNCTION audit_identity_traces();
CREATE TRIGGER identity_traces_audit_change AFTER UPDATE ON identity_traces FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_identity_traces();
CREATE TRIGGER identity_traces_tell_changed AFTER INSERT OR DELETE OR UPDATE ON identity_traces FOR EACH ROW EXECUTE FUNCTION tell_trace_changed();
CREATE TRIGGER identity_types_counted_in AFTER INSERT ON identity_types REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER identity_types_counted_out AFTER DELETE ON identity_types REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER mfas_audit_change AFTER UPDATE ON mfas FOR EACH ROW WHEN ((((old.sealed_codes IS DISTINCT FROM new.sealed_codes) AND (old.sealed_secret = new.sealed_secret) AND (cardinality(new.sealed_codes) >= cardinality(old.sealed_codes))) OR (old.identity_id IS DISTINCT FROM new.identity_id) OR (old.is_verified IS DISTINCT FROM new.is_verified))) EXECUTE FUNCTION audit_mfas();
CREATE TRIGGER mfas_audit_in AFTER INSERT ON mfas FOR EACH ROW EXECUTE FUNCTION audit_mfas();
CREATE TRIGGER mfas_audit_out AFTER DELETE ON mfas FOR EACH ROW EXECUTE FUNCTION audit_mfas();
CREATE TRIGGER mfas_counted_in AFTER INSERT ON mfas REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER mfas_counted_out AFTER DELETE ON mfas REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER mfas_doubt_sessions AFTER UPDATE OF is_verified ON mfas FOR EACH ROW WHEN ((new.is_verified AND (NOT old.is_verified))) EXECUTE FUNCTION doubt_sessions_of_enrolled();
CREATE TRIGGER mfas_forgotten_of_sessions AFTER DELETE ON mfas FOR EACH ROW EXECUTE FUNCTION forget_mfa_of_sessions();
CREATE TRIGGER mfas_tell_verified AFTER UPDATE OF is_verified ON mfas FOR EACH ROW EXECUTE FUNCTION tell_mfa_verified();
CREATE TRIGGER network_audit_change AFTER UPDATE ON network FOR EACH ROW WHEN (((old.master_key_check <> new.master_key_check) OR (old.trust_domain <> new.trust_domain) OR (old.advertise <> new.advertise))) EXECUTE FUNCTION audit_network();
CREATE TRIGGER pki_entities_audit AFTER INSERT OR DELETE ON pki_entities FOR EACH ROW EXECUTE FUNCTION audit_pki_entities();
CREATE TRIGGER pki_entities_audit_change AFTER UPDATE ON pki_entities FOR EACH ROW WHEN (((old.purpose <> new.purpose) OR (old.generation <> new.generation) OR (old.fingerprint <> new.fingerprint) OR (old.not_before <> new.not_before) OR (old.not_after <> new.not_after) OR (old.retired_at IS DISTINCT FROM new.retired_at))) EXECUTE FUNCTION audit_pki_entities();
CREATE TRIGGER posture_check_types_counted_in AFTER INSERT ON posture_check_types REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_check_types_counted_out AFTER DELETE ON posture_check_types REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_checks_announce_clients AFTER UPDATE OF name, criteria ON posture_checks FOR EACH ROW EXECUTE FUNCTION announce_model('postureCheck', 'id');
CREATE TRIGGER posture_checks_announce_model AFTER INSERT OR DELETE OR UPDATE OF role_attributes ON posture_checks FOR EACH ROW EXECUTE FUNCTION announce_model('postureCheck', 'id');
CREATE TRIGGER posture_checks_attributes_change AFTER UPDATE OF role_attributes ON posture_checks FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER posture_checks_attributes_change_at_commit AFTER UPDATE OF role_attributes ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION move_noted();
CREATE CONSTRAINT TRIGGER posture_checks_attributes_in AFTER INSERT ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.role_attributes <> '{}'::text[])) EXECUTE FUNCTION count_new_attributes();
CREATE TRIGGER posture_checks_attributes_out AFTER DELETE ON posture_checks FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER posture_checks_attributes_out_at_commit AFTER DELETE ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION move_noted();
CREATE TRIGGER posture_checks_audit_change AFTER UPDATE OF name, type_id, role_attributes, criteria, tags ON posture_checks FOR EACH ROW EXECUTE FUNCTION audit_posture_checks();
CREATE TRIGGER posture_checks_audit_in AFTER INSERT ON posture_checks FOR EACH ROW EXECUTE FUNCTION audit_posture_checks();
CREATE TRIGGER posture_checks_audit_out AFTER DELETE ON posture_checks FOR EACH ROW EXECUTE FUNCTION audit_posture_checks();
CREATE TRIGGER posture_checks_change_grants AFTER UPDATE OF criteria ON posture_checks FOR EACH ROW WHEN ((old.criteria IS DISTINCT FROM new.criteria)) EXECUTE FUNCTION note_narrowing();
CREATE CONSTRAINT TRIGGER posture_checks_change_grants_at_commit AFTER UPDATE OF criteria ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.criteria IS DISTINCT FROM new.criteria)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER posture_checks_counted_in AFTER INSERT ON posture_checks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_checks_counted_out AFTER DELETE ON posture_checks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER posture_checks_forget_selectors AFTER DELETE ON posture_checks FOR EACH ROW EXECUTE FUNCTION forget_selectors_of_posture_checks();
CREATE TRIGGER posture_checks_move_access AFTER INSERT OR DELETE OR UPDATE ON posture_checks FOR EACH ROW EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER posture_checks_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER posture_checks_narrow_grants AFTER INSERT OR UPDATE OF role_attributes ON posture_checks FOR EACH ROW EXECUTE FUNCTION note_narrowing();
CREATE CONSTRAINT TRIGGER posture_checks_narrow_grants_at_commit AFTER INSERT OR UPDATE OF role_attributes ON posture_checks DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER quiesced_routers_audit_change AFTER UPDATE ON quiesced_routers FOR EACH ROW EXECUTE FUNCTION audit_quiesced_routers();
CREATE TRIGGER quiesced_routers_audit_in AFTER INSERT ON quiesced_routers FOR EACH ROW EXECUTE FUNCTION audit_quiesced_routers();
CREATE TRIGGER quiesced_routers_audit_out AFTER DELETE ON quiesced_routers FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION audit_quiesced_routers();
CREATE TRIGGER revocations_audit_change AFTER UPDATE ON revocations FOR EACH ROW WHEN (((old.type IS DISTINCT FROM new.type) OR (old.issued_before IS DISTINCT FROM new.issued_before) OR (old.expires_at IS DISTINCT FROM new.expires_at) OR (old.tags IS DISTINCT FROM new.tags))) EXECUTE FUNCTION audit_revocations();
CREATE TRIGGER revocations_audit_in AFTER INSERT ON revocations FOR EACH ROW EXECUTE FUNCTION audit_revocations();
CREATE TRIGGER revocations_audit_out AFTER DELETE ON revocations FOR EACH ROW EXECUTE FUNCTION audit_revocations();
CREATE TRIGGER revocations_counted_in AFTER INSERT ON revocations REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER revocations_counted_out AFTER DELETE ON revocations REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER revocations_end_client AFTER INSERT OR UPDATE ON revocations FOR EACH ROW WHEN ((new.type = 'JTI'::text)) EXECUTE FUNCTION end_client_of_token();
CREATE TRIGGER revocations_tell_token AFTER INSERT OR UPDATE ON revocations FOR EACH ROW WHEN ((new.type = 'JTI'::text)) EXECUTE FUNCTION tell_token_revoked();
CREATE TRIGGER router_channels_move_presence AFTER INSERT OR DELETE ON router_channels FOR EACH ROW EXECUTE FUNCTION note_moves('presence');
CREATE CONSTRAINT TRIGGER router_channels_move_presence_at_commit AFTER INSERT OR DELETE ON router_channels DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER router_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON router_configs FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'router_id');
CREATE TRIGGER router_configs_audit AFTER INSERT OR DELETE ON router_configs FOR EACH ROW EXECUTE FUNCTION audit_router_configs();
CREATE TRIGGER router_configs_audit_change AFTER UPDATE ON router_configs FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_router_configs();
CREATE TRIGGER router_configs_move_routing AFTER INSERT OR DELETE OR UPDATE ON router_configs FOR EACH ROW EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER router_configs_move_routing_at_commit AFTER INSERT OR DELETE OR UPDATE ON router_configs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER router_link_settings_audit_change AFTER UPDATE ON router_link_settings FOR EACH ROW WHEN (((old.static_cost IS DISTINCT FROM new.static_cost) OR (old.is_down IS DISTINCT FROM new.is_down))) EXECUTE FUNCTION audit_router_link_settings();
CREATE TRIGGER router_link_settings_audit_in AFTER INSERT ON router_link_settings FOR EACH ROW EXECUTE FUNCTION audit_router_link_settings();
CREATE TRIGGER router_link_settings_audit_out AFTER DELETE ON router_link_settings FOR EACH ROW EXECUTE FUNCTION audit_router_link_settings();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON routers REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER routers_announce_model AFTER INSERT OR DELETE OR UPDATE OF name, role_attributes, is_edge, is_tunneler_enabled, fingerprint, disabled ON routers FOR EACH ROW EXECUTE FUNCTION announce_model('router', 'id');
CREATE TRIGGER routers_attributes_change AFTER UPDATE OF role_attributes ON routers FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER routers_attributes_change_at_commit AFTER UPDATE OF role_attributes ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION move_noted();
CREATE CONSTRAINT TRIGGER routers_attributes_in AFTER INSERT ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.role_attributes <> '{}'::text[])) EXECUTE FUNCTION count_new_attributes();
CREATE TRIGGER routers_attributes_out AFTER DELETE ON routers FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER routers_attributes_out_at_commit AFTER DELETE ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION move_noted();
CREATE TRIGGER routers_audit_change AFTER UPDATE OF name, cost, no_traversal, disabled, is_tunneler_enabled, role_attributes, app_data, ctrl_chan_listeners, fingerprint, unverified_fingerprint, server_names, tags ON routers FOR EACH ROW EXECUTE FUNCTION audit_routers();
CREATE TRIGGER routers_audit_in AFTER INSERT ON routers FOR EACH ROW EXECUTE FUNCTION audit_routers();
CREATE TRIGGER routers_audit_out AFTER DELETE ON routers FOR EACH ROW EXECUTE FUNCTION audit_routers();
CREATE TRIGGER routers_change_model AFTER UPDATE OF fingerprint ON routers FOR EACH ROW WHEN ((old.fingerprint IS DISTINCT FROM new.fingerprint)) EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER routers_change_model_at_commit AFTER UPDATE OF fingerprint ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.fingerprint IS DISTINCT FROM new.fingerprint)) EXECUTE FUNCTION move_noted();
CREATE TRIGGER routers_change_routing AFTER UPDATE OF name, role_attributes, is_edge ON routers FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.role_attributes IS DISTINCT FROM new.role_attributes) OR (old.is_edge IS DISTINCT FROM new.is_edge))) EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER routers_change_routing_at_commit AFTER UPDATE OF name, role_attributes, is_edge ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.role_attributes IS DISTINCT FROM new.role_attributes) OR (old.is_edge IS DISTINCT FROM new.is_edge))) EXECUTE FUNCTION move_noted();
CREATE TRIGGER routers_counted_in AFTER INSERT ON routers REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER routers_counted_out AFTER DELETE ON routers REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER routers_forget_selectors AFTER DELETE ON routers FOR EACH ROW EXECUTE FUNCTION forget_selectors_of_routers();
CREATE TRIGGER routers_move_routing AFTER INSERT OR DELETE ON routers FOR EACH ROW EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER routers_move_routing_at_commit AFTER INSERT OR DELETE ON routers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER routers_tell_changed AFTER UPDATE OF fingerprint, disabled, cost, no_traversal ON routers FOR EACH ROW WHEN (((((old.fingerprint IS DISTINCT FROM new.fingerprint) OR (old.disabled IS DISTINCT FROM new.disabled)) OR (old.cost IS DISTINCT FROM new.cost)) OR (old.no_traversal IS DISTINCT FROM new.no_traversal))) EXECUTE FUNCTION tell_router_changed();
CREATE TRIGGER routers_tell_gone AFTER DELETE ON routers FOR EACH ROW EXECUTE FUNCTION tell_router_changed();
CREATE TRIGGER service_configs_announce_model AFTER INSERT OR DELETE OR UPDATE ON service_configs FOR EACH ROW EXECUTE FUNCTION announce_model('service', 'service_id');
CREATE TRIGGER service_configs_audit AFTER INSERT OR DELETE ON service_configs FOR EACH ROW EXECUTE FUNCTION audit_service_configs();
CREATE TRIGGER service_configs_audit_change AFTER UPDATE ON service_configs FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION audit_service_configs();
CREATE TRIGGER service_configs_move_access AFTER INSERT OR DELETE OR UPDATE ON service_configs FOR EACH ROW EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER service_configs_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON service_configs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER service_edge_router_policies_announce_model AFTER INSERT OR DELETE OR UPDATE ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION announce_model('serviceEdgeRouterPolicy', 'id');
CREATE TRIGGER service_edge_router_policies_audit_change AFTER UPDATE OF name, semantic, service_roles, edge_router_roles, tags ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_service_edge_router_policies();
CREATE TRIGGER service_edge_router_policies_audit_in AFTER INSERT ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_service_edge_router_policies();
CREATE TRIGGER service_edge_router_policies_audit_out AFTER DELETE ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION audit_service_edge_router_policies();
CREATE TRIGGER service_edge_router_policies_counted_in AFTER INSERT ON service_edge_router_policies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_edge_router_policies_counted_out AFTER DELETE ON service_edge_router_policies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_edge_router_policies_move_routing AFTER INSERT OR DELETE OR UPDATE ON service_edge_router_policies FOR EACH ROW EXECUTE FUNCTION note_moves('routing');
CREATE CONSTRAINT TRIGGER service_edge_router_policies_move_routing_at_commit AFTER INSERT OR DELETE OR UPDATE ON service_edge_router_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER service_policies_announce_model AFTER INSERT OR DELETE OR UPDATE ON service_policies FOR EACH ROW EXECUTE FUNCTION announce_model('servicePolicy', 'id');
CREATE TRIGGER service_policies_audit_change AFTER UPDATE OF name, type, semantic, identity_roles, service_roles, posture_check_roles, tags ON service_policies FOR EACH ROW EXECUTE FUNCTION audit_service_policies();
CREATE TRIGGER service_policies_audit_in AFTER INSERT ON service_policies FOR EACH ROW EXECUTE FUNCTION audit_service_policies();
CREATE TRIGGER service_policies_audit_out AFTER DELETE ON service_policies FOR EACH ROW EXECUTE FUNCTION audit_service_policies();
CREATE TRIGGER service_policies_counted_in AFTER INSERT ON service_policies REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_policies_counted_out AFTER DELETE ON service_policies REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER service_policies_move_access AFTER INSERT OR DELETE OR UPDATE ON service_policies FOR EACH ROW EXECUTE FUNCTION note_moves('access');
CREATE CONSTRAINT TRIGGER service_policies_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON service_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER service_policies_move_grants AFTER DELETE ON service_policies FOR EACH ROW EXECUTE FUNCTION note_narrowing();
CREATE CONSTRAINT TRIGGER service_policies_move_grants_at_commit AFTER DELETE ON service_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER service_policies_narrow_grants AFTER UPDATE OF type, semantic, identity_roles, service_roles, posture_check_roles ON service_policies FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND ((old.type <> new.type) OR (old.semantic <> new.semantic) OR (old.posture_check_roles <> new.posture_check_roles) OR ((old.identity_roles <> new.identity_roles) AND (new.identity_roles <> '{#all}'::text[]) AND (NOT ((new.semantic = 'AnyOf'::text) AND (old.identity_roles <> '{#all}'::text[]) AND (new.identity_roles @> old.identity_roles)))) OR ((old.service_roles <> new.service_roles) AND (new.service_roles <> '{#all}'::text[]) AND (NOT ((new.semantic = 'AnyOf'::text) AND (old.service_roles <> '{#all}'::text[]) AND (new.service_roles @> old.service_roles))))))) EXECUTE FUNCTION note_narrowing();
CREATE CONSTRAINT TRIGGER service_policies_narrow_grants_at_commit AFTER UPDATE OF type, semantic, identity_roles, service_roles, posture_check_roles ON service_policies DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND ((old.type <> new.type) OR (old.semantic <> new.semantic) OR (old.posture_check_roles <> new.posture_check_roles) OR ((old.identity_roles <> new.identity_roles) AND (new.identity_roles <> '{#all}'::text[]) AND (NOT ((new.semantic = 'AnyOf'::text) AND (old.identity_roles <> '{#all}'::text[]) AND (new.identity_roles @> old.identity_roles)))) OR ((old.service_roles <> new.service_roles) AND (new.service_roles <> '{#all}'::text[]) AND (NOT ((new.semantic = 'AnyOf'::text) AND (old.service_roles <> '{#all}'::text[]) AND (new.service_roles @> old.service_roles))))))) EXECUTE FUNCTION move_noted();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON services REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER services_announce_model AFTER INSERT OR DELETE OR UPDATE OF name, encryption_required, role_attributes ON services FOR EACH ROW EXECUTE FUNCTION announce_model('service', 'id');
CREATE TRIGGER services_attributes_change AFTER UPDATE OF role_attributes ON services FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER services_attributes_change_at_commit AFTER UPDATE OF role_attributes ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes IS DISTINCT FROM new.role_attributes)) EXECUTE FUNCTION move_noted();
CREATE CONSTRAINT TRIGGER services_attributes_in AFTER INSERT ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.role_attributes <> '{}'::text[])) EXECUTE FUNCTION count_new_attributes();
CREATE TRIGGER services_attributes_out AFTER DELETE ON services FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION note_role_attributes();
CREATE CONSTRAINT TRIGGER services_attributes_out_at_commit AFTER DELETE ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role_attributes <> '{}'::text[])) EXECUTE FUNCTION move_noted();
CREATE TRIGGER services_audit_change AFTER UPDATE OF tags, name, encryption_required, terminator_strategy, max_idle_time_millis, role_attributes ON services FOR EACH ROW EXECUTE FUNCTION audit_services();
CREATE TRIGGER services_audit_in AFTER INSERT ON services FOR EACH ROW EXECUTE FUNCTION audit_services();
CREATE TRIGGER services_audit_out AFTER DELETE ON services FOR EACH ROW EXECUTE FUNCTION audit_services();
CREATE TRIGGER services_counted_in AFTER INSERT ON services REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER services_counted_out AFTER DELETE ON services REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER services_forget_selectors AFTER DELETE ON services FOR EACH ROW EXECUTE FUNCTION forget_selectors_of_services();
CREATE TRIGGER services_hold_sessions BEFORE DELETE ON services FOR EACH ROW EXECUTE FUNCTION hold_sessions();
CREATE TRIGGER services_move_access AFTER INSERT OR DELETE OR UPDATE ON services FOR EACH ROW EXECUTE FUNCTION note_moves('content');
CREATE CONSTRAINT TRIGGER services_move_access_at_commit AFTER INSERT OR DELETE OR UPDATE ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION move_noted();
CREATE TRIGGER services_name_change AFTER UPDATE OF name ON services FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER services_name_in AFTER INSERT OR DELETE ON services FOR EACH ROW EXECUTE FUNCTION keep_service_name();
CREATE TRIGGER services_narrow_grants AFTER UPDATE OF role_attributes ON services FOR EACH ROW WHEN ((NOT (new.role_attributes @> old.role_attributes))) EXECUTE FUNCTION note_narrowing();
CREATE CONSTRAINT TRIGGER services_narrow_grants_at_commit AFTER UPDATE OF role_attributes ON services DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((NOT (new.role_attributes @> old.role_attributes))) EXECUTE FUNCTION move_noted();
CREATE TRIGGER "Delete_dependents" AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone FOR EACH ROW EXECUTE FUNCTION delete_dependents();
CREATE TRIGGER sessions_audit_out AFTER DELETE ON sessions FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION audit_sessions();
CREATE TRIGGER sessions_counted_in AFTER INSERT ON sessions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER sessions_counted_out AFTER DELETE ON sessions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER sessions_refuse_partial_logins BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION refuse_sessions_of_partial_logins();
CREATE TRIGGER sessions_tell_ended AFTER DELETE ON sessions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION tell_sessions_ended();
CREATE TRIGGER terminators_audit_change AFTER UPDATE OF service_id, router_id, binding, address, instance_id, cost, precedence, tags ON terminators FOR EACH ROW EXECUTE FUNCTION audit_terminators();
CREATE TRIGGER terminators_audit_in AFTER INSERT ON terminators FOR EACH ROW WHEN ((NOT new.is_system)) EXECUTE FUNCTION audit_terminators();
CREATE TRIGGER terminators_audit_out AFTER DELETE ON terminators FOR EACH ROW WHEN (((NOT old.is_system) OR (pg_trigger_depth() = 0))) EXECUTE FUNCTION audit_terminators();
CREATE TRIGGER terminators_counted_in AFTER INSERT ON terminators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER terminators_counted_out AFTER DELETE ON terminators REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER terminators_tell_changed AFTER UPDATE ON terminators REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_moved();
CREATE TRIGGER terminators_tell_gone AFTER DELETE ON terminators REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
CREATE TRIGGER terminators_tell_new AFTER INSERT ON terminators REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tell_terminators_changed();
CREATE TRIGGER usage_hours_keep_uses AFTER INSERT ON usage_hours REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_uses_of_services();
CREATE TRIGGER webhook_dead_letters_announce AFTER UPDATE OF is_due ON webhook_dead_letters FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();
CREATE TRIGGER webhook_dead_letters_counted_in AFTER INSERT ON webhook_dead_letters REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER webhook_dead_letters_counted_out AFTER DELETE ON webhook_dead_letters REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER webhooks_announce AFTER INSERT OR DELETE OR UPDATE ON webhooks FOR EACH STATEMENT EXECUTE FUNCTION announce_webhooks();
CREATE TRIGGER webhooks_audit_change AFTER UPDATE ON webhooks FOR EACH ROW WHEN (((((((old.name IS DISTINCT FROM new.name) OR (old.url IS DISTINCT FROM new.url)) OR (old.kinds IS DISTINCT FROM new.kinds)) OR (old.is_enabled IS DISTINCT FROM new.is_enabled)) OR (old.tags IS DISTINCT FROM new.tags)) OR (old.secret_set_at IS DISTINCT FROM new.secret_set_at))) EXECUTE FUNCTION audit_webhooks();
CREATE TRIGGER webhooks_audit_in AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION audit_webhooks();
CREATE TRIGGER webhooks_audit_out AFTER DELETE ON webhooks FOR EACH ROW EXECUTE FUNCTION audit_webhooks();
CREATE TRIGGER webhooks_begin AFTER INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION begin_webhook_progress();
CREATE TRIGGER webhooks_counted_in AFTER INSERT ON webhooks REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER webhooks_counted_out AFTER DELETE ON webhooks REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
