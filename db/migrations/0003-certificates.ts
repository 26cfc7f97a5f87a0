/**
 * Certificates: the authorities of others that a network trusts, what an authenticator of method `cert` has beside its
 * certificate, the short-lived certificates of API sessions, and a record of everything that the network issued.
 */
import type { Knex } from 'knex';

const base = `
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  tags jsonb NOT NULL DEFAULT '{}',
  is_system boolean NOT NULL DEFAULT false`;

const cas = `
CREATE TABLE cas (${base},
  name text COLLATE "C" NOT NULL,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  is_verified boolean NOT NULL DEFAULT false,
  verification_token uuid NOT NULL,
  is_auth_enabled boolean NOT NULL,
  is_auto_ca_enrollment_enabled boolean NOT NULL,
  is_ott_ca_enrollment_enabled boolean NOT NULL,
  identity_roles text[] COLLATE "C" NOT NULL DEFAULT '{}',
  identity_name_format text NOT NULL,
  external_id_claim jsonb,
  CONSTRAINT cas_pkey PRIMARY KEY (id),
  CONSTRAINT cas_name_key UNIQUE (name),
  CONSTRAINT cas_fingerprint_key UNIQUE (fingerprint)
);
ALTER TABLE enrollments ADD CONSTRAINT enrollments_ca_fkey FOREIGN KEY (ca_id) REFERENCES cas (id) ON DELETE CASCADE;
CREATE INDEX enrollments_ca ON enrollments (ca_id) WHERE ca_id IS NOT NULL;`;

const authenticators = `
-- The certificate that was issued to extend one waits in the unverified columns until its holder shows it.
ALTER TABLE authenticators
  ADD COLUMN ca_id text COLLATE "C" CONSTRAINT authenticators_ca_fkey REFERENCES cas (id) ON DELETE CASCADE,
  ADD COLUMN public_key_print text COLLATE "C",
  ADD COLUMN is_issued_by_network boolean NOT NULL DEFAULT false,
  ADD COLUMN last_auth_resolved_to_root boolean NOT NULL DEFAULT false,
  ADD COLUMN extend_requested_at timestamptz(3),
  ADD COLUMN is_key_roll_requested boolean NOT NULL DEFAULT false,
  ADD COLUMN last_extend_rolled_keys boolean NOT NULL DEFAULT false,
  ADD COLUMN unverified_cert_pem text,
  ADD COLUMN unverified_fingerprint text COLLATE "C",
  ADD COLUMN unverified_public_key_print text COLLATE "C";
CREATE INDEX authenticators_ca ON authenticators (ca_id) WHERE ca_id IS NOT NULL;

-- What an authenticator opened ends with it, however it goes.
CREATE FUNCTION end_sessions_of_authenticators() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM api_sessions s USING gone WHERE s.authenticator_id = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER authenticators_end_sessions AFTER DELETE ON authenticators
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION end_sessions_of_authenticators();

-- API sessions show whether their certificate shall be extended: controllers that hold a copy read it anew.
CREATE FUNCTION tell_extension_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM api_sessions WHERE authenticator_id = NEW.id) THEN
    PERFORM pg_notify('edge', 'identity ' || NEW.identity_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER authenticators_tell_extension AFTER UPDATE OF extend_requested_at, is_key_roll_requested ON authenticators
  FOR EACH ROW WHEN ((OLD.extend_requested_at, OLD.is_key_roll_requested) IS DISTINCT FROM (NEW.extend_requested_at, NEW.is_key_roll_requested))
  EXECUTE FUNCTION tell_extension_changed();`;

const sessions = `
-- An identity that a claim in its certificate names has no authenticator: its session hangs on the CA.
ALTER TABLE api_sessions
  ADD COLUMN ca_id text COLLATE "C" CONSTRAINT api_sessions_ca_fkey REFERENCES cas (id) ON DELETE CASCADE;
CREATE INDEX api_sessions_ca ON api_sessions (ca_id) WHERE ca_id IS NOT NULL;

CREATE TABLE api_session_certificates (${base},
  api_session_id text COLLATE "C" NOT NULL
    CONSTRAINT api_session_certificates_session_fkey REFERENCES api_sessions (id) ON DELETE CASCADE,
  cert_pem text NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  valid_from timestamptz(3) NOT NULL,
  valid_to timestamptz(3) NOT NULL,
  CONSTRAINT api_session_certificates_pkey PRIMARY KEY (id),
  CONSTRAINT api_session_certificates_fingerprint_key UNIQUE (fingerprint)
);
CREATE INDEX api_session_certificates_session ON api_session_certificates (api_session_id, id);
CREATE INDEX api_session_certificates_end ON api_session_certificates (valid_to);`;

const issued = `
-- Written in the transaction that hands a certificate out. The subject may be gone: no reference.
CREATE TABLE issued_certificates (
  serial_number text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CONSTRAINT issued_certificates_kind
    CHECK (kind IN ('identity', 'apiSession', 'router', 'routerServer', 'server', 'intermediate')),
  subject_id text COLLATE "C" NOT NULL,
  issuer_fingerprint text COLLATE "C" NOT NULL,
  not_before timestamptz(3) NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT issued_certificates_pkey PRIMARY KEY (serial_number)
);
CREATE INDEX issued_certificates_subject ON issued_certificates (subject_id, created_at);
CREATE INDEX issued_certificates_end ON issued_certificates (not_after);`;

const counts = `
CREATE TRIGGER cas_counted_in AFTER INSERT ON cas
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER cas_counted_out AFTER DELETE ON cas
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_counted_in AFTER INSERT ON api_session_certificates
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();
CREATE TRIGGER api_session_certificates_counted_out AFTER DELETE ON api_session_certificates
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_entities();`;

export async function up(knex: Knex): Promise<void> {
  for (const part of [cas, authenticators, sessions, issued, counts]) await knex.raw(part);
}

export async function down(): Promise<void> {
  throw new Error('migrations only go forward: restore a backup to go back');
}
