/**
 * What a network holds that is in use, beyond lab/explain/fill.ts: devices under posture and what they reported,
 * routers that are connected, hosted terminators, certificates, revocations.
 */
import { CHECKS, GROUPS, ROUTERS, WITH_SESSION, idSql, name, upTo } from './scale.js';
import type { Scale } from './scale.js';

/** Identities of this department may dial one more group of services, under posture alone. */
export const GUARDED = 10;
export const GUARDED_APP = 11;
/** Identities of this department host services, two in each of their API sessions. */
export const HOSTING = 4;
export const HOSTED_EACH = 2;
export const HOSTS = 2;
export const REVOCATIONS = 10_000;
export const FAILED_EACH = 50;

/** An identity's number of one of its department. Only even ones have an API session. */
const nth = (department: number) => `${GROUPS} * i + ${department}`;
const apiSessionOf = (identity: string) => idSql('api-session', `(${identity}) / ${WITH_SESSION}`);
const currentEpoch = "(SELECT epoch FROM model_epochs WHERE name = 'grants')";

export function liveStatements({ identities, services }: Scale): string[] {
  const perDepartment = Math.max(1, Math.floor(identities / GROUPS));
  const perGroup = Math.max(1, Math.floor(services / GROUPS));
  const authenticated = Math.floor(identities / WITH_SESSION);
  const guarded = nth(GUARDED);
  const hosting = `${GROUPS} * (i / ${HOSTED_EACH}) + ${HOSTING}`;
  const hosted = `(i * 7 + 3) % ${services}`;
  return [
    `INSERT INTO service_policies (id, name, type, semantic, identity_roles, service_roles, posture_check_roles)
     VALUES (${idSql('policy', '1000')}, 'bench-guarded', 'Dial', 'AnyOf', '{#bench-dept-${GUARDED}}',
       '{#bench-app-${GUARDED_APP}}', '{#bench-check}'),
      (${idSql('policy', '1001')}, 'bench-hosting', 'Bind', 'AnyOf', '{#bench-dept-${HOSTING}}', '{#all}', '{}')`,
    `INSERT INTO api_session_postures (api_session_id, reported)
     SELECT ${idSql('api-session', 'i')}, jsonb_build_object('os', NULL, 'mac', jsonb_build_object(
       'checkId', ${idSql('check', `i % ${CHECKS}`)}, 'at', '2026-01-01T00:00:00.000Z', 'addresses',
       jsonb_build_array(left(md5('mac-' || i), 12))), 'domain', jsonb_build_object('checkId', ${idSql('check', '0')},
       'at', '2026-01-01T00:00:00.000Z', 'domain', 'example.org'), 'processes', '[]'::jsonb)
     FROM ${upTo(authenticated)}`,
    `INSERT INTO api_session_views (api_session_id, epoch, posture_revision, digest, changed_at)
     SELECT ${apiSessionOf(guarded)}, 1, 0, sha256(convert_to('view-' || i, 'UTF8')), '2026-01-01'
     FROM ${upTo(perDepartment)}`,
    `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch, granted_until)
     SELECT ${idSql('session', `'guarded-' || i`)}, ${apiSessionOf(guarded)}, ${idSql('identity', guarded)},
       ${idSql('service', `${GUARDED_APP} + ${GROUPS} * (i % ${perGroup})`)}, 'Dial',
       repeat(md5('guarded token-' || i), 16), ${currentEpoch}, '2100-01-01'::timestamptz + i * interval '1 second'
     FROM ${upTo(perDepartment)}`,
    `INSERT INTO failed_service_requests
       (identity_id, api_session_id, service_id, service_name, session_type, policy_failures)
     SELECT ${idSql('identity', `${GROUPS} * (i / ${FAILED_EACH}) + ${GUARDED}`)},
       ${apiSessionOf(`${GROUPS} * (i / ${FAILED_EACH}) + ${GUARDED}`)}, ${idSql('service', `${GUARDED_APP}`)},
       'refused', 'Dial', '[]' FROM ${upTo(Math.min(20_000, perDepartment) * FAILED_EACH)}`,
    `INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
     SELECT ${idSql('session', `'hosting-' || i`)}, ${apiSessionOf(hosting)}, ${idSql('identity', hosting)},
       ${idSql('service', hosted)}, 'Bind', repeat(md5('hosting token-' || i), 16), ${currentEpoch}
     FROM ${upTo(perDepartment * HOSTED_EACH)}`,
    `INSERT INTO terminators (id, service_id, router_id, binding, address, is_system, session_id, host_id)
     SELECT ${idSql('terminator', `'hosted-' || i`)}, ${idSql('service', hosted)},
       ${idSql('router', `i % ${ROUTERS}`)}, 'edge', ${idSql('terminator', `'hosted-' || i`)}, true,
       ${idSql('session', `'hosting-' || i`)}, ${idSql('identity', hosting)}
     FROM ${upTo(perDepartment * HOSTED_EACH)}`,
    `INSERT INTO authenticators (id, identity_id, method, cert_pem, fingerprint)
     SELECT ${idSql('authenticator', `'cert-' || i`)}, ${idSql('identity', nth(HOSTING))}, 'cert', repeat('x', 900),
       left(md5('print-' || i) || md5('print-' || i), 40) FROM ${upTo(perDepartment)}`,
    `INSERT INTO external_jwt_signers (id, name, issuer, audience, jwks_endpoint, is_enabled, use_external_id,
       claims_property, client_id, target_token, enroll_to_cert_enabled, enroll_to_token_enabled, enroll_auth_policy_id,
       enroll_name_claims_selector, enroll_attribute_claims_selector)
     VALUES (${idSql('signer', '0')}, 'bench-signer', 'https://issuer.example.org', 'bench',
       'https://issuer.example.org/keys', true, false, 'sub', '', 'ACCESS', false, false, 'default', '', '')`,
    `INSERT INTO controllers (id, name, cert_pem, fingerprint, api_addresses)
     SELECT ${idSql('controller', 'i')}, ${name('controller', 'i')}, 'x', 'x', '{}' FROM ${upTo(HOSTS)}`,
    // They stay alive for as long as the statements are explained.
    `INSERT INTO router_hosts (id, controller_id, seen_at)
     SELECT ${idSql('host', 'i')}, ${idSql('controller', 'i')}, '2100-01-01' FROM ${upTo(HOSTS)}`,
    `INSERT INTO router_channels (router_id, host_id, sync_status, hostname, protocols, version_info)
     SELECT ${idSql('router', `i / ${HOSTS}`)}, ${idSql('host', `i % ${HOSTS}`)}, 'SYNC_DONE', 'router.example.org',
       '{"tls":"tls://router.example.org:3022"}',
       '{"version":"v2.0.0","revision":"000000000000","buildDate":"2026-01-01 00:00:00","os":"linux","arch":"amd64"}'
     FROM ${upTo(ROUTERS * HOSTS)}`,
    `INSERT INTO revocations (id, type, issued_before, expires_at)
     SELECT ${idSql('revocation', 'i')}, (ARRAY['JTI','IDENTITY','API_SESSION'])[i % 3 + 1], '2026-01-01', '2100-01-01'
     FROM ${upTo(REVOCATIONS)}`,
  ];
}
