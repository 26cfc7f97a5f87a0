/** What routers make the stores send: sessions that they show, terminators, presence; and what is revoked. */
import { GROUPS, ROUTERS, WITH_SESSION, idOf, tokenOf } from './scale.js';
import { HOSTED_EACH, HOSTING, HOSTS } from './fill-live.js';
import { changing } from './hot.js';
import type { Facts, Hot } from './hot.js';

const newId = (letter: string): string => letter.repeat(22);
const ROUTER = idOf('router', 3);
/** Of hosting identities; what they host goes round over the routers. */
const hostingIndex = ({ identityIndex }: Facts): number => (identityIndex / GROUPS) * HOSTED_EACH;
const routerOf = (facts: Facts): string => idOf('router', hostingIndex(facts) % ROUTERS);
const hostOf = ({ identityIndex }: Facts): string => idOf('identity', identityIndex + HOSTING);
const sessionOf = (facts: Facts): string => idOf('session', `hosting-${hostingIndex(facts)}`);
const terminatorOf = (facts: Facts): string => idOf('terminator', `hosted-${hostingIndex(facts)}`);
const serviceOf = (facts: Facts): string => idOf('service', (hostingIndex(facts) * 7 + 3) % facts.services);
const shownOf = (facts: Facts): string => tokenOf(`hosting token-${hostingIndex(facts)}`);
const draftOf = (facts: Facts, id: string) => ({
  id,
  routerId: routerOf(facts),
  sessionId: sessionOf(facts),
  instanceId: '',
  instanceSecret: null,
  peerData: new Map<number, Uint8Array>([[1003, Buffer.alloc(32, 1)]]),
  cost: 0,
  precedence: 'default' as const,
});
/** Sessions that one router shows when it comes again. */
const manyOf = (facts: Facts): string[] =>
  Array.from({ length: 500 }, (_, index) => idOf('session', `hosting-${hostingIndex(facts) - index}`));
const presence = {
  routerId: ROUTER,
  connectedAt: new Date('2026-01-02'),
  syncStatus: 'SYNC_DONE',
  hostname: 'router.example.org',
  linkListeners: [],
  capabilitiesMask: '0',
  protocols: { tls: 'tls://router.example.org:3022' },
  versionInfo: { version: 'v2.0.0', revision: '', buildDate: '', os: 'linux', arch: 'amd64' },
};
const END_SECONDS = 3600;

const shown: readonly Hot[] = [
  { name: 'shown-session', act: ({ shownSessions }, facts) => shownSessions.find(shownOf(facts), routerOf(facts)) },
  changing('shown-session-after-policy-delete', async (tx, facts) => {
    await tx.servicePolicies.remove(idOf('policy', 3));
    await tx.shownSessions.find(shownOf(facts), routerOf(facts));
  }),
  changing('shown-sessions-lost', (tx, facts) =>
    tx.shownSessions.lost(manyOf(facts).map((sessionId) => ({ sessionId, routerId: routerOf(facts) }))),
  ),
];

const hosted: readonly Hot[] = [
  {
    name: 'terminator-hosted-already',
    act: ({ hostedTerminators }, facts) => hostedTerminators.isHosted(draftOf(facts, terminatorOf(facts))),
  },
  changing('terminator-host', (tx, facts) => tx.hostedTerminators.host(draftOf(facts, newId('t')))),
  changing('terminator-host-again', (tx, facts) => tx.hostedTerminators.host(draftOf(facts, terminatorOf(facts)))),
  changing('terminator-host-instance', (tx, facts) =>
    tx.hostedTerminators.host({ ...draftOf(facts, newId('t')), instanceId: 'bench' }),
  ),
  {
    name: 'dial-targets',
    act: ({ hostedTerminators }, facts) =>
      hostedTerminators.targets({
        serviceId: serviceOf(facts),
        instanceId: '',
        pathCosts: new Map(Array.from({ length: ROUTERS / 2 }, (_, index) => [idOf('router', index), 0])),
        strategy: 'smartrouting',
        sticky: '',
        ownHost: '',
        max: 100,
      }),
  },
  {
    name: 'dial-any-targets',
    act: ({ hostedTerminators }, facts) =>
      hostedTerminators.anyTargets({ serviceId: serviceOf(facts), instanceId: '', ownHost: '', max: 101 }),
  },
  { name: 'dial-has-any', act: ({ hostedTerminators }, facts) => hostedTerminators.hasAny(serviceOf(facts)) },
  { name: 'terminators-of-router', act: ({ hostedTerminators }) => hostedTerminators.hostedOn(ROUTER, '', 500) },
  changing('terminator-change', (tx, facts) =>
    tx.hostedTerminators.change(
      { id: terminatorOf(facts), routerId: routerOf(facts), identityId: hostOf(facts) },
      { cost: 7 },
    ),
  ),
  changing('terminator-remove', (tx, facts) => tx.hostedTerminators.remove([terminatorOf(facts)], routerOf(facts))),
  changing('terminators-of-sessions-remove', (tx, facts) =>
    tx.hostedTerminators.removeOfSessions([sessionOf(facts)], routerOf(facts)),
  ),
];

const online: readonly Hot[] = [
  changing('router-host-join', (tx) => tx.routerChannels.join(newId('h'), idOf('controller', 0))),
  changing('router-host-touch', (tx) => tx.routerChannels.touch(idOf('host', 0), 10)),
  changing('router-host-leave', (tx) => tx.routerChannels.leave(idOf('host', HOSTS - 1))),
  changing('router-channels-write', (tx) => tx.routerChannels.write(idOf('host', 0), [presence], [idOf('router', 4)])),
  { name: 'router-by-id', act: ({ routers }) => routers.getEdge(ROUTER) },
];

const revoked: readonly Hot[] = [
  { name: 'revocations-10', act: ({ revocations }) => revocations.list({ limit: 10 }) },
  changing('revocation-of-identity', async (tx, { identity }) => {
    await tx.revocations.put(identity.id, { type: 'IDENTITY', lifetimeSeconds: END_SECONDS, tags: {} });
    await tx.revocations.endIdentity(identity.id);
  }),
  changing('revocation-of-api-session', async (tx, { identityIndex }) => {
    const id = idOf('api-session', identityIndex / WITH_SESSION);
    await tx.revocations.put(id, { type: 'API_SESSION', lifetimeSeconds: END_SECONDS, tags: {} });
    await tx.revocations.endApiSession(id);
  }),
  changing('revocation-of-session', (tx, { identityIndex }) =>
    tx.revocations.endSession(idOf('session', identityIndex)),
  ),
  changing('revocations-sweep', (tx) => tx.revocations.sweep(500)),
];

export const fabricStatements: readonly Hot[] = [...shown, ...hosted, ...online, ...revoked];
