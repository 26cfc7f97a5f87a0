// A value inside a document together with its place, so that whatever the generator refuses is named by document and
// pointer.

export class UnknownConstruct extends Error {}

export class Node {
  constructor(
    readonly document: string,
    readonly pointer: string,
    readonly value: unknown,
  ) {}

  fail(reason: string): never {
    throw new UnknownConstruct(`${this.document} ${this.pointer || '#'}: ${reason}`);
  }

  /** The member `key`; its value is undefined when there is none. */
  at(key: string): Node {
    const members = this.members();
    const value = Object.hasOwn(members, key) ? members[key] : undefined;
    return new Node(this.document, `${this.pointer || '#'}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, value);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.members(), key);
  }

  keys(): string[] {
    return Object.keys(this.members()).sort();
  }

  /** All members in the order of their names. */
  entries(): [string, Node][] {
    return this.keys().map((key) => [key, this.at(key)]);
  }

  /** Refuses every member that is not listed. */
  only(...known: string[]): void {
    for (const key of this.keys()) {
      if (!known.includes(key)) this.at(key).fail('the generator does not know this keyword here');
    }
  }

  items(): Node[] {
    if (!Array.isArray(this.value)) return this.fail('a list is expected');
    return this.value.map((item: unknown, index) => new Node(this.document, `${this.pointer || '#'}/${index}`, item));
  }

  string(): string {
    return typeof this.value === 'string' ? this.value : this.fail('a string is expected');
  }

  strings(): string[] {
    return this.items().map((item) => item.string());
  }

  oneOf<T extends string>(...allowed: T[]): T {
    const found = allowed.find((candidate) => candidate === this.value);
    return found ?? this.fail(`one of ${allowed.join(', ')} is expected`);
  }

  optionalString(key: string): string | null {
    return this.has(key) ? this.at(key).string() : null;
  }

  optionalNumber(key: string): number | null {
    if (!this.has(key)) return null;
    const member = this.at(key);
    return typeof member.value === 'number' && Number.isFinite(member.value)
      ? member.value
      : member.fail('a number is expected');
  }

  /** A boolean member, false when it is missing. */
  flag(key: string): boolean {
    if (!this.has(key)) return false;
    const member = this.at(key);
    return typeof member.value === 'boolean' ? member.value : member.fail('true or false is expected');
  }

  private members(): Record<string, unknown> {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return this.fail('a mapping is expected');
    return value as Record<string, unknown>;
  }
}

/** Order by UTF-16 code units, the same on every machine. */
export function byName(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
