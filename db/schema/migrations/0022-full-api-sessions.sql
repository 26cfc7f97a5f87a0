-- Whether an API session is fully authenticated, for statements that ask about many: as a function in their FROM it
-- becomes part of their plan. Called for each row it took four times as long as all else that a grant depends on.
CREATE FUNCTION full_api_session(wanted text) RETURNS SETOF text LANGUAGE sql STABLE ROWS 1 AS $$
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
$$;
CREATE OR REPLACE FUNCTION is_fully_authenticated(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM full_api_session(wanted))
$$;
