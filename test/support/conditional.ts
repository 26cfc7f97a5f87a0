/** The operations that take `If-Match`, and what their suites send. */
import type { OperationSpec } from '../../generated/operation.js';
import { exampleOf } from '../contract/examples.js';
import type { Body } from '../contract/examples.js';
import { ends, newIssuer } from '../contract/subjects.js';
import { withNewNames } from '../contract/world.js';
import type { World } from '../contract/world.js';
import { unique } from './controller.js';
import { all, pathOf } from './operations.js';

export const conditional = all.filter(({ parameters }) => parameters.some(({ name }) => name === 'If-Match'));

export const ifMatch = (tag: string) => ({ headers: { 'if-match': tag } });

/** Its part that `If-Match` compares. */
export const versionOf = (tag: string): string => tag.slice(1).split(/[."]/, 1)[0] ?? '';

/** What changes the entity by this operation; undefined for a delete. */
export async function bodyOf({ method, path }: OperationSpec, world: World): Promise<Body | undefined> {
  if (method === 'DELETE') return undefined;
  const example = exampleOf('management', method, path) ?? {};
  if (method === 'PATCH')
    return { ...('typeId' in example ? { typeId: example['typeId'] } : {}), tags: { a: unique('a') } };
  const body = withNewNames(example, unique);
  if (path.startsWith('/external-jwt-signers')) return { ...body, ...newIssuer(world) };
  return path.startsWith('/terminators') ? { ...body, ...(await ends(world)) } : body;
}

/** Where an administrator reads what the operation changes: a version is the same in both APIs. */
export const detailOf = (operation: OperationSpec, id: string) => pathOf({ ...operation, api: 'management' }, id);
