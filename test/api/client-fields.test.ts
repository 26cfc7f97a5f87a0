/**
 * The net over all lists that others than administrators may read: a filter or a sort reveals a value as surely as an
 * answer does, so each field that such a list knows is a member of its answer. Which lists there are comes from the
 * specs alone.
 */
import { expect } from 'chai';
import { symbolTables } from '../../db/stores/entities.js';
import { operations } from '../../generated/operations.js';
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { pending } from '../../handlers/pending.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { enrollRouter, newCertifiedCaller } from '../support/certified.js';
import type { CertifiedCaller } from '../support/certified.js';
import { makeRequest } from '../support/certificates.js';
import { describedBy, documentOf, membersOf, resolved } from '../support/document.js';
import type { Document, Schema } from '../support/document.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make } from '../support/entities.js';
import {
  makeConfig,
  makeEdgeRouterPolicy,
  makeRouter,
  makeService,
  makeServiceEdgeRouterPolicy,
  makeServicePolicy,
} from '../support/make.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const isBuilt = ({ api, operationId }: OperationSpec) => !(pending[api] as readonly string[]).includes(operationId);
const all = Object.values(operations).flatMap((specs): OperationSpec[] => Object.values(specs));
const lists = all
  .filter(isBuilt)
  .filter(({ permission, parameters }) => permission !== 'admin' && parameters.some(({ name }) => name === 'filter'));

/** Where the answer shows a field under another name. */
const SHOWN_AS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getCurrentIdentityEdgeRouters: { online: 'isOnline', connected: 'isOnline' },
  listServiceEdgeRouters: { online: 'isOnline', connected: 'isOnline' },
  listServiceTerminators: { instanceId: 'identity', router: 'routerId' },
  listCurrentIdentityAuthenticators: { certFingerprint: 'fingerprint', updbUsername: 'username' },
};

/** Every name that any entity has for administrators, and a tag. */
const NAMES = [...new Set(symbolTables.flatMap(({ symbols }) => Object.keys(symbols))), 'tags.secret'];

/** What a list is of: its items, or those of the array that it names. */
function elementOf(document: Document, schema: Schema): Schema {
  const { items } = resolved(document, schema);
  return items ?? elementOf(document, Object.values(membersOf(document, schema))[0] ?? {});
}

/** Whether the spec declares the member that is reached by this path. */
function isDeclared(operation: OperationSpec, member: string): boolean {
  const document = documentOf(operation.api);
  const envelope = describedBy(operation).responses['200']?.schema ?? {};
  let schema: Schema | undefined = elementOf(document, membersOf(document, envelope)['data'] ?? {});
  for (const part of member.split('.')) schema = schema && membersOf(document, schema)[part];
  return schema !== undefined;
}

/** The items of a list, also of the one that names its array. */
function itemsOf({ data }: Answer): Record<string, unknown>[] {
  return (Array.isArray(data) ? data : Object.values(data as object)[0]) as Record<string, unknown>[];
}

function shows(item: unknown, member: string): boolean {
  let value = item;
  for (const part of member.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return false;
    value = (value as Record<string, unknown>)[part];
  }
  return true;
}

