/** The network that a property run works in: what bodies refer to, what paths are about, and who calls. */
import { makeCa, makeLeaf, makeRequest } from '../../support/certificates.js';
import type { Client } from '../../support/client.js';
import { expectStatus } from '../../support/client.js';
import { ADMIN } from '../../support/controller.js';
import type { TestController } from '../../support/controller.js';
import { HOST, oidcClient } from '../../support/oidc.js';
import { CLIENT, FABRIC, MANAGEMENT } from '../../support/paths.js';
import { operations } from '../../../generated/operations.js';
import type { OperationSpec } from '../../../generated/operation.js';
import { firstOf } from '../situation.js';
import { networkCertificate, reachable, subject, updbToken, withoutWork } from '../subjects.js';
import { openWorld } from '../world.js';
import type { Account, World } from '../world.js';
import type { Case } from './cases.js';
import type { Operation } from './document.js';

/** Ids of what is there, by kind. Cases refer to them and never change them. */
export interface Pool {
  readonly identity: string;
  readonly service: string;
  readonly router: string;
  readonly configType: string;
  readonly config: string;
  readonly authPolicy: string;
  readonly postureCheck: string;
  readonly ca: string;
  readonly signer: string;
  readonly controller: string;
  /** A login by OpenID Connect that was begun, and an access token of another. */
  readonly login: string;
  readonly accessToken: string;
  /** Of a certificate authority that is registered nowhere, of a leaf of it, and of a request. */
  readonly pem: { readonly authority: string; readonly leaf: string; readonly request: string };
}

export interface Network {
  readonly pool: Pool;
  readonly world: World;
  readonly anonymous: Client;
  readonly ordinary: Client;
  /** For operations that are not about who calls. */
  readonly administrator: Client;
  /** A new administrator, for those that are. */
  newAdministrator(): Promise<Client>;
  /** The id for the path of an operation: of a fresh entity, for `client` where it is the caller's own. */
  subjectOf(operation: Operation, client: Client): Promise<string>;
  /** Headers of a request to the provider: its host, and a token where the operation wants one. */
  atProvider(operation: Operation, kind: Case['kind']): Readonly<Record<string, string>>;
  /** Brings a caller to where the operation can succeed. */
  prepare(operation: Operation, client: Client): Promise<void>;
  close(): void;
}

export async function openNetwork({ url, anonymous }: TestController): Promise<Network> {
  const world = await openWorld({ api: 'management', url, ...ADMIN, outcomesFile: '' });
  const authority = makeCa();
  const provider = oidcClient(anonymous);
  const newToken = async (account: Account) => (await provider.login(account.username, account.password)).access_token;
  const tokens = {
    ordinary: await newToken(await world.account(false)),
    administrator: await newToken(await world.account()),
  };
  const controllers = await world.admin.get(`${MANAGEMENT}/controllers`);
  const pool: Pool = {
    service: await reachable(world),
    identity: await world.create('/identities', { enrollment: {} }),
    router: await world.create('/edge-routers'),
    configType: await world.create('/config-types', { schema: {} }),
    config: '',
    authPolicy: await world.create('/auth-policies'),
    postureCheck: await world.create('/posture-checks'),
    ca: await world.create('/cas', { certPem: makeCa().pem }),
    signer: await world.create('/external-jwt-signers', { issuer: 'https://pool.example.com/' }),
    controller: firstOf(controllers),
    login: (await provider.begin()).id,
    accessToken: tokens.ordinary,
    pem: {
      authority: authority.pem,
      leaf: makeLeaf(authority, { commonName: 'leaf' }).pem,
      request: makeRequest().pem,
    },
  };
  const config = await world.create('/configs', { configTypeId: pool.configType, data: {} });
  return {
    pool: { ...pool, config },
    world,
    anonymous,
    ordinary: await world.session(await world.account(false)),
    administrator: await world.session(await world.account()),
    newAdministrator: async () => world.session(await world.account()),
    subjectOf: (operation, client) => (own[collectionOf(operation)] ?? any)(operation, world, client),
    atProvider({ permission }, kind) {
      if (permission === 'public' || kind === 'nobody') return { host: HOST };
      return { host: HOST, authorization: `Bearer ${tokens[kind === 'ordinary' ? kind : 'administrator']}` };
    },
    async prepare({ path, id }, client) {
      if (path.includes('/database/')) await withoutWork({ world });
      if (path.includes('/current-identity/mfa') && id !== 'enrollMfa')
        expectStatus(await client.post(`${CLIENT}/current-identity/mfa`), 201);
    },
    close: () => {
      world.close();
    },
  };
}

type Make = (operation: Operation, world: World, client: Client) => Promise<string>;

const collectionOf = ({ path }: Operation): string =>
  path.replace(CLIENT, '').replace(MANAGEMENT, '').replace(FABRIC, '').split('/{')[0] ?? '';

const specOf = ({ api, id }: Operation): OperationSpec => {
  const spec = (operations[api] as Readonly<Record<string, OperationSpec>>)[id];
  if (spec === undefined) throw new Error(`${api} ${id} is in the document and not in the table of operations`);
  return spec;
};

const any: Make = (operation, world) =>
  operation.api === 'client' && operation.path.includes('/services/{id}')
    ? reachable(world)
    : subject(specOf(operation), world);

const ownAuthenticator: Make = async (_operation, _world, client) =>
  firstOf(await client.get(`${MANAGEMENT}/current-identity/authenticators`));

const certified: Make = async (_operation, world) =>
  networkCertificate(world, await world.create('/identities', { enrollment: {} }));

/** Of what only routers that are connected have. */
const nothing: Make = async () => 'none-is-there';

const own: Readonly<Record<string, Make>> = {
  '/current-identity/authenticators': ownAuthenticator,
  '/sessions': async (_operation, world, client) => {
    const answer = await client.post(`${CLIENT}/sessions`, { serviceId: await reachable(world) });
    return (expectStatus(answer, 201).data as { id: string }).id;
  },
  '/current-api-session/certificates': async (_operation, _world, client) => {
    const answer = await client.post(`${CLIENT}/current-api-session/certificates`, { csr: makeRequest().pem });
    return (expectStatus(answer, 201).data as { id: string }).id;
  },
  '/authenticators': (operation, world, client) =>
    operation.id === 'requestExtendAuthenticator' ? certified(operation, world, client) : any(operation, world, client),
  '/circuits': nothing,
  '/links': nothing,
  '/enrollments': async (operation, world, client) =>
    operation.id === 'refreshEnrollment' ? any(operation, world, client) : enrollmentOf(world),
};

/** Of the user's own password, so that reading it shows all that an enrollment can have. */
async function enrollmentOf(world: World): Promise<string> {
  const { identityId } = await updbToken(world);
  return firstOf(await world.admin.get(`${MANAGEMENT}/identities/${identityId}/enrollments`));
}
