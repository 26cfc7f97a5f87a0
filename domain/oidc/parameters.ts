/** Parameters of a request, from its query, its form or JSON. */
import { OauthFault } from './fault.js';

/** Objects of JSON whose members have, in a form, the same names behind a word. */
const PREFIXES: Readonly<Record<string, string>> = { envInfo: 'env', sdkInfo: 'sdk' };

/** @typeParam N  names that the operation declares */
export class Parameters<in N extends string> {
  readonly #sources: readonly Readonly<Record<string, unknown>>[];

  /** @param sources  query and body: a parameter is in either */
  constructor(...sources: readonly (object | undefined)[]) {
    this.#sources = sources.filter((source) => source !== undefined).map(flat);
  }

  /**
   * Returns its value; undefined when it is absent or empty, which is the same (RFC 6749 section 3.1).
   * @throws OauthFault `invalid_request` when it comes twice, or is longer than `most`
   */
  get(name: N, most = Number.POSITIVE_INFINITY): string | undefined {
    const [value, ...others] = this.all(name);
    if (others.length > 0) throw new OauthFault('invalid_request', `${name} is there more than once`);
    if (value !== undefined && value.length > most) throw new OauthFault('invalid_request', `${name} is too long`);
    return value;
  }

  all(name: N): readonly string[] {
    return this.#sources.flatMap((source) => {
      const value = source[name];
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      return values.filter((one) => typeof one === 'string' && one !== '');
    }) as string[];
  }
}

function flat(source: object): Readonly<Record<string, unknown>> {
  const values = source as Readonly<Record<string, unknown>>;
  const inner = Object.entries(PREFIXES).flatMap(([name, prefix]) => {
    const object = values[name];
    if (typeof object !== 'object' || object === null) return [];
    return Object.entries(object).map(([key, value]): [string, unknown] => [
      prefix + key.charAt(0).toUpperCase() + key.slice(1),
      value,
    ]);
  });
  return inner.length === 0 ? values : { ...values, ...Object.fromEntries(inner) };
}
