-- Requests take no empty text where it can mean nothing. What earlier releases took goes: an empty role attribute,
-- which no role names, an empty scope, and a terminator without an address or a binding, which no router can use.
UPDATE identities SET role_attributes = array_remove(role_attributes, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE role_attributes @> '{""}';
UPDATE services SET role_attributes = array_remove(role_attributes, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE role_attributes @> '{""}';
UPDATE routers SET role_attributes = array_remove(role_attributes, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE role_attributes @> '{""}';
UPDATE posture_checks SET role_attributes = array_remove(role_attributes, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE role_attributes @> '{""}';
UPDATE cas SET identity_roles = array_remove(identity_roles, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE identity_roles @> '{""}';
UPDATE external_jwt_signers SET scopes = array_remove(scopes, ''),
  updated_at = greatest(now(), updated_at + interval '1 ms') WHERE scopes @> '{""}';
DELETE FROM terminators WHERE address = '' OR binding = '';
