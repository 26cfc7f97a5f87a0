/** Finds what came, changed and went between two looks at entities of one kind. */

export interface Tellers<T> {
  readonly came: (item: T) => void;
  readonly changed: (item: T) => void;
  readonly left: (item: T) => void;
  /** Another text means that it changed. */
  readonly stateOf: (item: T) => string;
}

/** The first look finds what there was before, which is not sent. */
export function difference<T extends { readonly id: string }>(read: () => Promise<readonly T[]>, tell: Tellers<T>) {
  let before: ReadonlyMap<string, T> | undefined;
  return async () => {
    const now = new Map((await read()).map((item) => [item.id, item]));
    for (const [id, item] of before === undefined ? [] : now) {
      const known = before?.get(id);
      if (known === undefined) tell.came(item);
      else if (tell.stateOf(known) !== tell.stateOf(item)) tell.changed(item);
    }
    for (const [id, item] of before ?? []) if (!now.has(id)) tell.left(item);
    before = now;
  };
}
