/** A server certificate for localhost, of an authority that is forgotten at once. */
import { createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';

export async function ownCertificate(): Promise<{ cert: string; key: string }> {
  const now = new Date();
  const [rootKeys, keys] = await Promise.all([newKeyPair('ec-p256'), newKeyPair('ec-p256')]);
  const root = await createRootCa({ commonName: 'bench root', keys: rootKeys, now });
  const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
  const { certPem } = await issueServerCertificate(issuer, {
    commonName: 'bench floor',
    keys,
    now,
    uri: 'spiffe://bench/floor',
    names: { dns: ['localhost'], ip: ['127.0.0.1'] },
  });
  return { cert: certPem, key: keys.privateKeyPem };
}
