/**
 * Names in bodies: exact ones first, then those that differ in upper and lower case only, as stock clients send them.
 */
import { expect } from 'chai';
import type { Api, OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { foldNames } from '../../server/base/names.js';
import { exampleOf } from '../contract/examples.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { describedBy, documentOf, membersOf, resolved } from '../support/document.js';
import type { Schema } from '../support/document.js';
import { expectFault, expectField } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';

/** The value with every name that a schema declares in capitals. */
function shouted(api: Api, schema: Schema, value: unknown): unknown {
  const document = documentOf(api);
  const { items } = resolved(document, schema);
  if (Array.isArray(value)) return value.map((item) => shouted(api, items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  const members = membersOf(document, schema);
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] => {
    const member = members[name];
    return member === undefined ? [name, inner] : [name.toUpperCase(), shouted(api, member, inner)];
  });
  return Object.fromEntries(entries);
}

describe('names in a body', () => {
  const withExamples = Object.values(operations)
    .flatMap((specs): OperationSpec[] => Object.values(specs))
    .filter((operation) => operation.body?.kind === 'json');

  it('are read in capitals for every operation, and what is the caller’s own is left alone', () => {
    for (const operation of withExamples) {
      const { api, method, path, operationId, body } = operation;
      const schema = describedBy(operation).parameters?.find((parameter) => parameter.in === 'body')?.schema ?? {};
      const example = exampleOf(api, method, path);
      const folded = shouted(api, schema, example);
      if (body?.names != null) foldNames(folded, api, body.names, () => undefined);
      expect(folded, `${api} ${operationId}`).to.deep.equal(example);
    }
  });

  describe('over HTTP', () => {
    let controller: TestController;
    let admin: Client;
    before(async () => {
      controller = await startTestController();
      ({ admin } = controller);
    });
    after(() => controller.stop());
    const send = (path: string, rawBody: string, method: 'POST' | 'PUT' | 'PATCH' = 'POST') =>
      admin.send(method, path, undefined, { rawBody, headers: { 'content-type': 'application/json' } });
    const read = async (path: string) =>
      expectStatus(await admin.get(`${M}/${path}`), 200).data as Record<string, unknown>;
    const make = async (path: string, body: string) => {
      const made = expectStatus(await send(`${M}/${path}`, body), 201);
      return `${path}/${(made.data as { id: string }).id}`;
    };

    it('are folded in a posture check as the stock command line sends it', async () => {
      const check = await make(
        'posture-checks',
        `{"name":"${unique('check')}","TypeId":"OS","operatingSystems":[{"Type":"Windows","Versions":[">=10.0.0"]}]}`,
      );
      const systems = [{ type: 'Windows', versions: ['>=10.0.0'] }];
      expect((await read(check))['operatingSystems']).to.deep.equal(systems);
      const more = '{"operatingsystems":[{"TYPE":"Linux","Versions":[]}],"typeId":"OS"}';
      expectStatus(await send(`${M}/${check}`, more, 'PATCH'), 200);
      expect((await read(check))['operatingSystems']).to.deep.equal([{ type: 'Linux', versions: [] }]);
    });

    it('are folded where an unknown name would be ignored, by both APIs', async () => {
      const identity = await make(
        'identities',
        `{"NAME":"${unique('identity')}","Type":"User","isadmin":false,` +
          '"RoleAttributes":["a"],"tags":{"Tags":1,"ID":2}}',
      );
      const stored = await read(identity);
      expect(stored['roleAttributes']).to.deep.equal(['a']);
      expect(stored['tags']).to.deep.equal({ Tags: 1, ID: 2 });
      const answer = await send(
        `${C}/authenticate?method=password`,
        '{"Username":"nobody here","PASSWORD":"wrong one"}',
      );
      expectFault(answer, 403, 'INVALID_AUTH');
    });

    it('of the caller are never touched', async () => {
      const own = { Tags: { Name: 1, name: 2 }, TYPE: 'x', type: 'y', Data: [{ Id: 1, ID: 2, id: 3 }] };
      const schema = { TYPE: 'text', type: 'object', properties: { Type: { type: 'number' }, type: {} } };
      const type = await make('config-types', JSON.stringify({ name: unique('type'), schema }));
      expect((await read(type))['schema']).to.deep.equal(schema);
      const any = await make('config-types', JSON.stringify({ name: unique('type'), schema: {} }));
      const configTypeId = any.split('/')[1] ?? '';
      const config = await make('configs', JSON.stringify({ name: unique('config'), configTypeId, data: own }));
      expect((await read(config))['data']).to.deep.equal(own);
      const identity = await make(
        'identities',
        JSON.stringify({ name: unique('identity'), type: 'User', isAdmin: false, appData: own }),
      );
      expect((await read(identity))['appData']).to.deep.equal(own);
    });

    for (const [body, path] of [
      ['{"name":"x","type":"User","Type":"User","isAdmin":false}', 'type'],
      ['{"name":"x","Type":"User","TYPE":"User","isAdmin":false}', 'type'],
      ['{"Name":"x","type":"User","isAdmin":false,"name":"x"}', 'name'],
      ['{"name":"x","type":"User","isAdmin":false,"Enrollment":{"ott":true,"OTT":true}}', 'enrollment.ott'],
    ] as const) {
      it(`that mean one property are refused with its path: ${body}`, async () => {
        const reason = `${path} in body is given more than once, in different letters`;
        expectField(await send(`${M}/identities`, body), path, reason);
      });
    }

    it('that mean one property are refused in a list of objects, too', async () => {
      const body = '{"name":"x","typeId":"OS","operatingSystems":[{"type":"Linux"},{"Type":"Linux","type":"macOS"}]}';
      const reason = 'operatingSystems.1.type in body is given more than once, in different letters';
      expectField(await send(`${M}/posture-checks`, body), 'operatingSystems.1.type', reason);
    });
  });
});
