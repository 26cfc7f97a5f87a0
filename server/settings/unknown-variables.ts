/** Environment variables that look like settings and are none: a misspelt one has no effect. */
import { nearestWord } from '../../domain/nearest-word.js';
import { SETTINGS } from './config.js';

export interface UnknownVariable {
  readonly name: string;
  /** The setting that may have been meant. */
  readonly meant: string | undefined;
}

const PREFIX = 'EDGE_';

/** Names that our pages, examples and tests use for what is no setting. */
const OURS = new Set([
  'EDGE_CA_SHA256',
  'EDGE_CONFIG',
  'EDGE_CONTROLLER',
  'EDGE_INTEROP',
  'EDGE_PASSWORD',
  'EDGE_ROUTER_PORT',
  'EDGE_URL',
  'EDGE_USERNAME',
]);
const OF_TESTS = /^EDGE_TEST_/;

/** Names that Kubernetes sets in every pod for a service named `edge`, or `edge-…`. */
const OF_KUBERNETES =
  /^EDGE(_[A-Z0-9_]+)?_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;

export function unknownVariables(env: Readonly<Record<string, string | undefined>>): UnknownVariable[] {
  const settings = Object.values(SETTINGS).map((item) => item.env);
  const known = new Set(settings);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !OURS.has(name))
    .filter((name) => !OF_TESTS.test(name) && !OF_KUBERNETES.test(name))
    .sort()
    .map((name) => ({ name, meant: nearestWord(name, settings) }));
}

/** One sentence. */
export const unknownVariableText = ({ name, meant }: UnknownVariable): string =>
  `The variable ${name} is no setting and has no effect${meant === undefined ? '' : ` (did you mean ${meant}?)`}.`;
