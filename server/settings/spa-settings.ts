/**
 * Settings of single-page applications, such as a release of an administration console, that this controller serves
 * from folders. Part of the table in config.ts; docs/operations/console.md says how to use them.
 */
import { basePaths, routes } from '../../generated/routes.js';
import { parseText, setting } from './setting-kinds.js';

/** One application. */
export interface SpaPlace {
  /** Path at which it is served, without slashes at its ends: `zac` is `/zac/`. */
  readonly path: string;
  /** The folder that holds it. */
  readonly location: string;
  /** The file in that folder which answers all paths that are no files. */
  readonly index: string;
  /** Its content security policy; null: the one of spa-policy.ts. */
  readonly policy: string | null;
}

/** First segments of paths that are the controller's own, whether it serves them now or not. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...['edge', 'fabric', 'oidc', '.well-known'],
  ...['docs', 'livez', 'readyz', 'health-checks', 'metrics', 'network-page', 'favicon.ico'],
  ...['swagger.json', 'openapi.json', 'openapi.yaml'],
  ...Object.values(basePaths).map((base) => base.split('/')[1] ?? ''),
  ...Object.keys(routes.client.literals),
  ...Object.keys(routes.management.literals),
]);

const MEMBERS = ['path', 'location', 'index', 'policy'];
const EXAMPLE = '[{"path": "zac", "location": "/opt/zac"}]';
const MOST_SEGMENTS = 4;

/** A list in YAML, or the same as JSON in a text. */
function spaPlaces(value: unknown): readonly SpaPlace[] {
  if (value === null || value === '') return [];
  const list = typeof value === 'string' ? parsed(value) : value;
  if (!Array.isArray(list)) throw new Error(`must be a list such as ${EXAMPLE}`);
  const places = list.map(placeOf);
  const [collision] = places.flatMap((place, index) =>
    places.slice(index + 1).flatMap((other) => (overlap(place.path, other.path) ? [[place, other] as const] : [])),
  );
  if (collision !== undefined) {
    const [one, other] = collision.map(({ path }) => path);
    throw new Error(
      one === other
        ? `has the path ${one} twice: give each application a path of its own`
        : `has the paths ${one} and ${other}, one within the other: give each application a path of its own`,
    );
  }
  return places;
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw new Error(`must be a list as JSON, such as ${EXAMPLE}`);
  }
}

function placeOf(value: unknown): SpaPlace {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`must be a list of objects, such as ${EXAMPLE}`);
  const given = value as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(`has a member ${unknown}, but only ${MEMBERS.join(', ')} are known`);
  const member = (name: string): string => {
    if (typeof given[name] !== 'string' || given[name] === '')
      throw new Error(`needs ${name} as a text in each element, as in ${EXAMPLE}`);
    return parseText(given[name]);
  };
  return {
    path: pathOf(member('path')),
    location: member('location'),
    index: given['index'] === undefined ? 'index.html' : indexOf(member('index')),
    policy: given['policy'] === undefined || given['policy'] === null ? null : policyOf(member('policy')),
  };
}

function pathOf(given: string): string {
  const path = given.replace(/^\/|\/$/g, '');
  const segments = path.split('/');
  if (path === '') throw new Error('has the path /, which belongs to the client API: use one such as zac');
  if (segments.length > MOST_SEGMENTS || !segments.every((segment) => /^[A-Za-z0-9][\w.~-]{0,63}$/.test(segment)))
    throw new Error(
      `has the path ${given.slice(0, 100)}: use letters, digits, -, _ and ., in up to ${MOST_SEGMENTS} segments, ` +
        'such as zac',
    );
  const [first = ''] = segments;
  if (RESERVED.has(first)) throw new Error(`has the path ${path}, but /${first} is the controller's own: use another`);
  return path;
}

function indexOf(given: string): string {
  if (!/^[\w~-][\w.~-]*$/.test(given))
    throw new Error(`has the index ${given.slice(0, 100)}: it must name a file of the folder itself`);
  return given;
}

function policyOf(given: string): string {
  if (!/^[\x20-\x7e]+$/.test(given)) throw new Error('has a policy with characters that no header may have');
  return given;
}

/** One is the other, or lies below it. */
const overlap = (one: string, other: string): boolean =>
  `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);

export const SPA = {
  spa: setting(
    'spa',
    'EDGE_SPA',
    spaPlaces,
    [] as readonly SpaPlace[],
    'Single-page applications to serve, such as an administration console: a list of `path` (`zac` is `/zac/`), ' +
      '`location` (the folder), `index` (`index.html`) and `policy` (a content security policy instead of the one ' +
      `that is made for it). As a variable: JSON, such as \`${EXAMPLE}\`.`,
  ),
};
