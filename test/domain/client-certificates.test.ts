/** Which certificates of a client count, and as whose. Against real TLS connections. */
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createIntermediateCa, createRootCa, openIssuer } from '../../domain/pki/authority.js';
import { ChainFault, type VerifiedChain } from '../../domain/pki/chain.js';
import { readSigningRequest } from '../../domain/pki/csr.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { verifyPeer, type PeerTrust } from '../../domain/pki/peer.js';
import { createPeers } from '../../server/api/peer.js';
import { RunningPki } from '../../server/keys/pki.js';
import {
  createCertificateClient,
  makeCa,
  makeLeaf,
  makeRequest,
  makeSelfSigned,
  shownBy,
} from '../support/certificates.js';

async function newPki(): Promise<RunningPki> {
  const [rootKeys, keys] = await Promise.all([newKeyPair(), newKeyPair()]);
  const root = await createRootCa({ commonName: 'Network root', keys: rootKeys, now: new Date() });
  const issuer = openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem });
  const intermediate = await createIntermediateCa(issuer, { commonName: 'Network signer', keys, now: new Date() });
  return RunningPki.open('td.example', {
    rootPems: [root.certPem],
    crossPems: [],
    intermediatePems: [intermediate.certPem],
    intermediateKeyPem: keys.privateKeyPem,
  });
}

describe('certificates that clients show', () => {
  const foreign = makeCa();
  const below = makeCa({ parent: foreign });
  const cas = [{ id: 'foreign', certPem: foreign.pem }];
  const request = makeRequest();
  let own: RunningPki;
  let own2: RunningPki;
  let issued: { leafPem: string; chainPem: string; fingerprint: string };
  let server: Server;
  let seen: readonly Buffer[] = [];

  before(async () => {
    [own, own2] = await Promise.all([newPki(), newPki()]);
    issued = await own.issueForIdentity(readSigningRequest(request.pem), 'joe');
    const front = makeSelfSigned({ names: { dns: ['localhost'] } });
    const peers = createPeers(() => Promise.resolve(undefined));
    server = createServer(
      { cert: front.pem, key: front.privateKeyPem, requestCert: true, rejectUnauthorized: false },
      (incoming, response) => {
        seen = peers.certificatesOf(incoming);
        response.end();
      },
    );
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Through a real handshake. */
  async function show(shown: { cert: string; key: string } | undefined, trust: PeerTrust): Promise<VerifiedChain> {
    const client = createCertificateClient(
      `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      shown as { cert: string; key: string },
    );
    try {
      await client.get('/');
      const first = seen;
      await client.get('/');
      expect(seen).to.deep.equal(first);
      return verifyPeer(seen, trust);
    } finally {
      client.close();
    }
  }
  async function refuse(
    shown: { cert: string; key: string } | undefined,
    trust: PeerTrust,
    text: RegExp,
  ): Promise<void> {
    const error: unknown = await show(shown, trust).then(
      () => undefined,
      (fault: unknown) => fault,
    );
    expect(error).to.be.instanceOf(ChainFault).with.property('message').that.matches(text);
  }
  const keyed = (cert: string) => ({ cert, key: request.privateKeyPem });

  it('are refused when there are none', () => refuse(undefined, { own, cas }, /no certificate/));

  it('are the network’s own', async () => {
    expect(await show(keyed(issued.chainPem), { own, cas })).to.include({
      caId: null,
      fingerprint: issued.fingerprint,
      isComplete: true,
      isExpired: false,
    });
    expect(await show(keyed(issued.leafPem), { own, cas })).to.include({
      caId: null,
      fingerprint: issued.fingerprint,
      isComplete: false,
    });
  });

  it('are not the network’s own where these do not count, or of another network', async () => {
    await refuse(keyed(issued.chainPem), { own: null, cas }, /leads to no CA/);
    await refuse(keyed(issued.chainPem), { own: own2, cas }, /leads to no CA/);
    await refuse(keyed(issued.chainPem + own.caBundlePem()), { own: own2, cas }, /leads to no CA/);
  });

  it('are those of CAs that are acceptable', async () => {
    const leaf = makeLeaf(below);
    expect(await show(shownBy(leaf, below), { own, cas })).to.include({
      caId: 'foreign',
      fingerprint: leaf.fingerprint,
      isComplete: true,
    });
    await refuse(shownBy(leaf), { own, cas }, /leads to no CA/);
    await refuse(shownBy(leaf, below), { own, cas: [] }, /leads to no CA/);
    await refuse(shownBy(leaf, below, foreign), { own, cas: [] }, /leads to no CA/);
  });

  it('stay the shower’s when the certificates of a victim follow', async () => {
    const victim = makeLeaf(foreign);
    await refuse(shownBy(makeSelfSigned(), victim, foreign), { own, cas }, /leads to no CA/);
    const leaf = makeLeaf(foreign);
    expect((await show(shownBy(leaf, victim, foreign, victim), { own, cas })).fingerprint).to.equal(leaf.fingerprint);
  });

  it('do not lead to what follows a CA in its PEM', async () => {
    const other = makeCa();
    await refuse(
      shownBy(makeLeaf(other), other),
      { own, cas: [{ id: 'foreign', certPem: foreign.pem + other.pem }] },
      /leads to no CA/,
    );
  });
});
