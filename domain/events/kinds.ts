/** Filters by the kinds of events: `identity.created`, `identity.*`, `*.deleted`, `*`. */
import { invalidField } from '../errors.js';
import { nearestWord } from '../nearest-word.js';

/** Kinds of entities in records: each has `.created`, `.updated` and `.deleted`. */
const ENTITIES = [
  'apiSessionCertificate',
  'authPolicy',
  'authenticator',
  'ca',
  'config',
  'configType',
  'controller',
  'controllerSetting',
  'edgeRouter',
  'edgeRouterPolicy',
  'enrollment',
  'externalJwtSigner',
  'fabricService',
  'fabricTerminator',
  'identity',
  'mfa',
  'pki',
  'postureCheck',
  'revocation',
  'router',
  'service',
  'serviceEdgeRouterPolicy',
  'servicePolicy',
  'terminator',
  'webhook',
];

const OTHERS = [
  'apiSession.deleted',
  'circuit.deleted',
  'database.integrityFixStarted',
  'database.integrityFixed',
  'database.snapshotTaken',
  'edgeRouter.dequiesced',
  'edgeRouter.quiesced',
  'enrollment.failed',
  'link.deleted',
  'link.updated',
  'login.completed',
  'login.failed',
  'login.succeeded',
  'masterKey.changed',
  'network.updated',
  'pki.renewed',
  'router.dequiesced',
  'router.quiesced',
  'session.deleted',
  'webhook.redelivered',
];

/** Every kind that an audit record can have. */
export const EVENT_KINDS: readonly string[] = [
  ...ENTITIES.flatMap((entity) => ['created', 'updated', 'deleted'].map((verb) => `${entity}.${verb}`)),
  ...OTHERS,
].sort();

const MAX_PATTERNS = 50;

/** One sentence about a pattern that finds nothing. */
function kindsLike(pattern: string): string {
  const near = nearestWord(pattern, EVENT_KINDS, 3);
  if (near !== undefined) return `did you mean ${near}?`;
  const [entity = ''] = pattern.split('.');
  const left = nearestWord(entity, ENTITIES);
  if (left !== undefined) return `${left} has ${EVENT_KINDS.filter((kind) => kind.startsWith(`${left}.`)).join(', ')}`;
  return `there are created, updated and deleted of ${ENTITIES.join(', ')}, and ${OTHERS.join(', ')}`;
}

export type KindFilter = (kind: string) => boolean;

const takesAll: KindFilter = () => true;

/**
 * Patterns of a list with commas; empty for all kinds.
 * @throws DomainError `invalidField` naming `field`
 */
export function parseKinds(field: string, text: string | undefined): readonly string[] {
  const patterns = (text ?? '')
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  requireKinds(field, patterns);
  return patterns;
}

/** @throws DomainError `invalidField` naming `field` */
export function requireKinds(field: string, patterns: readonly string[]): void {
  if (patterns.length > MAX_PATTERNS)
    throw invalidField(field, `must have at most ${MAX_PATTERNS} kinds`, String(patterns.length));
  for (const pattern of patterns) {
    const isMatch = kindFilter([pattern]);
    if (EVENT_KINDS.some(isMatch)) continue;
    const rule = `must have kinds such as identity.created, identity.*, *.deleted or *; ${kindsLike(pattern)}`;
    throw invalidField(field, rule, pattern.slice(0, 100), `${field} has what is no kind of events`);
  }
}

/** Whether one of the patterns matches; without patterns every kind does. What it has judged it remembers. */
export function kindFilter(patterns: readonly string[]): KindFilter {
  if (patterns.length === 0 || patterns.includes('*') || patterns.includes('*.*')) return takesAll;
  const known = new Map<string, boolean>();
  const halves = patterns.map((pattern) => pattern.split('.'));
  return (kind) => {
    const before = known.get(kind);
    if (before !== undefined) return before;
    const [entity, verb] = kind.split('.');
    const matches = halves.some(([left, right]) => isMet(left, entity) && isMet(right, verb));
    known.set(kind, matches);
    return matches;
  };
}

const isMet = (pattern: string | undefined, word: string | undefined) => pattern === '*' || pattern === word;
