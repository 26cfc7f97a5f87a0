/** A change of what belongs to an identity holds the identity first, as its delete does. Against PostgreSQL. */
import { expect } from 'chai';
import type { EnrollmentDraft } from '../../domain/credentials.js';
import { GrantScene } from './session-grants-support.js';

/** What a delete of an identity takes after the identity. */
const DEPENDENTS = ['api_sessions', 'authenticators', 'enrollments', 'usernames'];

describe('a change of what belongs to an identity that is being deleted', () => {
  let scene: GrantScene;
  before(async () => {
    scene = await GrantScene.open();
  });
  after(() => scene.close());
  beforeEach(() => scene.clear());

  const enrollment = (method: 'ott' | 'updb', username: string | null): EnrollmentDraft => ({
    id: scene.id(),
    method,
    caId: null,
    username,
    token: crypto.randomUUID(),
    jwt: '',
    expiresAt: new Date(Date.now() + 60_000),
  });
  const updb = (identityId: string, username: string) => ({
    id: scene.id(),
    identityId,
    username,
    passwordHash: 'x',
    tags: {},
  });

  const changes: [name: string, make: (identity: string) => Promise<() => Promise<unknown>>][] = [
    [
      'that uses an enrollment up',
      async (identity) => {
        const { id, token, ...draft } = enrollment('ott', null);
        await scene.stores.enrollments.create(identity, { id, token, ...draft });
        return async () => {
          expect(await scene.stores.enrollments.take(id, token)).to.equal(false);
        };
      },
    ],
    [
      'that gives it a password by the name of its enrollment',
      async (identity) => {
        await scene.stores.enrollments.create(identity, enrollment('updb', identity));
        return () => scene.stores.authenticators.createUpdb(updb(identity, identity));
      },
    ],
    [
      'that makes an enrollment by the name of its password',
      async (identity) => {
        await scene.stores.authenticators.createUpdb(updb(identity, identity));
        return () => scene.stores.enrollments.create(identity, enrollment('updb', identity));
      },
    ],
    [
      'that takes its password away',
      async (identity) => {
        const password = updb(identity, identity);
        await scene.stores.authenticators.createUpdb(password);
        return async () => {
          expect(await scene.stores.authenticators.removeOrdinary(password.id)).to.equal(false);
        };
      },
    ],
  ];
  for (const [name, make] of changes)
    it(`${name} holds nothing while it waits`, async () => {
      const identity = await scene.newIdentity([]);
      const change = await make(identity);
      const client = await scene.connect();
      await client.query('BEGIN');
      await client.query('SELECT FROM identities WHERE id = $1 FOR UPDATE', [identity]);
      const settled = change().then(
        () => 'nothing was there',
        () => 'refused',
      );
      try {
        await scene.lockIsWaitedFor();
        for (const table of DEPENDENTS)
          await client.query(`SELECT FROM ${table} WHERE identity_id = $1 FOR UPDATE NOWAIT`, [identity]);
        await client.query('DELETE FROM identities WHERE id = $1', [identity]);
      } finally {
        await client.query('COMMIT');
      }
      expect(await settled).to.be.oneOf(['nothing was there', 'refused']);
      for (const table of DEPENDENTS)
        expect(await scene.query(`SELECT FROM ${table} WHERE identity_id = $1`, [identity]), table).to.have.length(0);
    });
});
