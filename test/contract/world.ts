/** The controller under test as the hooks see it: callers, and entities made from the examples of the spec. */
import { createClient, expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';
import { exampleOf } from './examples.js';
import type { Body } from './examples.js';
import type { HookSettings } from './transaction.js';

export interface Account {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}
export interface World {
  readonly admin: Client;
  /** Without a session. */
  readonly anonymous: Client;
  /** A new identity with a password; always an administrator, so that it may call whatever is under test. */
  readonly account: (isAdmin?: boolean, fields?: Body) => Promise<Account>;
  /** Logs in at the client API: such a session opens both APIs, since no router is here that gets its token. */
  readonly session: (account: Account) => Promise<Client>;
  /** With the token of a session. */
  readonly clientOf: (token: string) => Client;
  readonly unique: (word: string) => string;
  /** POSTs the example of the spec to a collection of the Management API, under a new name and with `changes`. */
  readonly create: (collection: string, changes?: Body) => Promise<string>;
  readonly close: () => void;
}

export async function openWorld({ url, username, password }: HookSettings): Promise<World> {
  const anonymous = createClient(url);
  const clients = [anonymous];
  let serial = 0;
  // Other than the names that a suite makes of its own.
  const unique = (word: string) => `${word}-made-${process.pid}-${(serial += 1)}`;
  const clientOf: World['clientOf'] = (token) => {
    const client = createClient(url, token);
    clients.push(client);
    return client;
  };
  const session: World['session'] = async (account) => {
    const answer = expectStatus(
      await anonymous.post(`${CLIENT}/authenticate?method=password`, {
        username: account.username,
        password: account.password,
      }),
      200,
    );
    return clientOf((answer.data as { token: string }).token);
  };
  const admin = await session({ id: '', username, password });
  const create: World['create'] = async (collection, changes = {}) => {
    const body = { ...withNewNames(exampleOf('management', 'POST', collection) ?? {}, unique), ...changes };
    const answer = expectStatus(await admin.post(`${MANAGEMENT}${collection}`, body), 201);
    return (answer.data as { id: string }).id;
  };
  return {
    admin,
    anonymous,
    session,
    clientOf,
    unique,
    create,
    async account(isAdmin = true, fields = {}) {
      const account = {
        id: await create('/identities', { isAdmin, enrollment: {}, ...fields }),
        username: unique('caller'),
        password: 'correct-horse-battery',
      };
      await create('/authenticators', {
        identityId: account.id,
        method: 'updb',
        username: account.username,
        password: account.password,
      });
      return account;
    },
    close() {
      clients.forEach((client) => {
        client.close();
      });
    },
  };
}

/** Names in a body are unique on the controller: the example's own would work only once. */
export function withNewNames(body: Body, unique: (word: string) => string): Body {
  const renamed = { ...body };
  for (const key of ['name', 'username', 'externalId']) {
    if (typeof renamed[key] === 'string') renamed[key] = unique(renamed[key]);
  }
  return renamed;
}
