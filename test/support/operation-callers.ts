/**
 * Callers of all operations: one with a token that is none, an ordinary identity and an administrator, at a controller
 * that has entities which a call could hit.
 */
import { basePaths } from '../../generated/routes.js';
import type { OperationSpec } from '../../generated/operation.js';
import { exampleOf } from '../contract/examples.js';
import { createClient, expectStatus } from './client.js';
import type { Answer, Client, RequestOptions } from './client.js';
import { ADMIN, startTestController } from './controller.js';
import type { TestController } from './controller.js';
import { HOST, oidcClient } from './oidc.js';
import { pathOf } from './operations.js';
import { PASSWORD, newUser } from './users.js';

/** Token of no session. */
export const GARBAGE = '00000000-0000-4000-8000-000000000000';

/** Options for a call: single sign-on is at the advertised host alone, and takes forms. */
export function optionsFor({ api, body }: OperationSpec): RequestOptions {
  if (api !== 'oidc') return {};
  if (body?.required !== true) return { headers: { host: HOST } };
  return { rawBody: '', headers: { 'host': HOST, 'content-type': 'application/x-www-form-urlencoded' } };
}

/** Sends an empty object where a body is taken, so that only session and permission can refuse it. */
export const send = (client: Client, operation: OperationSpec, path = pathOf(operation)): Promise<Answer> =>
  client.send(operation.method, path, operation.body?.kind === 'json' ? {} : undefined, optionsFor(operation));

export class OperationCallers {
  readonly #targets: Readonly<Record<string, string>>;

  private constructor(
    readonly controller: TestController,
    readonly garbage: Client,
    readonly ordinary: Client,
    readonly administrator: Client,
    /** Access tokens of single sign-on. */
    readonly tokens: { readonly ordinary: string; readonly administrator: string },
    targets: Readonly<Record<string, string>>,
  ) {
    this.#targets = targets;
  }

  static async open(): Promise<OperationCallers> {
    const controller = await startTestController({ EDGE_OIDC_ENABLED: 'true' });
    const targets = await makeTargets(controller);
    const oidc = oidcClient(controller.anonymous);
    const user = await newUser(controller.admin);
    return new OperationCallers(
      controller,
      createClient(controller.url, GARBAGE),
      (await controller.newCaller()).client,
      (await controller.newCaller({ isAdmin: true })).client,
      {
        ordinary: (await oidc.login(user.name, PASSWORD)).access_token,
        administrator: (await oidc.login(ADMIN.username, ADMIN.password)).access_token,
      },
      targets,
    );
  }

  async close(): Promise<void> {
    this.garbage.close();
    await this.controller.stop();
  }

  /** Sends the same as `send`, with an access token. */
  bear(token: string, operation: OperationSpec): Promise<Answer> {
    const { headers, ...options } = optionsFor(operation);
    const all = { ...headers, authorization: `Bearer ${token}` };
    return this.controller.anonymous.send(operation.method, pathOf(operation), undefined, { ...options, headers: all });
  }

  /** Makes a call that an administrator would succeed with, as far as the spec's own examples go. */
  attempt(client: Client, operation: OperationSpec): Promise<Answer> {
    const { api, method, path, body } = operation;
    const target = this.#targets[path.slice(0, Math.max(0, path.indexOf('/{')))];
    return client.send(
      method,
      pathOf(operation, target),
      body?.kind === 'json' ? (exampleOf(api, method, path) ?? {}) : undefined,
    );
  }
}

/** Makes an entity of each collection, so that a call could hit something. Ids by the collection's path. */
async function makeTargets(controller: TestController): Promise<Readonly<Record<string, string>>> {
  const { admin } = controller;
  const targets: Record<string, string> = {};
  const create = async (collection: string, changes: object = {}) => {
    const body = { ...exampleOf('management', 'POST', collection), ...changes };
    const answer = expectStatus(await admin.post(`${basePaths.management}${collection}`, body), 201);
    targets[collection] = (answer.data as { id: string }).id;
  };
  for (const collection of ['/config-types', '/configs', '/services', '/service-policies', '/identities'])
    await create(collection, collection === '/identities' ? { enrollment: {} } : {});
  const identityId = targets['/identities'];
  await create('/enrollments', { identityId });
  await create('/authenticators', { identityId });
  await controller.login('mara.lind', 'correct-horse-battery');
  const sessions = await admin.get(`${basePaths.management}/api-sessions?filter=identity="${identityId}"`);
  targets['/api-sessions'] = (expectStatus(sessions, 200).data as { id: string }[])[0]?.id ?? '';
  return targets;
}
