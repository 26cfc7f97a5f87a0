/**
 * A refused value as text, for the answer that refuses it. Writing stops once no more is shown, because a value may be
 * a megabyte: a value of any size costs what its first characters cost.
 */

/** Characters of a value, or of a sentence about it, that an answer shows. All permissions fit. */
export const SHOWN_CHARACTERS = 2_000;

/**
 * Text of a refused value, in the field's usual form: missing is `<nil>`, a list is `[a b]`, an object `map[a:1 b:2]`.
 * One that is longer than what is shown ends somewhere behind that.
 */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : new UsualText(SHOWN_CHARACTERS).of(value);
}

/** The first `most` characters of the JSON text of a value that came as JSON. */
export function jsonStart(value: unknown, most: number): string {
  return new JsonText(most).of(value).slice(0, most);
}

abstract class ValueText {
  protected text = '';

  constructor(private readonly most: number) {}

  of(value: unknown): string {
    this.write(value);
    return this.text;
  }

  protected abstract write(value: unknown): void;

  protected get isFull(): boolean {
    return this.text.length > this.most;
  }

  /** Writes as much of the text as may still be shown, and one more character, which shows that it goes on. */
  protected start(text: string): string {
    return text.slice(0, this.most + 1 - this.text.length);
  }

  protected items(list: readonly unknown[], between: string): void {
    for (let index = 0; index < list.length && !this.isFull; index += 1) {
      if (index > 0) this.text += between;
      this.write(list[index]);
    }
  }

  protected members(value: object, between: string, name: (key: string) => string): void {
    let isFirst = true;
    // Object.entries makes a list for each member, also of those that are not shown.
    for (const key of Object.keys(value)) {
      if (this.isFull) return;
      if (!isFirst) this.text += between;
      isFirst = false;
      this.text += name(this.start(key));
      this.write((value as Record<string, unknown>)[key]);
    }
  }
}

class UsualText extends ValueText {
  protected override write(value: unknown): void {
    if (value === undefined || value === null) this.text += '<nil>';
    else if (typeof value === 'string') this.text += this.start(value);
    else if (Array.isArray(value)) {
      this.text += '[';
      this.items(value, ' ');
      this.text += ']';
    } else if (typeof value === 'object') {
      this.text += 'map[';
      this.members(value, ' ', (key) => `${key}:`);
      this.text += ']';
    } else if (typeof value === 'number' || typeof value === 'boolean') this.text += String(value);
  }
}

class JsonText extends ValueText {
  protected override write(value: unknown): void {
    if (typeof value === 'string') this.text += JSON.stringify(this.start(value));
    else if (Array.isArray(value)) {
      this.text += '[';
      this.items(value, ',');
      this.text += ']';
    } else if (typeof value === 'object' && value !== null) {
      this.text += '{';
      this.members(value, ',', (key) => `${JSON.stringify(key)}:`);
      this.text += '}';
    } else this.text += JSON.stringify(value) ?? 'null';
  }
}
