/**
 * Names who makes a change, for the audit record: a setting of the transaction, which the triggers of PostgreSQL read.
 * It goes along with what is sent anyway, so it costs no round trip.
 */
import type { ActorKind } from '../../domain/audit.js';
import { read } from './statement.js';
import type { BoundStatement, Sendable } from './statement.js';

/** The one who makes a change. Without one the controller acts by itself. */
export interface Actor {
  /** `operator` is the command line on the controller's own machine; `anonymous` a client that has not logged in. */
  readonly kind: ActorKind;
  /** Id of the identity or the router. */
  readonly id?: string;
  readonly name?: string;
  readonly apiSessionId?: string;
  /** Address that the request came from. */
  readonly address?: string;
  readonly requestId?: string;
  /** Name of the controller that does it. */
  readonly controller?: string;
}

/** Characters of our ids and addresses: nothing in it means anything to SQL or to the setting. */
const PLAIN = /^[\w.:%-]{0,128}$/;
const plainOrEmpty = (value = ''): string => (PLAIN.test(value) ? value : '');
const hex = (text = ''): string => Buffer.from(text).toString('hex');

/** The value of the setting: letters, digits and `|.:%_-` only, whatever the names are. */
export const settingOf = ({ kind, id, name, apiSessionId, address, requestId, controller }: Actor): string =>
  [
    kind,
    plainOrEmpty(id),
    hex(name),
    plainOrEmpty(apiSessionId),
    plainOrEmpty(address),
    plainOrEmpty(requestId),
    hex(controller),
  ].join('|');

const ACT_AS = read('act-as', "SELECT set_config('edge.actor', $1, true)");

/** The same as a statement of a transaction that is open. */
export const actingAs = (actor: Actor): BoundStatement => ({ statement: ACT_AS, values: [settingOf(actor)] });

/** The statement that opens a transaction in which `actor` acts: two commands in one message. */
export const beginAs = (begin: Sendable, actor: Actor | undefined): Sendable =>
  actor === undefined ? begin : { ...begin, text: `${begin.text}; SET LOCAL edge.actor = '${settingOf(actor)}'` };
