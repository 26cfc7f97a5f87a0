/**
 * Reading the certificate requests of callers without holding up others: a large one takes milliseconds of the
 * processor.
 */
import { readSigningRequest } from '../../domain/pki/csr.js';
import type { SigningRequest } from '../../domain/pki/csr.js';
import type { Context } from '../context.js';

/** @throws DomainError `csrInvalid`; `tooManyRequests` while too many wait */
export async function readRequest(
  csrPem: string,
  { yieldQueue }: Pick<Context, 'yieldQueue'>,
): Promise<SigningRequest> {
  return yieldQueue.run(() => readSigningRequest(csrPem));
}
