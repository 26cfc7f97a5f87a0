/** Tokens that policies require: when one is verified, and when it is enough to have verified it a moment ago. */
import { expect } from 'chai';
import type { RequiredSigner } from '../../domain/auth/external-signer.js';
import type { SignerKeys } from '../../handlers/context.js';
import { createLogger } from '../../server/base/log.js';
import { Outgoing } from '../../server/sockets/outgoing.js';
import { createSecondTokens } from '../../server/sessions/second-tokens.js';
import { SignerKeyCache } from '../../server/keys/signer-keys.js';
import { makeCa } from '../support/certificates.js';
import { tokenOf } from '../support/tokens.js';

const LEEWAY_SECONDS = 10;

describe('tokens that policies require', () => {
  const ca = makeCa();
  const signer: RequiredSigner = {
    id: 'signer-1',
    issuer: 'https://issuer.example.com/',
    audience: 'network',
    kid: 'k1',
    claimsProperty: '/sub',
    keySource: { certificate: { certPem: ca.pem }, jwksEndpoint: null },
    isEnabled: true,
    version: '1',
    subject: 'identity-1',
    clientId: '',
    externalAuthUrl: null,
    scopes: [],
  };
  const token = (changes: object = {}) =>
    tokenOf({ id: signer.id, issuer: signer.issuer, key: ca.keys.privateKey }, 'identity-1', { ...changes });

  /** Real keys; each verification asks for one. */
  let verified: number;
  let keyUntilMs: number;
  const real = new SignerKeyCache({
    outgoing: new Outgoing({ allow: [] }),
    log: createLogger({ level: 'silent', format: 'json' }),
  });
  const counted: SignerKeys = {
    async find(of, kid) {
      verified += 1;
      const found = await real.find(of, kid);
      return found && { ...found, untilMs: keyUntilMs };
    },
  };
  let steadyMs: number;
  let wallMs: number;
  const open = () =>
    createSecondTokens({
      signerKeys: counted,
      tokenLeewaySeconds: LEEWAY_SECONDS,
      clocks: { steadyMs: () => steadyMs, wallMs: () => wallMs },
    });
  beforeEach(() => {
    [verified, keyUntilMs, steadyMs, wallMs] = [0, Number.POSITIVE_INFINITY, 1_000, Date.now()];
  });

  it('are verified once while nothing changes', async () => {
    const tokens = open();
    const good = await token();
    for (let n = 0; n < 5; n += 1) expect(await tokens.owed([good], signer)).to.equal(null);
    expect(verified).to.equal(1);
    expect(await tokens.owed([await token()], signer)).to.equal(null);
    expect(verified).to.equal(2);
  });

  it('are verified again once the signer has changed, and for another signer', async () => {
    const tokens = open();
    const good = await token();
    await tokens.owed([good], signer);
    await tokens.owed([good], { ...signer, version: '2' });
    await tokens.owed([good], { ...signer, id: 'signer-2' });
    expect(verified).to.equal(3);
    const { pem: certPem } = makeCa();
    const keySource = { certificate: { certPem }, jwksEndpoint: null };
    const owed = await tokens.owed([good], { ...signer, version: '3', keySource });
    expect(owed).to.deep.equal({ signerId: signer.id, issuer: signer.issuer, fault: 'invalid' });
  });

  it('are compared with the identity at each request, also when they are known', async () => {
    const tokens = open();
    const good = await token();
    expect(await tokens.owed([good], signer)).to.equal(null);
    expect(await tokens.owed([good], { ...signer, subject: 'identity-2' })).to.include({ fault: 'invalid' });
    expect(await tokens.owed([good], { ...signer, subject: null })).to.include({ fault: 'invalid' });
    expect(await tokens.owed([good], { ...signer, isEnabled: false })).to.include({ fault: 'invalid' });
    expect(verified).to.equal(1);
  });

  it('are known no longer than their key is believed', async () => {
    const tokens = open();
    const good = await token();
    keyUntilMs = 2_000;
    await tokens.owed([good], signer);
    steadyMs = 1_999;
    await tokens.owed([good], signer);
    expect(verified).to.equal(1);
    steadyMs = 2_000;
    await tokens.owed([good], signer);
    expect(verified).to.equal(2);
  });

  it('are known no longer than they last', async () => {
    const tokens = open();
    const exp = Math.floor(wallMs / 1000) + 60;
    const good = await token({ exp });
    await tokens.owed([good], signer);
    wallMs = (exp + LEEWAY_SECONDS) * 1000 - 1;
    await tokens.owed([good], signer);
    expect(verified).to.equal(1);
    wallMs += 1;
    await tokens.owed([good], signer);
    expect(verified).to.equal(2);
  });

  it('that were refused are not remembered', async () => {
    const tokens = open();
    const wrong = await token({ aud: 'elsewhere' });
    for (let n = 0; n < 2; n += 1) expect(await tokens.owed([wrong], signer)).to.include({ fault: 'invalid' });
    expect(verified).to.equal(2);
  });

  it('of other issuers cost nothing, and none is missing like no token', async () => {
    const tokens = open();
    const missing = { signerId: signer.id, issuer: signer.issuer, fault: 'missing' };
    expect(await tokens.owed([], signer)).to.deep.equal(missing);
    expect(await tokens.owed([await token({ iss: 'https://other.example.com/' })], signer)).to.deep.equal(missing);
    expect(verified).to.equal(0);
  });
});
