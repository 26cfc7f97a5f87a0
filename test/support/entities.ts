/** Entities of the management API: made, read, and taken out of answers. */
import { createHash } from 'node:crypto';
import { expectStatus } from './client.js';
import type { Answer } from './client.js';
import type { TestController } from './controller.js';
import { CLIENT, MANAGEMENT } from './paths.js';

export interface Entity extends Record<string, unknown> {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tags: Record<string, unknown>;
}

export const entityOf = (answer: Answer): Entity => answer.data as Entity;
export const itemsOf = (answer: Answer): Entity[] => answer.data as Entity[];
export const idsOf = (answer: Answer): string[] => itemsOf(answer).map((item) => item.id);
export const totalOf = (answer: Answer): number => answer.meta.pagination?.totalCount ?? NaN;
export const linksOf = (entity: Entity): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entity['_links'] as Record<string, { href: string }>).map(([name, { href }]) => [name, href]),
  );

/** Creates one and answers its id. */
export async function make(
  controller: Pick<TestController, 'admin'>,
  collection: string,
  body: object,
): Promise<string> {
  return entityOf(expectStatus(await controller.admin.post(`${MANAGEMENT}/${collection}`, body), 201)).id;
}

/** The entity at `path`; `Fields` are those that the caller is about to use. */
export async function read<Fields extends object = object>(
  controller: Pick<TestController, 'admin'>,
  path: string,
): Promise<Entity & Fields> {
  return expectStatus(await controller.admin.get(`${MANAGEMENT}/${path}`), 200).data as Entity & Fields;
}

/** A text that PostgreSQL cannot make shorter, the same each time: too long for an index when it looks so. */
export function incompressible(length: number): string {
  let text = '';
  for (let part = 0; text.length < length; part += 1)
    text += createHash('sha256').update(String(part)).digest('base64url');
  return text.slice(0, length);
}

/** The controllers of the network, as clients read them. */
export async function knownControllers({ newCaller }: Pick<TestController, 'newCaller'>): Promise<unknown> {
  return expectStatus(await (await newCaller()).client.get(`${CLIENT}/controllers`), 200).data;
}
