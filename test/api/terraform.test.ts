/**
 * The blocks of docs/guides/terraform.md and docs/sdks.md as calls of a provider: each resource is made, read back as
 * it was written, or each plan would show a change, then changed and deleted. Terraform itself is not needed.
 */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { ADMIN, startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { blocksOf } from '../support/page.js';
import { pageAt } from '../support/page-home.js';
import { MANAGEMENT } from '../support/paths.js';

interface Resource {
  readonly type: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Paths of the types, and what the API requires beyond the block, for which a provider has a default. */
const TYPES: Readonly<Record<string, { readonly path: string; readonly defaults: object }>> = {
  ziti_service: { path: 'services', defaults: {} },
  ziti_identity: { path: 'identities', defaults: { type: 'Default', isAdmin: false, enrollment: { ott: true } } },
  ziti_service_policy: { path: 'service-policies', defaults: {} },
  ziti_edge_router: { path: 'edge-routers', defaults: {} },
};

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Resources of the blocks of a page; their values are JSON as well. */
function resourcesOf(page: string): Resource[] {
  const text = blocksOf(pageAt(page))
    .filter(({ language }) => language === 'hcl')
    .map((block) => block.text)
    .join('\n');
  return [...text.matchAll(/^resource "(\w+)" "\w+" {\n([^]*?)^}/gm)].map(([, type = '', body = '']) => {
    const lines = [...body.matchAll(/^ {2}(\w+) *= (.*)$/gm)];
    const attributes = lines.map(([, name = '', value = '']) => [camel(name), JSON.parse(value) as unknown] as const);
    return { type, attributes: Object.fromEntries(attributes) };
  });
}

describe('calls of a Terraform provider', () => {
  let controller: TestController;
  let admin: Client;
  before(async () => {
    controller = await startTestController();
    admin = await controller.loginAt(MANAGEMENT, ADMIN.username, ADMIN.password);
  });
  after(() => controller.stop());

  const read = async (path: string) => expectStatus(await admin.get(path), 200).data as Record<string, unknown>;

  for (const page of ['docs/guides/terraform.md', 'docs/sdks.md'])
    describe(`for ${page}`, () => {
      const resources = resourcesOf(page);

      it('are known for each resource', () => {
        expect(resources).to.not.be.empty;
        expect(Object.keys(TYPES)).to.include.members(resources.map(({ type }) => type));
      });

      for (const { type, attributes } of resources)
        it(`${type}: made, read back as written, changed and deleted`, async () => {
          const { path, defaults } = TYPES[type] ?? { path: type, defaults: {} };
          const collection = `${MANAGEMENT}/${path}`;
          const created = expectStatus(await admin.post(collection, { ...defaults, ...attributes }), 201);
          const { id } = created.data as { id: string };
          const entity = `${collection}/${id}`;
          const first = await read(entity);
          expect(first).to.deep.include(attributes);
          if (type === 'ziti_identity') expect(first).to.have.nested.property('enrollment.ott.jwt');

          const changed = { ...attributes, name: `${String(attributes['name'])}-2` };
          const kept = Object.fromEntries(Object.entries(defaults).filter(([name]) => name !== 'enrollment'));
          expectStatus(await admin.put(entity, { ...kept, ...changed }), 200);
          expect(await read(entity)).to.deep.include(changed);
          expectStatus(await admin.patch(entity, attributes), 200);
          expect(await read(entity)).to.deep.include(attributes);

          expectStatus(await admin.delete(entity), 200);
          expectStatus(await admin.get(entity), 404);
        });
    });
});
