/**
 * A network with many routers: sites with routers of their own, identities that may use those of their site, API
 * sessions of all of them. Routers enroll as routers do; API sessions are written as logins would, since hashing a
 * hundred thousand passwords would take hours.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ClientConfig } from 'pg';
import { hashToken, newId } from '../../../domain/auth/tokens.js';
import { forEachParallel } from '../api-client.js';
import type { ApiClient } from '../api-client.js';
import { newRequest } from '../certificate-requests.js';
import { ensureNamed } from '../ensure.js';
import { say, showProgress } from '../progress.js';
import { CLIENT, MANAGEMENT } from '../world.js';
import type { Named } from '../world.js';
import type { FleetRouter, KnownSession } from './fleet.js';

export interface RouterScale {
  readonly routers: number;
  readonly apiSessions: number;
  /** Every router serves one of them, and every identity belongs to one; 1: everything to everybody. */
  readonly sites: number;
}

export interface RouterWorld extends RouterScale {
  readonly fleet: readonly FleetRouter[];
  readonly serviceId: string;
  readonly policyId: string;
}

const SESSIONS_OF_EACH = 10;
const BATCH = 5_000;

const site = (index: number, sites: number): string => `bench-site-${index % sites}`;

export async function seedRouters(
  admin: ApiClient,
  connection: ClientConfig,
  scale: RouterScale,
): Promise<RouterWorld> {
  const { sites } = scale;
  const ensure = ensureNamed(admin);
  const policy = (roles: object) => ({ semantic: 'AnyOf', ...roles });
  const identities = await ensure(
    'identities',
    'bench-user-',
    Math.max(1, Math.ceil(scale.apiSessions / SESSIONS_OF_EACH)),
    (index) => ({ type: 'Device', isAdmin: false, roleAttributes: [site(index, sites), 'bench-dial'] }),
  );
  const routers = await ensure('edge-routers', 'bench-router-', scale.routers, (index) => ({
    roleAttributes: [site(index, sites)],
  }));
  await ensure('edge-router-policies', 'bench-site-', sites, (index) =>
    policy({ identityRoles: [`#${site(index, sites)}`], edgeRouterRoles: [`#${site(index, sites)}`] }),
  );
  await ensure('service-edge-router-policies', 'bench-carry-', 1, () =>
    policy({ serviceRoles: ['#all'], edgeRouterRoles: ['#all'] }),
  );
  const [service] = await ensure('services', 'bench-service-', 1, () => ({ encryptionRequired: false }));
  const [dial] = await ensure('service-policies', 'bench-dial-', 1, () =>
    policy({ type: 'Dial', identityRoles: ['#bench-dial'], serviceRoles: [`@${service?.id}`] }),
  );
  await openApiSessions(connection, identities, scale.apiSessions);
  const fleet = await enrollAll(admin, routers);
  return { ...scale, fleet, serviceId: service?.id ?? '', policyId: dial?.id ?? '' };
}

/** Uses the outstanding enrollments of routers. */
export async function enrollAll(admin: ApiClient, routers: readonly Named[]): Promise<FleetRouter[]> {
  const fleet: FleetRouter[] = [];
  const startedAt = performance.now();
  await forEachParallel([...routers.entries()], async ([number, { id }]) => {
    fleet.push({ number, ...(await enrollRouter(admin, id)) });
    if (fleet.length % 20 === 0) showProgress(`own: ${fleet.length} of ${routers.length} routers have enrolled`);
  });
  say(`own: ${fleet.length} routers enrolled in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return fleet;
}

/** Uses its outstanding enrollment, on this controller or on the one to compare with. */
export async function enrollRouter(admin: ApiClient, id: string): Promise<Omit<FleetRouter, 'number'>> {
  const { enrollmentToken } = await admin.call<{ enrollmentToken: string }>('GET', `${MANAGEMENT}/edge-routers/${id}`);
  const { csr, key } = await newRequest(id);
  const { cert } = await admin.call<{ cert: string }>(
    'POST',
    `${CLIENT}/enroll?method=erott&token=${enrollmentToken}`,
    { certCsr: csr, serverCertCsr: csr },
  );
  return { id, cert, key };
}

async function withDatabase<T>(connection: ClientConfig, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** As logins by password would have: complete, used just now. Only routers have their tokens. */
const openApiSessions = (connection: ClientConfig, identities: readonly Named[], count: number): Promise<void> =>
  withDatabase(connection, async (client) => {
    for (let made = 0; made < count; made += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, count - made) }, (_, index) => ({
        id: newId(),
        identity: identities[(made + index) % identities.length]?.id ?? '',
        hash: randomBytes(32),
      }));
      await client.query(
        `INSERT INTO api_sessions (id, identity_id, authenticator_id, token_hash, ip_address, method)
        SELECT id, identity, 'bench', hash, '127.0.0.1', 'password'
        FROM unnest($1::text[], $2::text[], $3::bytea[]) AS u (id, identity, hash)`,
        [rows.map(({ id }) => id), rows.map(({ identity }) => identity), rows.map(({ hash }) => hash)],
      );
      showProgress(`own: ${made + rows.length} of ${count} API sessions`);
    }
    await client.query('VACUUM (ANALYZE)');
    await client.query('CHECKPOINT');
    say(`own: ${count.toLocaleString('en')} API sessions of ${identities.length.toLocaleString('en')} identities`);
  });

/** From now on the tokens that routers were told of are those of these sessions. */
export const knowTokens = (connection: ClientConfig, known: readonly KnownSession[]): Promise<void> =>
  withDatabase(connection, async (client) => {
    await client.query(
      `UPDATE api_sessions t SET token_hash = u.hash FROM unnest($1::text[], $2::bytea[]) AS u (id, hash)
      WHERE t.id = u.id`,
      [known.map(({ id }) => id), known.map(({ token }) => hashToken(token))],
    );
  });

/**
 * Sessions that dial the service, of so many API sessions, evenly over the sites.
 * @returns ids by site
 */
export const openSessions = (
  connection: ClientConfig,
  { serviceId, sites }: RouterWorld,
  count: number,
): Promise<ReadonlyMap<number, string[]>> =>
  withDatabase(connection, async (client) => {
    const { rows } = await client.query<{ id: string; site: string }>(
      `WITH chosen AS (SELECT t.id, t.identity_id, i.role_attributes FROM api_sessions t
        JOIN identities i ON i.id = t.identity_id WHERE t.authenticator_id = 'bench' ORDER BY i.name, t.id LIMIT $2),
      made AS (INSERT INTO sessions (id, api_session_id, identity_id, service_id, type, token, granted_epoch)
        SELECT left(md5(id), 22), id, identity_id, $1, 'Dial', md5(id),
          (SELECT epoch FROM model_epochs WHERE name = 'grants') FROM chosen RETURNING id)
      SELECT left(md5(c.id), 22) AS id,
        (SELECT a FROM unnest(c.role_attributes) AS u (a) WHERE a LIKE 'bench-site-%') AS site
      FROM chosen c`,
      [serviceId, count],
    );
    await client.query('ANALYZE sessions');
    return new Map(
      Array.from({ length: sites }, (_, index) => [
        index,
        rows.filter((row) => row.site === site(index, sites)).map(({ id }) => id),
      ]),
    );
  });
