/** Parameters of a request, from its query or its form. */
import { OauthFault } from './fault.js';

/** All that one endpoint reads are short, but for tokens and requests for certificates. */
const MAX_VALUE_CHARS = 16_384;

export class Parameters {
  readonly #values: URLSearchParams;

  /** @param texts  query and form: a parameter of either */
  constructor(...texts: readonly string[]) {
    this.#values = new URLSearchParams(texts.filter((text) => text !== '').join('&'));
  }

  /**
   * Returns its value; undefined when it is absent or empty, which is the same (RFC 6749 section 3.1).
   * @throws OauthFault `invalid_request` when it comes twice
   */
  get(name: string, most = MAX_VALUE_CHARS): string | undefined {
    const values = this.#values.getAll(name).filter((value) => value !== '');
    if (values.length > 1) throw new OauthFault('invalid_request', `${name} is there more than once`);
    const [value] = values;
    if (value === undefined) return undefined;
    if (value.length > most) throw new OauthFault('invalid_request', `${name} is too long`);
    if (value.includes('\0')) throw new OauthFault('invalid_request', `${name} has a character that no text has`);
    return value;
  }

  all(name: string): readonly string[] {
    return this.#values.getAll(name).filter((value) => value !== '');
  }
}
