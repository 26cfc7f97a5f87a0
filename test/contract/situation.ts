/** A request of the contract's run before it is sent: what it is about, and the edits that prepare it. */
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import type { OperationSpec } from '../../generated/operation.js';
import { basePaths } from '../../generated/routes.js';
import type { Transaction } from './transaction.js';
import type { Body } from './examples.js';
import type { World } from './world.js';

export interface Situation {
  readonly transaction: Transaction;
  readonly operation: OperationSpec;
  readonly status: number;
  readonly world: World;
}

export type Prepare = (situation: Situation) => Promise<void> | void;

/** Puts a session into the request: the default administrator's, or one that the request may change or end. */
export async function enter({ transaction, world }: Situation, kind: 'admin' | 'new' | 'ordinary'): Promise<void> {
  const client: Client = kind === 'admin' ? world.admin : await world.session(await world.account(kind !== 'ordinary'));
  transaction.request.headers['zt-session'] = client.token ?? '';
}

export function change({ request }: Transaction, edit: (body: Body) => Body): void {
  if (request.body !== '') request.body = JSON.stringify(edit(JSON.parse(request.body) as Body));
}

export function toId({ transaction, operation }: Situation, id: string): void {
  const [, query] = transaction.fullPath.split('?');
  const path = operation.path.replace('{id}', encodeURIComponent(id));
  transaction.fullPath = `${basePaths[operation.api]}${path}${query === undefined ? '' : `?${query}`}`;
}

export function toQuery({ transaction }: Situation, name: string, value: string): void {
  const [path = '', query] = transaction.fullPath.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  transaction.fullPath = `${path}?${parameters.toString()}`;
}

export function idOf(answer: Awaited<ReturnType<Client['get']>>): string {
  return (expectStatus(answer, 200).data as { id: string }).id;
}

export function firstOf(answer: Awaited<ReturnType<Client['get']>>): string {
  const [first] = expectStatus(answer, 200).data as { id: string }[];
  if (first === undefined) throw new Error('the list is empty');
  return first.id;
}

/** In the body, and in the header where the operation has one. */
export function giveCode({ transaction, operation }: Situation, code: string): void {
  change(transaction, (body) => ({ ...body, code }));
  if (operation.parameters.some(({ name }) => name === 'mfa-validation-code'))
    transaction.request.headers['mfa-validation-code'] = code;
}
