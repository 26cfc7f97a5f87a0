/** Empty texts where they can mean nothing: every request that could bring one refuses it. Whole controller. */
import { expect } from 'chai';
import { expectStatus } from '../support/client.js';
import { makeCa } from '../support/certificates.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { make, read } from '../support/entities.js';
import { makeIdentity, makeRouter, makeService } from '../support/make.js';
import { expectField } from '../support/expect.js';
import { MANAGEMENT } from '../support/paths.js';

interface Case {
  readonly collection: string;
  /** A body that is taken. */
  readonly body: () => object | Promise<object>;
  /** What a PATCH needs. */
  readonly always?: object;
  /** Members with an empty text, and the field that the refusal names. */
  readonly empty: readonly (readonly [member: object, field: string])[];
}

const ATTRIBUTES = [
  [{ roleAttributes: [''] }, 'roleAttributes.0'],
  [{ roleAttributes: ['a', ''] }, 'roleAttributes.1'],
] as const;

describe('an empty text', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const cases: readonly Case[] = [
    {
      collection: 'identities',
      body: () => ({ name: unique('identity'), type: 'User', isAdmin: false }),
      empty: ATTRIBUTES,
    },
    { collection: 'services', body: () => ({ name: unique('service'), encryptionRequired: true }), empty: ATTRIBUTES },
    { collection: 'edge-routers', body: () => ({ name: unique('router') }), empty: ATTRIBUTES },
    {
      collection: 'posture-checks',
      body: () => ({ name: unique('check'), typeId: 'DOMAIN', domains: ['a.example'] }),
      always: { typeId: 'DOMAIN' },
      empty: ATTRIBUTES,
    },
    {
      collection: 'cas',
      body: () => ({
        name: unique('ca'),
        certPem: makeCa().pem,
        isAuthEnabled: true,
        isAutoCaEnrollmentEnabled: true,
        isOttCaEnrollmentEnabled: true,
        identityNameFormat: '',
        identityRoles: [],
      }),
      empty: [[{ identityRoles: [''] }, 'identityRoles.0']],
    },
    {
      collection: 'external-jwt-signers',
      body: () => ({
        name: unique('signer'),
        issuer: unique('issuer'),
        audience: 'a',
        enabled: true,
        jwksEndpoint: 'https://keys.example.org/jwks',
      }),
      empty: [[{ scopes: ['openid', ''] }, 'scopes.1']],
    },
    {
      collection: 'terminators',
      body: async () => ({
        service: await makeService(controller, { encryptionRequired: true }),
        router: await makeRouter(controller),
        binding: 'transport',
        address: 'tcp:localhost:1',
      }),
      empty: [
        [{ address: '' }, 'address'],
        [{ binding: '' }, 'binding'],
      ],
    },
  ];
  for (const { collection, body, empty, always = {} } of cases)
    for (const [member, field] of empty)
      it(`is refused as ${field} of ${collection}, in create, PUT and PATCH`, async () => {
        const { admin } = controller;
        const good = await body();
        const reason = `${field} is required`;
        expectField(await admin.post(`${MANAGEMENT}/${collection}`, { ...good, ...member }), field, reason, '');
        const id = await make(controller, collection, good);
        const before = await read(controller, `${collection}/${id}`);
        expectField(await admin.put(`${MANAGEMENT}/${collection}/${id}`, { ...good, ...member }), field, reason, '');
        expectField(
          await admin.patch(`${MANAGEMENT}/${collection}/${id}`, { ...always, ...member }),
          field,
          reason,
          '',
        );
        expect(await read(controller, `${collection}/${id}`)).to.deep.equal(before);
      });

  it('still clears what it clears in a PATCH, and an empty list clears a list', async () => {
    const id = await makeIdentity(controller, { externalId: unique('x'), roleAttributes: ['a'] });
    expectStatus(
      await controller.admin.patch(`${MANAGEMENT}/identities/${id}`, { externalId: '', roleAttributes: [] }),
      200,
    );
    expect(await read(controller, `identities/${id}`)).to.deep.include({ externalId: null, roleAttributes: [] });
  });

  it('that another release has stored is shown, and fails no answer', async () => {
    const id = await makeService(controller, { encryptionRequired: true });
    await controller.database.query(`UPDATE services SET role_attributes = '{""}' WHERE id = $1`, [id]);
    expect((await read(controller, `services/${id}`))['roleAttributes']).to.deep.equal(['']);
  });
});
