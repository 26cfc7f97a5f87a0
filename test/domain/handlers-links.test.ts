/**
 * The links of an entity against the nested lists that the specs have for it: one missing or dead is in a list here.
 */
import { expect } from 'chai';
import type { OperationSpec } from '../../generated/operation.js';
import { operations } from '../../generated/operations.js';
import { linksOf } from '../../handlers/fields.js';

const all: readonly OperationSpec[] = Object.values(operations).flatMap(
  (specs: Readonly<Record<string, OperationSpec>>) => Object.values(specs),
);
const collections = [...new Set(all.map(({ path }) => path.split('/')[1] ?? ''))].sort();

/** What can be read below an entity and is not linked, as clients know it. */
const WITHOUT_LINK = [
  'cas/jwt', // linked by the CA itself, while it enrolls
  'config-types/configs',
  'configs/services',
  'controller-settings/effective',
  'edge-routers/identities',
  'edge-routers/service-edge-router-policies',
  'edge-routers/services',
  'routers/terminators', // linked by the fabric API alone
  'services/edge-routers',
  'services/explain', // no list
  'services/identities',
];
/** Links that lead nowhere, as clients know them. */
const DEAD = ['api-sessions/sessions'];

describe('links of entities', () => {
  const readable = new Set(
    all
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => /^\/([^/]+)\/\{\w+\}\/([^/]+)$/.exec(path))
      .flatMap((match) => (match === null ? [] : [`${match[1]}/${match[2]}`])),
  );
  const linked = new Set(
    collections.flatMap((collection) =>
      Object.keys(linksOf(collection, 'id'))
        .filter((name) => name !== 'self')
        .map((name) => `${collection}/${name}`),
    ),
  );

  it('lead to every nested list, except to those listed here', () => {
    expect([...readable].filter((path) => !linked.has(path)).sort()).to.deep.equal(WITHOUT_LINK);
  });

  it('lead to something that can be read, except those listed here', () => {
    expect([...linked].filter((path) => !readable.has(path)).sort()).to.deep.equal(DEAD);
  });
});
