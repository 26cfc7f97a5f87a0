/** Finds elements by what they are made of, such as circuits by the routers of their paths. */

export class PartIndex<T> {
  readonly #byPart = new Map<string, Set<T>>();

  constructor(private readonly partsOf: (element: T) => readonly string[]) {}

  add(element: T): void {
    for (const part of this.partsOf(element)) {
      const known = this.#byPart.get(part);
      if (known === undefined) this.#byPart.set(part, new Set([element]));
      else known.add(element);
    }
  }

  remove(element: T): void {
    for (const part of this.partsOf(element)) {
      const known = this.#byPart.get(part);
      known?.delete(element);
      if (known?.size === 0) this.#byPart.delete(part);
    }
  }

  of(part: string): T[] {
    return [...(this.#byPart.get(part) ?? [])];
  }
}
