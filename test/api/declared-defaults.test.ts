/** What a document declares as the default of a property is what its absence, or null, comes to. */
import { expect } from 'chai';
import { make, read } from '../support/entities.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { documentOf, membersOf } from '../support/document.js';
import type { Schema } from '../support/document.js';
import { makeRouter, makeService } from '../support/make.js';

/** Said of a default by the models of requests, by the name of the property. */
function defaultsOf(model: string): Map<string, unknown> {
  const document = documentOf('management');
  const members = Object.entries(membersOf(document, { $ref: `#/definitions/${model}` }));
  const declared = members.map(([name, member]): [string, unknown] => [
    name,
    (member as Schema & { default?: unknown }).default,
  ]);
  return new Map(declared.filter(([, value]) => value !== undefined));
}

describe('defaults that the documents declare', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const name = () => unique('plain');
  const service = () => makeService(controller, { name: name() });
  const edgeRouter = () => makeRouter(controller, { name: name() });

  const CASES: [model: string, collection: string, body: () => Promise<object> | object][] = [
    ['serviceCreate', 'services', () => ({ name: name(), encryptionRequired: true })],
    ['edgeRouterCreate', 'edge-routers', () => ({ name: name() })],
    ['routerCreate', 'transit-routers', () => ({ name: name() })],
    ['identityCreate', 'identities', () => ({ name: name(), type: 'User', isAdmin: false })],
    [
      'terminatorCreate',
      'terminators',
      async () => ({ service: await service(), router: await edgeRouter(), binding: 'transport', address: 'tcp:a:1' }),
    ],
  ];
  for (const [model, collection, body] of CASES) {
    it(`of ${model} hold for what is left out, and for null`, async () => {
      const defaults = defaultsOf(model);
      expect(defaults.size).to.be.greaterThan(0);
      const nulls = Object.fromEntries([...defaults.keys()].map((key) => [key, null]));
      for (const more of [{}, nulls]) {
        const id = await make(controller, collection, { ...(await body()), ...more });
        const detail = await read(controller, `${collection}/${id}`);
        for (const [key, value] of defaults) expect(detail[key], key).to.equal(value);
      }
    });
  }
});
