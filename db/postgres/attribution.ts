/**
 * Who changes something, for the audit record: a setting of the transaction, which the triggers of PostgreSQL read.
 * It goes along with what is sent anyway, so it costs no round trip.
 */
import type { ActorKind } from '../../domain/audit.js';
import { EXPENDABLE } from './expendable.js';
import type { Sendable } from './statement.js';

/** Who acts. Without one the controller acts by itself. */
export interface Actor {
  /** `operator` is the command line on the controller's own machine; `anonymous` a client that has not logged in. */
  readonly kind: ActorKind;
  /** Of the identity or the router. */
  readonly id?: string;
  readonly name?: string;
  readonly apiSessionId?: string;
  /** Where the request came from. */
  readonly address?: string;
  readonly requestId?: string;
  /** Name of the controller that does it. */
  readonly controller?: string;
}

/** What our ids and addresses are made of: nothing in it means anything to SQL or to the setting. */
const PLAIN = /^[\w.:%-]{0,128}$/;
const plain = (value = ''): string => (PLAIN.test(value) ? value : '');
const hex = (text = ''): string => Buffer.from(text).toString('hex');

/** The value of the setting: letters, digits and `|.:%_-` only, whatever the names are. */
export const settingOf = ({ kind, id, name, apiSessionId, address, requestId, controller }: Actor): string =>
  [kind, plain(id), hex(name), plain(apiSessionId), plain(address), plain(requestId), hex(controller)].join('|');

/** The statement that opens a transaction in which `actor` acts: two commands in one message. */
export const beginAs = (begin: Sendable, actor: Actor | undefined): Sendable =>
  actor === undefined ? begin : { ...begin, text: `${begin.text}; SET LOCAL edge.actor = '${settingOf(actor)}'` };

/**
 * In the RETURNING of a change within a WITH: there `withActor` puts the setting. It is set while rows come, and
 * triggers run when they all have.
 */
export const BY_ACTOR = '/* by actor */';

const CHANGE = /^\s*(?:INSERT|UPDATE|DELETE)\s/i; // knex writes them small

/** Texts with the actor, by those without. The texts for sets of changed columns vary, but not without bound. */
const texts = new Map<string, string | undefined>();
const MOST_TEXTS = 1_000;

/**
 * A statement that is a transaction of its own, with the actor as its last value, `$n`; how many values it has follows
 * from its text. undefined when that has no place for the actor, who is then set before it.
 */
export function withActor(sql: string, n: number): string | undefined {
  if (texts.has(sql)) return texts.get(sql);
  if (texts.size >= MOST_TEXTS) texts.clear();
  const text = placed(sql, `set_config('edge.actor', $${n}, true)`);
  texts.set(sql, text);
  return text;
}

function placed(sql: string, set: string): string | undefined {
  if (sql.includes(BY_ACTOR)) return sql.replace(BY_ACTOR, () => `, ${set}`);
  if (sql.includes(EXPENDABLE)) return sql.replace(EXPENDABLE, () => `${EXPENDABLE}, ${set}`);
  if (!CHANGE.test(sql)) return undefined;
  return /\bRETURNING\b/i.test(sql) ? `${sql}, ${set}` : `${sql} RETURNING ${set}`;
}
