/** The whole state of a router as a message, whose larger part is made once for all routers with the same clients. */
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { clientReachOf, NO_CLIENTS } from '../../domain/fabric/client-reach.js';
import { modelChanges, wholeOf } from '../../domain/fabric/model-changes.js';
import { NO_MODEL } from '../../domain/fabric/router-model.js';
import type { RouterModel } from '../../domain/fabric/router-model.js';
import { stateMessage, stateOf } from '../../fabric/model/model-messages.js';
import { DataStateSchema } from '../../generated/fabric/data-model_pb.js';
import type { DataState } from '../../generated/fabric/data-model_pb.js';

const CLIENTS = clientReachOf(
  {
    identities: [1, 2, 3].map((n) => ({ id: `client-${n}`, name: `client ${n}` })),
    services: [{ id: 'crm', name: 'crm', encryptionRequired: true }],
    checks: [],
    policies: [
      {
        id: 'dial',
        name: 'dial',
        type: 'Dial',
        serviceIds: ['crm'],
        checkIds: [],
        identityIds: ['client-1', 'client-2', 'client-3'],
      },
    ],
  },
  NO_CLIENTS,
);
const ROUTER = { id: 'first', name: 'first', fingerprint: 'f', disabled: false, configIds: ['link'] };
const routerOf = (id: string): RouterModel => ({
  ...NO_MODEL,
  router: { ...ROUTER, id, name: id },
  configs: new Map([['link', { id: 'link', name: 'link', typeId: 'links', data: '{}' }]]),
  configTypes: new Map([['links', { id: 'links', name: 'links', target: 'router' }]]),
});
const POSITION = { index: 7, timelineId: 't', subscriptionId: 's' };

const eventsOf = (state: DataState) =>
  state.events.map(({ action, model }) => JSON.stringify([action, model.case, model.value]));

describe('the whole state of a router', () => {
  const sent = (model: RouterModel) => {
    const whole = wholeOf(model, CLIENTS);
    const { body } = stateMessage(whole, new Map(), POSITION);
    return { state: fromBinary(DataStateSchema, body), general: stateOf(whole, new Map(), POSITION) };
  };

  for (const id of ['first', 'second'])
    it(`holds what is its own and what it has in common with others: ${id}`, () => {
      const { state, general } = sent(routerOf(id));
      expect(eventsOf(state)).to.have.members(eventsOf(general));
      expect(state.events).to.have.length(general.events.length);
      expect([state.endIndex, state.timelineId]).to.deep.equal([7n, 't']);
      const names = state.events.map(({ model }) => model.case);
      expect(names.slice(0, 3)).to.deep.equal(['configType', 'config', 'router']);
      expect(names.lastIndexOf('identity')).to.be.below(names.indexOf('servicePolicy'));
      expect(names.lastIndexOf('servicePolicy')).to.be.below(names.indexOf('servicePolicyChange'));
    });

  it('is followed by what changed alone, the same for all routers', () => {
    const next = clientReachOf(
      {
        identities: [2, 3, 4].map((n) => ({ id: `client-${n}`, name: `client ${n}` })),
        services: [...CLIENTS.services.values()],
        checks: [],
        policies: [...CLIENTS.policies.values()].map((policy) => ({
          ...policy,
          identityIds: ['client-2', 'client-3', 'client-4'],
        })),
      },
      CLIENTS,
    );
    const [first, second] = ['first', 'second'].map((id) =>
      modelChanges(wholeOf(routerOf(id), CLIENTS), wholeOf(routerOf(id), next)),
    );
    expect(first?.map(({ kind, ...change }) => [kind, 'ids' in change ? change.ids : change.entity.id])).to.deep.equal([
      ['identity', 'client-4'],
      ['members', ['client-1']],
      ['members', ['client-4']],
      ['identity', 'client-1'],
    ]);
    expect(second).to.equal(first);
    const renamed = { ...routerOf('first'), router: { ...ROUTER, name: 'other' } };
    const both = modelChanges(wholeOf(routerOf('first'), CLIENTS), wholeOf(renamed, next));
    expect(both.map(({ kind }) => kind)).to.deep.equal(['router', ...(first ?? []).map(({ kind }) => kind)]);
    expect(modelChanges(wholeOf(routerOf('first'), next), wholeOf(routerOf('first'), next))).to.deep.equal([]);
  });

  it('holds the reach of the router itself with that of its clients', () => {
    const own = { id: 'third', name: 'third', appData: '{}', hostingCost: 0, hostings: [], overrides: [] };
    const model = { ...routerOf('third'), identity: { ...own, hostingPrecedence: 'default' as const } };
    const { state, general } = sent(model);
    expect(toJson(DataStateSchema, state)).to.deep.equal(toJson(DataStateSchema, general));
    expect(eventsOf(state).join()).to.contain('third').and.to.contain('client-3');
  });
});
