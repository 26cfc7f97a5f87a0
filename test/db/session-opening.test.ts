/** Opening an API session: on a proof that does not hold nothing is left behind, and a claim names its identity. */
import { expect } from 'chai';
import { defaultAuthPolicySettings } from '../../domain/auth/auth-policy.js';
import type { LoginMethod } from '../../domain/credentials.js';
import type { LoginProof } from '../../db/stores/session-opening.js';
import { identityDraft, openStoresForTest, signerDraft } from '../support/stores.js';
import type { TestStores } from '../support/stores.js';

const METHODS: Readonly<Record<LoginProof['by'], LoginMethod>> = {
  password: 'password',
  certificate: 'cert',
  claim: 'cert',
  token: 'ext-jwt',
};
const ISSUED = new Date('2026-01-01T00:00:00Z');

interface Case {
  readonly name: string;
  /** Of what would open a session. */
  readonly proof?: (proof: LoginProof) => LoginProof;
  /** What happens before. */
  readonly change?: (id: string) => readonly [sql: string, ...values: string[]];
  readonly by: readonly LoginProof['by'][];
}

const same = (proof: LoginProof) => proof;
const EVERY_PROOF = ['password', 'certificate', 'claim', 'token'] as const;
const REVOKE = 'INSERT INTO revocations (id, type, issued_before, expires_at) VALUES';
const REFUSED: readonly Case[] = [
  {
    name: 'a disabled identity',
    change: (id) => ['UPDATE identities SET disabled_at = now() WHERE id = $1', id],
    by: EVERY_PROOF,
  },
  {
    name: 'a policy without passwords',
    change: () => ["UPDATE auth_policies SET updb_allowed = false WHERE id = 'own'"],
    by: ['password'],
  },
  {
    name: 'a policy without certificates',
    change: () => ["UPDATE auth_policies SET cert_allowed = false WHERE id = 'own'"],
    by: ['certificate', 'claim'],
  },
  {
    name: 'a policy without tokens',
    change: () => ["UPDATE auth_policies SET ext_jwt_allowed = false WHERE id = 'own'"],
    by: ['token'],
  },
  { name: 'another password', proof: (proof) => ({ ...proof, passwordHash: 'other' }) as LoginProof, by: ['password'] },
  {
    name: 'another certificate',
    proof: (proof) => ({ ...proof, fingerprint: 'ff' }) as LoginProof,
    by: ['certificate'],
  },
  { name: 'an unknown name', proof: (proof) => ({ ...proof, externalId: 'x' }) as LoginProof, by: ['claim'] },
  { name: 'an unknown name', proof: (proof) => ({ ...proof, claim: 'x' }) as LoginProof, by: ['token'] },
  { name: 'the other kind of id', proof: (proof) => ({ ...proof, useExternalId: false }) as LoginProof, by: ['token'] },
  { name: 'an expired certificate', proof: (proof) => ({ ...proof, isExpired: true }) as LoginProof, by: ['claim'] },
  {
    name: 'a disabled signer',
    change: () => ['UPDATE external_jwt_signers SET is_enabled = false'],
    by: ['token'],
  },
  {
    name: 'a revoked token',
    change: () => [`${REVOKE} ('minted', 'JTI', now(), now() + interval '1 hour')`],
    by: ['token'],
  },
  {
    name: 'a revoked identity',
    change: (id) => [`${REVOKE} ($1, 'IDENTITY', now(), now() + interval '1 hour')`, id],
    by: ['token'],
  },
];

describe('opening an API session', () => {
  let fixture: TestStores;
  let signer: string;
  let serial = 0;

  before(async () => {
    fixture = await openStoresForTest();
    signer = 'signer';
    await fixture.stores.authPolicies.create('own', { name: 'own', tags: {}, ...defaultAuthPolicySettings });
    await fixture.stores.externalJwtSigners.create(signer, signerDraft(signer));
  });
  beforeEach(async () => {
    await fixture.files.query('DELETE FROM revocations');
    await fixture.files.query(
      `UPDATE auth_policies SET updb_allowed = true, cert_allowed = true, cert_allow_expired = false,
        ext_jwt_allowed = true WHERE id = 'own'`,
    );
    await fixture.files.query('UPDATE external_jwt_signers SET is_enabled = true');
  });
  after(() => fixture.close());

  /** An identity that can log in by everything, and what it would show. */
  const holder = async () => {
    const id = `who${(serial += 1)}`;
    const { stores, files } = fixture;
    const externalId = `${id}@example.org`;
    await stores.identities.create(id, identityDraft(id, { externalId, authPolicyId: 'own' }), []);
    await stores.authenticators.createUpdb({
      id: `updb-${id}`,
      identityId: id,
      username: id,
      passwordHash: 'right',
      tags: {},
    });
    await files.query(
      `INSERT INTO authenticators (id, identity_id, method, fingerprint, cert_pem) VALUES ($1, $2, 'cert', $3, 'pem')`,
      [`cert-${id}`, id, `print-${id}`],
    );
    const proofs: Readonly<Record<LoginProof['by'], LoginProof>> = {
      password: { by: 'password', identityId: id, passwordHash: 'right' },
      certificate: { by: 'certificate', identityId: id, fingerprint: `print-${id}` },
      claim: { by: 'claim', caId: null, externalId, isExpired: false },
      token: {
        by: 'token',
        signerId: signer,
        claim: externalId,
        useExternalId: true,
        tokenId: 'minted',
        issuedAt: ISSUED,
      },
    };
    return { id, proofs };
  };
  const authenticators: Readonly<Record<LoginProof['by'], (id: string) => string>> = {
    password: (id) => `updb-${id}`,
    certificate: (id) => `cert-${id}`,
    claim: () => 'internal',
    token: () => `extJwtId:${signer}`,
  };
  const open = (id: string, proof: LoginProof) =>
    fixture.stores.apiSessions.open(
      {
        id: `session-${id}`,
        authenticatorId: authenticators[proof.by](id),
        method: METHODS[proof.by],
        tokenHash: Buffer.from(id),
        ipAddress: '',
        configTypes: [],
        api: 'client',
        certificateHash: null,
      },
      proof,
      { envInfo: { os: 'linux' }, sdkInfo: {} },
    );
  const traces = async (id: string) => {
    const { rows } = await fixture.files.query(
      `SELECT (SELECT count(*) FROM api_sessions WHERE identity_id = $1) AS sessions, env_info->>'os' AS os
       FROM identities WHERE id = $1`,
      [id],
    );
    return rows[0];
  };

  for (const by of EVERY_PROOF)
    it(`by ${by}: finds the identity and notes the client`, async () => {
      const { id, proofs } = await holder();
      const owner = await open(id, proofs[by]);
      expect(owner?.session.identity).to.deep.include({ id, name: id });
      expect(await traces(id)).to.deep.equal({ sessions: '1', os: 'linux' });
    });

  for (const { name, proof = same, change, by: kinds } of REFUSED)
    for (const by of kinds)
      it(`by ${by}, ${name}: opens nothing and leaves nothing`, async () => {
        const { id, proofs } = await holder();
        const [sql, ...values] = change?.(id) ?? ['SELECT'];
        await fixture.files.query(sql, values);
        expect(await open(id, proof(proofs[by]))).to.equal(undefined);
        expect(await traces(id)).to.deep.equal({ sessions: '0', os: null });
      });
});
