/** Identities that log in with a password: by their names, and all with one. */
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { unique } from './controller.js';
import { MANAGEMENT } from './paths.js';

export const PASSWORD = 'pass word 1';

export interface User {
  readonly id: string;
  readonly authenticatorId: string;
}

/** @param fields  of the identity, which is no administrator unless they say so */
export async function makeUser(admin: Client, name: string, fields: object = {}): Promise<User> {
  const make = async (collection: string, body: object) =>
    (expectStatus(await admin.post(`${MANAGEMENT}/${collection}`, body), 201).data as { id: string }).id;
  const id = await make('identities', { name, type: 'User', isAdmin: false, ...fields });
  const updb = { identityId: id, method: 'updb', username: name, password: PASSWORD };
  return { id, authenticatorId: await make('authenticators', updb) };
}

/** The same with a name of its own. */
export async function newUser(admin: Client, fields: object = {}): Promise<{ id: string; name: string }> {
  const name = unique('user');
  const { id } = await makeUser(admin, name, fields);
  return { id, name };
}
