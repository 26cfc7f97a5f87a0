/** Objects of which a part is there: what is asked for beyond it is our fault, and is said at once. */

/** @param purpose  for the message */
export function partial<T extends object>(purpose: string, part: Partial<T>): T {
  return new Proxy(part, {
    get(target, name, receiver): unknown {
      if (typeof name === 'string' && !(name in target) && name !== 'then')
        throw new Error(`${purpose} has no use for ${name}`);
      return Reflect.get(target, name, receiver);
    },
  }) as T;
}
