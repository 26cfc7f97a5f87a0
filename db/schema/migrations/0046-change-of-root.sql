-- The root can be changed: its successor has a certificate by it as well, and it is trusted until it is retired.
ALTER TABLE pki_entities
  ADD COLUMN cross_pem text NOT NULL DEFAULT '',
  ADD COLUMN retired_at timestamptz(3);

CREATE OR REPLACE FUNCTION audit_pki_entities()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM record_audit('pki.deleted', 'pki', OLD.purpose || ':' || OLD.generation, OLD.purpose,
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after, 'retiredAt', OLD.retired_at), NULL);
  ELSIF TG_OP = 'INSERT' THEN
    PERFORM record_audit(CASE NEW.generation WHEN 1 THEN 'pki.created' ELSE 'pki.renewed' END, 'pki',
      NEW.purpose || ':' || NEW.generation, NEW.purpose, NULL,
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after, 'retiredAt', NEW.retired_at));
  ELSE
    PERFORM record_audit('pki.updated', 'pki', NEW.purpose || ':' || NEW.generation, NEW.purpose, c.before, c.after)
    FROM audit_changes(
      jsonb_build_object('purpose', OLD.purpose, 'generation', OLD.generation, 'fingerprint', OLD.fingerprint,
        'notBefore', OLD.not_before, 'notAfter', OLD.not_after, 'retiredAt', OLD.retired_at),
      jsonb_build_object('purpose', NEW.purpose, 'generation', NEW.generation, 'fingerprint', NEW.fingerprint,
        'notBefore', NEW.not_before, 'notAfter', NEW.not_after, 'retiredAt', NEW.retired_at)) c;
  END IF;
  RETURN NULL;
END $function$;

DROP TRIGGER pki_entities_audit_change ON pki_entities;
CREATE TRIGGER pki_entities_audit_change AFTER UPDATE ON pki_entities FOR EACH ROW
  WHEN (OLD.purpose <> NEW.purpose OR OLD.generation <> NEW.generation OR OLD.fingerprint <> NEW.fingerprint
    OR OLD.not_before <> NEW.not_before OR OLD.not_after <> NEW.not_after
    OR OLD.retired_at IS DISTINCT FROM NEW.retired_at)
  EXECUTE FUNCTION audit_pki_entities();
