/** Content codings (RFC 9110 sections 8.4, 12.5.3): what an answer may be compressed with, and what a body may be. */
import { DomainError, invalidField } from '../../domain/errors.js';

/** Codings in the order of preference: brotli at its quality 1 is smaller than gzip at its level 1, and cheaper. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

export interface Wish {
  /** null: the answer goes as it is. */
  readonly coding: Coding | null;
  /** The client takes no answer that is not compressed. */
  readonly refusesPlain: boolean;
}

const PLAIN: Wish = { coding: null, refusesPlain: false };

/** No client needs more; what is longer counts as not sent. */
const MAX_CHARS = 500;

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** @param header  `Accept-Encoding`; malformed items of it do not count */
export function wishOf(header: string): Wish {
  if (header.length > MAX_CHARS) return PLAIN;
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', parameter, ...more] = item.split(';').map((part) => part.trim());
    const weight = parameter === undefined ? '1' : WEIGHT.exec(parameter)?.[1];
    if (name !== '' && weight !== undefined && more.length === 0)
      weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight));
  }
  const others = weights.get('*');
  const plain = weights.get('identity');
  let coding: Coding | null = null;
  // Equal weights mean compressed: a client that names a coding wants it.
  let most = plain ?? 0;
  for (const name of CODINGS) {
    const weight = weights.get(name) ?? others ?? 0;
    if (weight === 0 || weight < most || (weight === most && coding !== null)) continue;
    coding = name;
    most = weight;
  }
  return { coding, refusesPlain: (plain ?? others) === 0 };
}

/** @throws DomainError `notAcceptable` where the answer cannot be compressed, and the client takes no other */
export function requirePlain({ refusesPlain }: Wish, header: string | undefined): void {
  if (!refusesPlain) return;
  throw new DomainError('notAcceptable', {
    field: {
      field: 'Accept-Encoding',
      reason: 'refuses identity, the only coding that is available for this answer',
      value: (header ?? '').slice(0, 200),
    },
  });
}

/** @throws DomainError `unsupportedMedia` for a body that is compressed: none is unpacked, whatever its size may be */
export function requirePlainBody(header: string | undefined): void {
  if (header === undefined) return;
  const codings = header.toLowerCase().split(',');
  if (codings.every((name) => ['', 'identity'].includes(name.trim()))) return;
  const value = header.slice(0, 100);
  const { field } = invalidField(
    'Content-Encoding',
    `unsupported content coding "${value}", only [identity] is allowed: send the body as it is`,
    value,
  );
  // RFC 9110 section 15.5.16: which codings would do.
  throw new DomainError('unsupportedMedia', {
    ...(field === undefined ? {} : { field }),
    headers: { 'accept-encoding': 'identity' },
  });
}
