/** Reading the certificate requests of callers without holding up others: to decode one takes milliseconds of the processor. */
import { readSigningRequest } from '../../domain/pki/csr.js';
import type { SigningRequest } from '../../domain/pki/csr.js';
import type { Services } from '../services.js';

/** @throws DomainError `csrInvalid`; `tooManyRequests` while too many wait */
export async function readRequest(csrPem: string, { turns }: Pick<Services, 'turns'>): Promise<SigningRequest> {
  return turns.run(() => readSigningRequest(csrPem));
}