describe('fields of lists that are not for administrators alone', () => {
  let controller: TestController;
  let caller: CertifiedCaller;
  let service: string;

  before(async () => {
    controller = await startTestController();
    caller = await newCertifiedCaller(controller);
    const secret = { tags: { secret: 'yes' } };
    const data = { address: 'hidden.example', port: 1, protocol: 'tcp' };
    const hidden = { name: unique('hidden-name'), configTypeId: 'NH5p4FpGR', data, ...secret };
    const config = await makeConfig(controller, hidden);
    const shown = { encryptionRequired: true, configs: [config], roleAttributes: ['a'] };
    service = await makeService(controller, shown);
    const router = await makeRouter(controller, { roleAttributes: ['secret-site'] });
    await enrollRouter(controller, router);
    const everybody = { identityRoles: ['#all'], edgeRouterRoles: ['#all'], serviceRoles: ['#all'] };
    await makeServicePolicy(controller, { name: unique('dial'), ...everybody });
    await makeEdgeRouterPolicy(controller, { name: unique('routers'), ...everybody });
    await makeServiceEdgeRouterPolicy(controller, { name: unique('routers'), ...everybody });
    const signer = {
      issuer: unique('issuer'),
      audience: 'a',
      jwksEndpoint: 'https://keys.example.com/',
      enabled: true,
    };
    await make(controller, 'external-jwt-signers', { name: unique('signer'), ...signer });
    const terminator = { service, router, binding: 'edge', address: 'tcp:10.77.3.12:5432', identity: 'instance' };
    await make(controller, 'terminators', terminator);
    expectStatus(await caller.client.post(`${CLIENT}/sessions`, { serviceId: service }), 201);
    const certificates = `${CLIENT}/current-api-session/certificates`;
    expectStatus(await caller.client.post(certificates, { csr: makeRequest().pem }), 201);
    const extend = `${MANAGEMENT}/authenticators/${caller.authenticatorId}/request-extend`;
    expectStatus(await controller.admin.post(extend, { rollKeys: true }), 200);
  });
  after(async () => {
    caller.certified.close();
    await controller.stop();
  });

  const ask = async ({ api, path }: OperationSpec, query: Readonly<Record<string, string>>) =>
    caller.client.get(`${basePaths[api]}${path.replace('{id}', service)}?${new URLSearchParams(query).toString()}`);

  for (const operation of lists) {
    const { api, operationId } = operation;

    it(`of ${api} ${operationId}: what it offers, its items show`, async () => {
      const answer = expectStatus(await ask(operation, {}), 200);
      const items = itemsOf(answer);
      const offered = answer.meta.filterableFields ?? [];
      expect(items, 'nothing to look at').to.not.have.length(0);
      expect(offered).to.not.have.length(0);
      const members = offered.map((name) => SHOWN_AS[operationId]?.[name] ?? name);
      expect(
        members.filter((member) => !isDeclared(operation, member)),
        'not in the spec',
      ).to.deep.equal([]);
      const hidden = members.filter((member) => !items.some((item) => shows(item, member)));
      expect(hidden, 'in no item').to.deep.equal([]);
    });

    it(`of ${api} ${operationId}: no other name is known to its filter and sort, nor to a subquery`, async () => {
      const offered = expectStatus(await ask(operation, {}), 200).meta.filterableFields ?? [];
      const faults: string[] = [];
      const expectUnknown = async (query: Record<string, string>, code: string, name: string) => {
        const { status, error } = await ask(operation, query);
        const message = String(error?.cause?.['message']);
        const isUnknown = message.startsWith(`unknown symbol '${name}' (`) && !message.includes('offer it');
        if (status === 400 && error?.code === code && isUnknown) return;
        faults.push(`${JSON.stringify(query)}: ${status} ${JSON.stringify(error)}`);
      };
      for (const name of NAMES) {
        const isOffered = offered.includes(name) || (name.startsWith('tags.') && offered.includes('tags'));
        if (!isOffered) {
          await expectUnknown({ filter: `${name} = null` }, 'INVALID_FILTER', name);
          await expectUnknown({ sort: name }, 'INVALID_SORT_IDENTIFIER', name);
        }
        if (offered.includes('configs') && name !== 'id') {
          await expectUnknown({ filter: `isEmpty(from configs where ${name} = null)` }, 'INVALID_FILTER', name);
        }
      }
      expect(faults).to.deep.equal([]);
    });
  }

  it('still answer what clients ask by', async () => {
    const idOf = (answer: Answer) => itemsOf(expectStatus(answer, 200)).map(({ id }) => id);
    const list = (path: string, filter: string) =>
      caller.client.get(`${CLIENT}/${path}?filter=${encodeURIComponent(filter)}`);
    const find = async (path: string, filter: string) => idOf(await list(path, filter));
    const [seen] = itemsOf(expectStatus(await list('services', `id="${service}"`), 200));
    const [config = ''] = seen?.['configs'] as string[];
    expect(await find('services', `name="${String(seen?.['name'])}"`)).to.deep.equal([service]);
    for (const filter of [
      `anyOf(configs) = "${config}"`,
      `not isEmpty(from configs where id = "${config}")`,
      'anyOf(roleAttributes) = "a" and encryptionRequired sort by name desc',
    ]) {
      expect(await find('services', filter), filter).to.deep.equal([service]);
    }
    expect(await find('sessions', `service = "${service}" and type = "Dial"`)).to.have.length(1);
    expect(await find('current-identity/authenticators', 'method="updb"')).to.have.length(1);
    expect(await find('current-identity/edge-routers', 'name contains "router" and not disabled')).to.have.length(1);
    const terminators = `services/${service}/terminators`;
    expect(await find(terminators, 'instanceId = "instance" and service.name contains "service"')).to.have.length(1);
  });
});
