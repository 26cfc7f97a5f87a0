/** Errors of answers as one line of text, whatever form they have. */
import type { Answer } from '../../support/client.js';

interface Texts {
  readonly code?: string;
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string | undefined;
}

interface Bare {
  readonly code?: string;
  readonly cause?: Texts;
  readonly error?: unknown;
  readonly error_description?: string;
}

/** The error of a redirect to a client. */
export function faultAtClient({ status, headers: { location = '' } }: Answer): Texts | undefined {
  const { searchParams } = new URL(location, 'https://localhost');
  const code = status === 302 ? searchParams.get('error') : null;
  return code === null ? undefined : { code, message: searchParams.get('error_description') ?? '' };
}

/** `status CODE field: reason` of an error, in any of its forms: in an envelope, without one, by RFC 6749. */
export function refusalOf(answer: Answer): string {
  const { code = '', cause = {}, error, error_description: message } = (answer.json ?? {}) as Bare;
  const told: Texts = faultAtClient(answer) ?? (typeof error === 'string' ? { code: error, message } : {});
  const { field = '', reason = '', message: words = told.message ?? '' } = (answer.error?.cause ?? cause) as Texts;
  return `${answer.status} ${told.code ?? answer.error?.code ?? code} ${field}: ${reason}${words}`;
}
