/**
 * Identities that are made in one transaction, some hundreds with one statement. One statement each would take time
 * with the square of their number: each leaves a version of the row that counts them, which the next passes over.
 */
import type { NewIdentity } from '../../db/stores/identities.js';
import type { StoreSet, Stores } from '../../db/stores/stores.js';

const MOST = 500;

export class IdentityBatch {
  /** The same stores; identities that host nothing are made with `flush`, or when there are many. */
  readonly stores: Stores;
  #waiting: NewIdentity[] = [];

  constructor(readonly inner: Stores) {
    const identities = over(inner.identities, { create: this.#create });
    this.stores = over(inner, {
      identities,
      transaction: <T>(work: (tx: StoreSet) => Promise<T>) => work(this.stores),
    });
  }

  /** @throws DomainError of any of them */
  async flush(): Promise<void> {
    const items = this.#waiting;
    this.#waiting = [];
    if (items.length > 0) await this.inner.identities.createMany(items);
  }

  #create: StoreSet['identities']['create'] = async (id, draft, enrollments) => {
    const { hostings, isDefaultAdmin = false, ...ordinary } = draft;
    if (hostings.length > 0 || isDefaultAdmin) {
      await this.flush();
      await this.inner.identities.create(id, draft, enrollments);
      return;
    }
    this.#waiting.push({ id, draft: ordinary, enrollments });
    if (this.#waiting.length >= MOST) await this.flush();
  };
}

/** The object with some members exchanged. */
function over<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get: (target, name): unknown =>
      Object.hasOwn(members, name) ? members[name as keyof T] : Reflect.get(target, name, target),
  });
}
