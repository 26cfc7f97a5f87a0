/** Net over all operations: each one of both specs has a handler, or is in the pending list, exactly. */
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import type { Api, OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { pending } from '../../handlers/pending.js';
import { fabricHandlers } from '../../handlers/fabric/index.js';
import { clientHandlers } from '../../handlers/client/index.js';
import { managementHandlers } from '../../handlers/management/index.js';
import { oidcHandlers } from '../../handlers/oidc/index.js';
import { bindOperations } from '../../server/sessions/binder.js';
import type { BindingSources } from '../../server/sessions/binder.js';

/** Of all specs together: the one place that knows it. */
const OPERATIONS = 350;
/** How many operations are not built yet. These numbers only ever shrink. */
const PENDING: Readonly<Record<Api, number>> = { client: 1, fabric: 0, management: 0, oidc: 0 };

const handler = async () => ({ status: 200, data: {} });

describe('binding of operations', () => {
  it(`gives each of the ${OPERATIONS} operations its handler or its place in the pending list`, () => {
    const bindings = bindOperations();
    const all = Object.values(operations).flatMap((specs: Readonly<Record<string, OperationSpec>>) =>
      Object.values(specs),
    );
    expect(all).to.have.length(OPERATIONS);
    expect([...bindings.keys()]).to.have.members(all);
    for (const [{ api, operationId }, bound] of bindings) {
      const isPending = (pending[api] as readonly string[]).includes(operationId);
      expect(bound === 'pending', `${api} ${operationId}`).to.equal(isPending);
      if (!isPending) expect(bound, `${api} ${operationId}`).to.be.a('function');
    }
  });

  for (const api of ['client', 'fabric', 'management', 'oidc'] as const) {
    it(`waits for ${PENDING[api]} operations of the ${api} API and no more`, () => {
      expect(
        pending[api].length,
        'put the smaller number into PENDING of this file; a larger one means a lost handler',
      ).to.equal(PENDING[api]);
    });

    it(`keeps the pending list of the ${api} API sorted and free of doubles`, () => {
      expect(pending[api]).to.deep.equal([...new Set(pending[api])].sort());
    });
  }
});

describe('modules of handlers', () => {
  const bound: Readonly<Record<Api, Readonly<Record<string, unknown>>>> = {
    client: clientHandlers,
    fabric: fabricHandlers,
    management: managementHandlers,
    oidc: oidcHandlers,
  };
  const exportsOf = async (folder: string): Promise<[module: string, name: string, value: unknown][]> => {
    const place = new URL(`../../handlers/${folder}/`, import.meta.url);
    const names = readdirSync(place, { recursive: folder !== '.', encoding: 'utf8' });
    const files = names.filter((file) => file.endsWith('.js') && file !== 'index.js');
    const modules = files.map(async (file) => {
      const exported = (await import(new URL(file, place).href)) as Record<string, unknown>;
      return Object.entries(exported).map(([name, value]): [string, string, unknown] => [file, name, value]);
    });
    return (await Promise.all(modules)).flat();
  };

  /** Rooms with handlers of both APIs. */
  const SHARED = ['.', 'access', 'enrollment', 'login'];

  // Not of oidc: its handlers are wrapped where they are bound, so what its files export is never what is bound.
  for (const api of ['client', 'fabric', 'management'] as const) {
    it(`of the ${api} API, and those that serve both, export no operation that another one hides`, async () => {
      const exported = (await Promise.all([api, ...SHARED].map(exportsOf))).flat();
      expect(exported.length).to.be.greaterThan(Object.keys(bound[api]).length / 2);
      const hidden = exported
        .filter(([, name]) => Object.hasOwn(operations[api], name))
        .filter(([, name, value]) => bound[api][name] !== value)
        .map(([module, name]) => `${name} of ${module}`);
      expect(hidden).to.deep.equal([]);
    });
  }
});

describe('the binder', () => {
  const { listServices, createService } = operations.management as Readonly<Record<string, OperationSpec>>;
  const { getCurrentIdentity } = operations.client as Readonly<Record<string, OperationSpec>>;
  if (listServices === undefined || createService === undefined || getCurrentIdentity === undefined)
    throw new Error('the specs lack the operations of this suite');
  const specs = { client: { getCurrentIdentity }, fabric: {}, management: { listServices, createService }, oidc: {} };
  const handlers = {
    client: { getCurrentIdentity: handler },
    fabric: {},
    management: { listServices: handler },
    oidc: {},
  };
  const fitting: BindingSources = {
    operations: specs,
    handlers,
    pending: { client: [], fabric: [], management: ['createService'], oidc: [] },
  };

  it('binds handlers and pending operations that fit the specs', () => {
    const bindings = bindOperations(fitting);
    expect([...bindings.entries()]).to.deep.equal([
      [getCurrentIdentity, handler],
      [listServices, handler],
      [createService, 'pending'],
    ]);
  });

  const refusals: [what: string, change: Partial<BindingSources>, message: string][] = [
    [
      'an operation with neither handler nor pending entry',
      { pending: { client: [], fabric: [], management: [], oidc: [] } },
      'management createService has no handler',
    ],
    [
      'an operation with both',
      { handlers: { ...handlers, management: { listServices: handler, createService: handler } } },
      'management createService has a handler and is listed as pending',
    ],
    [
      'a handler that no operation has',
      { handlers: { ...handlers, client: { getCurrentIdentity: handler, surplus: handler } } },
      'client surplus is no operation of the spec',
    ],
    [
      'a handler of the other API',
      { handlers: { ...handlers, client: { getCurrentIdentity: handler, listServices: handler } } },
      'client listServices is no operation of the spec',
    ],
    [
      'a pending entry that no operation has',
      { pending: { client: ['gone'], fabric: [], management: ['createService'], oidc: [] } },
      'client gone is no operation of the spec',
    ],
    [
      'a pending entry that is there twice',
      { pending: { client: [], fabric: [], management: ['createService', 'createService'], oidc: [] } },
      'management has a pending entry twice',
    ],
    [
      'a handler whose value is missing',
      { handlers: { ...handlers, management: { listServices: undefined } } },
      'management listServices has no handler',
    ],
    [
      'a handler named like a property that every object has',
      { handlers: { ...handlers, client: { getCurrentIdentity: handler, toString: handler } } },
      'client toString is no operation of the spec',
    ],
  ];
  for (const [what, change, message] of refusals) {
    it(`refuses ${what}`, () => {
      expect(() => bindOperations({ ...fitting, ...change })).to.throw(
        `handlers and specs do not match:\n  ${message}`,
      );
    });
  }

  it('names every fault at once', () => {
    const nothing = { client: {}, fabric: {}, management: { surplus: handler }, oidc: {} };
    expect(() => bindOperations({ ...fitting, handlers: nothing }))
      .to.throw(Error)
      .with.property(
        'message',
        [
          'handlers and specs do not match:',
          '  client getCurrentIdentity has no handler',
          '  management listServices has no handler',
          '  management surplus is no operation of the spec',
        ].join('\n'),
      );
  });
});
