/** What a running controller does about keys that it finds renewed, and about a check that fails half-way. */
import { expect } from 'chai';
import { createIntermediateCa, createRootCa, issueServerCertificate, openIssuer } from '../../domain/pki/authority.js';
import { newKeyPair } from '../../domain/pki/keys.js';
import { newTrustDomain } from '../../domain/pki/spiffe.js';
import { createLogger } from '../../server/base/log.js';
import type { NetworkKeys } from '../../server/keys/network-keys.js';
import { RunningPki } from '../../server/keys/pki.js';
import { keepKeysFresh, serverIdentity } from '../../server/keys/renewal.js';

describe('the check for renewed keys', () => {
  const world = async () => {
    const now = new Date();
    const [rootKeys, serverKeys] = [await newKeyPair('ec-p256'), await newKeyPair('ec-p256')];
    const root = await createRootCa({ now, commonName: 'Root', keys: rootKeys });
    const generation = async (): Promise<NetworkKeys> => {
      const keys = await newKeyPair('ec-p256');
      const intermediate = await createIntermediateCa(
        openIssuer({ certPem: root.certPem, privateKeyPem: rootKeys.privateKeyPem }),
        { now, commonName: 'Intermediate', keys },
      );
      const server = await issueServerCertificate(
        openIssuer({ certPem: intermediate.certPem, privateKeyPem: keys.privateKeyPem }),
        {
          now,
          commonName: 'server',
          keys: serverKeys,
          uri: 'spiffe://test/controller/1',
          names: { dns: ['localhost'], ip: [] },
        },
      );
      return {
        server: {
          certPem: server.certPem,
          fingerprint: server.fingerprint,
          privateKeyPem: serverKeys.privateKeyPem,
          named: {
            certPem: server.certPem,
            fingerprint: server.fingerprint,
            privateKeyPem: serverKeys.privateKeyPem,
          },
          otherFingerprints: [],
        },
        changesInMs: undefined,
        authority: {
          rootPems: [root.certPem],
          crossPems: [],
          intermediatePems: [intermediate.certPem],
          intermediateKeyPem: keys.privateKeyPem,
        },
      };
    };
    const [first, second] = [await generation(), await generation()];
    const [shown, told]: [unknown[], string[]] = [[], []];
    const state = { keys: first, failures: 0 };
    const server = {
      setSecureContext: (context: unknown) => {
        shown.push(context);
      },
    };
    const pki = RunningPki.open(newTrustDomain(), first.authority);
    const identity = serverIdentity(first.server);
    const check = keepKeysFresh({
      pki,
      identity,
      log: createLogger({ level: 'silent', format: 'json' }),
      current: async () => state.keys,
      servers: [server, server],
      announce: async ({ fingerprint }) => {
        if ((state.failures -= 1) >= 0) throw new Error('the database does not answer');
        told.push(fingerprint);
      },
    });
    return { check, state, pki, identity, second, shown, told };
  };

  it('does nothing while they are the same', async () => {
    const { check, shown, told } = await world();
    await check();
    expect([shown, told]).to.deep.equal([[], []]);
  });

  it('takes new ones up once, and tells the others', async () => {
    const { check, state, pki, identity, second, shown, told } = await world();
    state.keys = second;
    await Promise.all([check(), check(), check()]);
    expect(shown).to.have.length(2);
    expect(told).to.deep.equal([second.server.fingerprint]);
    expect(identity.fingerprint()).to.equal(second.server.fingerprint);
    expect(pki.chainPem()).to.equal(second.authority.intermediatePems[0]);
  });

  it('tells the others at a later check when it could not at first', async () => {
    const { check, state, second, shown, told } = await world();
    Object.assign(state, { keys: second, failures: 2 });
    await check();
    await check();
    expect(told).to.deep.equal([]);
    await check();
    await check();
    expect(told).to.deep.equal([second.server.fingerprint]);
    expect(shown).to.have.length(2);
  });
});
