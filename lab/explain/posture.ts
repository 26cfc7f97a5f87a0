/** What clients under posture make the stores send: reports, sessions that hang on them, lists of services. */
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import { NOTHING_KNOWN } from '../../domain/posture/state.js';
import type { PostureState } from '../../domain/posture/state.js';
import { listServicesOf } from '../../handlers/access/service-views.js';
import { GROUPS, WITH_SESSION, idOf } from './scale.js';
import { GUARDED, GUARDED_APP } from './fill-live.js';
import { changing } from './hot.js';
import type { Facts, Hot } from './hot.js';

const newId = (letter: string): string => letter.repeat(22);
/** Of the department under posture, next to the identity in the middle. */
const guardedIndex = ({ identityIndex }: Facts): number => identityIndex + GUARDED;
const sessionIdOf = (facts: Facts): string => idOf('api-session', guardedIndex(facts) / WITH_SESSION);
const guarded = (facts: Facts, { identities }: Pick<StoreSet, 'identities'>) =>
  identities.get(idOf('identity', guardedIndex(facts)));
/** A use that has no session yet: the policy that grants it asks for posture. */
const useOf = (facts: Facts) => ({
  apiSessionId: sessionIdOf(facts),
  identityId: idOf('identity', guardedIndex(facts)),
  serviceId: idOf('service', GUARDED_APP + GROUPS * ((guardedIndex(facts) / GROUPS) % 3 === 0 ? 1 : 0)),
  type: 'Dial' as const,
});
const CHECK = idOf('check', 3);
const WOKEN: PostureState = {
  ...NOTHING_KNOWN,
  domain: { checkId: CHECK, at: new Date('2026-01-02'), domain: 'example.org' },
  wokenAt: new Date('2026-01-02'),
};
const moved = async (tx: StoreSet, facts: Facts): Promise<void> => {
  await tx.postures.lockBasis(sessionIdOf(facts), [CHECK]);
  await tx.postures.keep(sessionIdOf(facts), WOKEN);
};
const view = { epoch: 1, digest: Buffer.alloc(32, 1), state: null };

export const postureStatements: readonly Hot[] = [
  {
    name: 'posture-report-nothing-new',
    act: ({ postures }: Stores, facts) => postures.basis(sessionIdOf(facts), [CHECK]),
  },
  changing('posture-report-a-change', moved),
  changing('posture-report-then-sweep', async (tx, facts) => {
    await moved(tx, facts);
    await tx.sessions.sweep(250);
  }),
  changing('posture-code-given', (tx, facts) => tx.apiSessions.completeMfa(sessionIdOf(facts))),
  {
    name: 'posture-grants',
    act: async (stores, facts) => stores.access.grantsIn(sessionIdOf(facts), await guarded(facts, stores)),
  },
  {
    name: 'posture-client-services-10',
    act: async (stores, facts) =>
      listServicesOf(await guarded(facts, stores), { limit: 10 }, facts.configTypes, stores),
  },
  { name: 'posture-service-updates', act: ({ access }, facts) => access.ownView(sessionIdOf(facts)) },
  changing('posture-view-note', (tx, facts) =>
    tx.access.noteOwnView(
      { id: sessionIdOf(facts), identityId: idOf('identity', guardedIndex(facts)), configTypes: facts.configTypes },
      { ...view, revision: 1 },
      new Date('2026-01-02'),
    ),
  ),
  { name: 'posture-session-ground', act: ({ sessions }, facts) => sessions.findBasis(useOf(facts)) },
  changing('posture-session-create', async (tx, facts) => {
    const basis = await tx.sessions.findBasis(useOf(facts));
    if (basis === undefined) throw new Error('there is no ground for a session');
    const draft = { id: newId('n'), ...useOf(facts), token: 'x'.repeat(500), tags: {} };
    await tx.sessions.create(draft, basis, { revision: 0, until: null });
  }),
  { name: 'posture-sessions-next-end', act: ({ sessions }) => sessions.nextEnd() },
  changing('posture-check-patch', (tx) =>
    tx.postureChecks.update(CHECK, { criteria: { domains: ['other.example.org'] } }),
  ),
  {
    name: 'posture-data',
    act: ({ postures }, facts) => postures.ofIdentity(idOf('identity', guardedIndex(facts))),
  },
  { name: 'posture-failures', act: ({ failedRequests }) => failedRequests.ofIdentity(idOf('identity', GUARDED)) },
  changing('posture-failure-note', (tx) =>
    tx.failedRequests.note(idOf('identity', GUARDED), {
      apiSessionId: idOf('api-session', GUARDED / WITH_SESSION),
      serviceId: idOf('service', GUARDED_APP),
      serviceName: 'refused',
      sessionType: 'Dial',
      policyFailures: [],
    }),
  ),
];
