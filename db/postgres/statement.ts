/**
 * A statement as a value: its name, its text, on which connections it runs and, of a change, where the actor of the
 * audit record goes. Modules make theirs once, when they are loaded, and `Db` runs them.
 */

/**
 * Kind of a statement: what it may share its connection with.
 * - `read`: short, changes nothing. Outside a transaction it goes over a lane, where each waits for those before it.
 * - `pooled`: reads for longer, or locks: a connection of the pool to itself.
 * - `list`: a connection that only lists use, under the share of whoever reads it.
 * - `change`: waits for its turn among the changes, and its commit for the synchronous standbys.
 * - `changeAside`: the same of what moves no epoch, as sessions and terminators, which come and go all the time: only
 *   what is noted with it (`touched`) is forgotten.
 * - `asyncChange`: a change whose commit waits for no standby, for what is simply done again when a failover loses it.
 */
export type StatementKind = 'read' | 'pooled' | 'list' | 'change' | 'changeAside' | 'asyncChange';

/** Those that make a request change something, and wait for its precondition. */
export const isChange = (kind: StatementKind): boolean => kind === 'change' || kind === 'changeAside';

/** Parts that a connection needs to run it. */
export interface Sendable {
  /** PostgreSQL keeps it prepared under this name; null for a text that varies without bound. */
  readonly name: string | null;
  /** Name in traces and metrics. */
  readonly label: string;
  readonly text: string;
}

/** A statement and its values. */
export interface BoundStatement {
  readonly statement: Sendable;
  readonly values: readonly unknown[];
}

/**
 * How a change goes together with others: one that takes about a millisecond as a rule, or a few, waits for no row but
 * its own and those that name it, and leaves nothing set in its transaction but the actor.
 */
export interface Sharing {
  /** Place, among its values, of the id of the row that it locks first; null: it makes one. */
  readonly row: number | null;
  /** A setting besides the actor's that it makes, and that its triggers take back. */
  readonly takenBack?: string;
}

export interface Statement<R = unknown> extends Sendable {
  readonly kind: StatementKind;
  /**
   * The same with the actor as its last value, `$n`, where `n` is one more than the number of its other values. Absent
   * where no actor is recorded.
   */
  readonly withActor?: (n: number) => Sendable;
  /** It may share its commit with others (shared-commits.ts). */
  readonly sharing?: Sharing | undefined;
  /** Type of its rows; only the compiler reads it. */
  readonly row?: R;
}

/** A mark by which the compiler knows whether a text has a place for the actor; at run time it is the SQL. */
type ActorPlace = '<actor>';

/** Places of the actor in a text: it needs one of the two. They are evaluated as rows come; triggers run later. */
export interface ActorPlaces {
  /** Follows columns: `RETURNING id${actor}`, or `SELECT id${actor} FROM …` at the end of a WITH. */
  readonly actor: ActorPlace;
  /** Stands for a whole RETURNING, of a change that returns nothing. */
  readonly returningActor: ActorPlace;
}

export type ChangeText = (places: ActorPlaces) => `${string}${ActorPlace}${string}`;

const ASYNC_COMMIT = "set_config('synchronous_commit', 'local', true)";

const placesFor = (settings: readonly string[]): ActorPlaces => ({
  actor: settings.map((setting) => `, ${setting}`).join('') as ActorPlace,
  returningActor: (settings.length === 0 ? '' : ` RETURNING ${settings.join(', ')}`) as ActorPlace,
});

class Change<R> implements Statement<R> {
  declare readonly row?: R;
  readonly text: string;
  #attributed: Sendable | undefined;

  constructor(
    readonly kind: 'change' | 'changeAside' | 'asyncChange',
    readonly name: string,
    readonly textWith: ChangeText,
    readonly sharing?: Sharing,
  ) {
    this.text = textWith(placesFor(this.#settings));
    if (sharing !== undefined && settingsIn(this.text).some((setting) => setting !== sharing.takenBack))
      throw new Error(`${name} sets more in its transaction than its actor, so it must not share it`);
  }

  get label(): string {
    return this.name;
  }

  get #settings(): readonly string[] {
    return this.kind === 'asyncChange' ? [ASYNC_COMMIT] : [];
  }

  /** Named apart, since a connection may have the text without an actor too. */
  readonly withActor = (n: number): Sendable =>
    (this.#attributed ??= {
      name: `${this.name}+`,
      label: this.name,
      text: this.textWith(placesFor([...this.#settings, `set_config('edge.actor', $${n}, true)`])),
    });
}

const settingsIn = (text: string): readonly string[] =>
  [...text.matchAll(/set_config\('([^']*)'/g)].map(([, setting = '']) => setting);

/** PostgreSQL cuts longer names, and one with an actor has a letter more. */
const MAX_NAME_LENGTH = 62;
/** How names of statements begin that are made while the program runs. */
const VARYING = ['insert-', 'update-', 'delete-', 'list-'] as const;

const names = new Set<string>();

/** @throws Error when another statement has the name: PostgreSQL would take the one for the other */
function unique(name: string): string {
  if (names.has(name)) throw new Error(`two statements are called ${name}`);
  if (name.length > MAX_NAME_LENGTH || VARYING.some((prefix) => name.startsWith(prefix)))
    throw new Error(`a statement must not be called ${name}`);
  names.add(name);
  return name;
}

/** A short statement that changes nothing. Slow ones are for `slowRead`: others wait behind it. */
export const read = <R>(name: string, text: string): Statement<R> => ({
  kind: 'read',
  name: unique(name),
  label: name,
  text,
});

/** A statement that changes nothing and may take a while. */
export const slowRead = <R>(name: string, text: string): Statement<R> => ({
  kind: 'pooled',
  name: unique(name),
  label: name,
  text,
});

/** A statement that locks, for work in a transaction. */
export const locking: typeof slowRead = slowRead;

/** A statement that changes something: outside a transaction, one of its own. */
export const change = <R = never>(name: string, text: ChangeText): Statement<R> =>
  new Change<R>('change', unique(name), text);

/** A change that may share its commit (shared-commits.ts). */
export const shortChange = <R = never>(name: string, sharing: Sharing, text: ChangeText): Statement<R> =>
  new Change<R>('change', unique(name), text, sharing);

/** A change that moves no epoch; with `sharing` it may share its commit. */
export const changeAside = <R = never>(name: string, text: ChangeText, sharing?: Sharing): Statement<R> =>
  new Change<R>('changeAside', unique(name), text, sharing);

/**
 * A change whose commit waits for no synchronous standby, as that of a transaction which `isAsync`. In a
 * transaction it holds for all of that.
 */
export const asyncChange = <R = never>(name: string, text: ChangeText): Statement<R> =>
  new Change<R>('asyncChange', unique(name), text);

/** A text that is not kept prepared, such as a command or one that varies. @param label  for traces and metrics */
export const unprepared = <R>(label: string, text: string): Statement<R> => ({
  kind: 'pooled',
  name: null,
  label,
  text,
});

type Varying = `${(typeof VARYING)[number]}${string}`;

/**
 * A change that is made while the program runs, such as one for a set of columns. Whoever makes it keeps it, and gives
 * no other text the same name.
 */
export const varyingChange = <R = never>(name: Varying, text: ChangeText, sharing?: Sharing): Statement<R> =>
  new Change<R>('change', name, text, sharing);

/** A list that is shaped by a request. @param name  null for a shape that is not kept prepared */
export const list = <R>(name: Varying | null, text: string, kind: 'read' | 'list' = 'list'): Statement<R> => ({
  kind,
  name,
  label: name ?? 'list',
  text,
});
