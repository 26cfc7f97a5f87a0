/** A binary heap: routers that a search has reached, the cheapest first, and by their ids where they cost the same. */

export interface Queued {
  readonly id: string;
  cost: number;
  /** Position in the heap; negative when it is not there. */
  place: number;
}

export class PathQueue<T extends Queued> {
  #heap: T[] = [];

  clear(): void {
    for (const item of this.#heap) item.place = -1;
    this.#heap = [];
  }

  add(item: T): void {
    item.place = this.#heap.push(item) - 1;
    this.moveUp(item);
  }

  /** Call when an item that is in the heap costs less now. */
  moveUp(item: T): void {
    const heap = this.#heap;
    let { place } = item;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(item, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(item, place);
  }

  /** Takes out the first; undefined when it is empty. */
  take(): T | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    first.place = -1;
    if (last !== first) this.#moveDown(last);
    return first;
  }

  /** Puts an item in the first place, and then where it belongs. */
  #moveDown(item: T): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = heap[2 * place + 1];
      const right = heap[2 * place + 2];
      if (left === undefined) break;
      const child = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(child, item)) break;
      const below = child.place;
      this.#put(child, place);
      place = below;
    }
    this.#put(item, place);
  }

  #put(item: T, place: number): void {
    this.#heap[place] = item;
    item.place = place;
  }
}

const isBefore = (a: Queued, b: Queued): boolean => a.cost < b.cost || (a.cost === b.cost && a.id < b.id);
