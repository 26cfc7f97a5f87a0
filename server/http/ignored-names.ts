/**
 * Names in a query or a body that the spec does not know: they have no effect, and the answer says so (docs/http.md).
 * Costs nothing where all names are known.
 */
import type { FieldCause } from '../../domain/errors.js';
import { nearestWord } from '../../domain/nearest-word.js';

type Place = 'query' | 'body';

interface IgnoredName {
  readonly place: Place;
  readonly path: readonly (string | number)[];
  /** Names that are known at this place. */
  readonly known: readonly string[];
}

const MAX_NAMES = 10;
const MAX_BYTES = 512;
/** Room for `, more=` and a count. */
const REST_BYTES = 16;
/** Known names that a refusal lists. */
const LISTED = 12;
const SHOWN_CHARACTERS = 200;

export class IgnoredNames {
  readonly #first: IgnoredName[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(place: Place, path: readonly (string | number)[], known: () => Iterable<string>): void {
    this.#count += 1;
    if (this.#first.length < MAX_NAMES) this.#first.push({ place, path: [...path], known: [...known()] });
  }

  /** The unknown name that may have been meant for a member of the body. @param path  of the member, with dots */
  like(path: string): string | undefined {
    const dot = path.lastIndexOf('.') + 1;
    const names = this.#first
      .filter((one) => one.place === 'body' && one.path.join('.').startsWith(path.slice(0, dot)))
      .filter(({ path: { length } }) => length === path.split('.').length)
      .map((one) => String(one.path.at(-1)));
    return nearestWord(path.slice(dot), names);
  }

  /** The value of the header: `body.rolAttributes, query.page, more=3`; each part of a path is percent-encoded. */
  header(): string {
    let text = '';
    let shown = 0;
    for (const { place, path } of this.#first) {
      const name = [place, ...path.map(encoded)].join('.');
      const longer = text === '' ? name : `${text}, ${name}`;
      if (longer.length > MAX_BYTES - REST_BYTES) break;
      text = longer;
      shown += 1;
    }
    if (shown === this.#count) return text;
    return `${text}${text === '' ? '' : ', '}more=${this.#count - shown}`;
  }

  /** Returns a refusal of each, for a caller that wants to be refused. */
  causes(): FieldCause[] {
    return this.#first.map(({ place, path, known }) => {
      const field = path.join('.').slice(0, SHOWN_CHARACTERS);
      return { field, reason: `${field} in ${place} is not known. ${hint(String(path.at(-1)), known)}`, value: '' };
    });
  }
}

/** Escapes what could end a name or the header. */
const encoded = (part: string | number): string =>
  encodeURIComponent(String(part).slice(0, MAX_BYTES).toWellFormed()).replace(
    /[.!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function hint(name: string, known: readonly string[]): string {
  const near = nearestWord(name.slice(0, SHOWN_CHARACTERS), known);
  if (near !== undefined) return `Did you mean ${near}?`;
  if (known.length === 0) return 'There are none here.';
  const more = known.length > LISTED ? ` and ${known.length - LISTED} more` : '';
  return `The names are ${known.slice(0, LISTED).join(', ')}${more}.`;
}
