/** Requests for certificates, as those who enroll make them. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Both PEM. */
export interface SigningRequest {
  readonly csr: string;
  readonly key: string;
}

/** With a new key. It takes a millisecond. */
export async function newRequest(name: string): Promise<SigningRequest> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create(
    { name: `CN=${name}`, keys, signingAlgorithm: ALGORITHM },
    webcrypto,
  );
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return {
    csr: request.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`,
  };
}
