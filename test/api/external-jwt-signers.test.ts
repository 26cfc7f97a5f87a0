// External JWT signers over HTTPS: the resource itself, and the list that everybody may read.
import { expect } from 'chai';
import { makeCa } from '../support/certificates.js';
import { expectStatus } from '../support/client.js';
import type { Answer } from '../support/client.js';
import { startTestController, unique } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';
import { idsOf, itemsOf, make, read } from '../support/entities.js';
import { expectField, expectNotFound } from '../support/expect.js';
import { CLIENT, MANAGEMENT } from '../support/paths.js';

const SIGNERS = `${MANAGEMENT}/external-jwt-signers`;
const BASE = ['name', 'createdAt', 'updatedAt', '_links', 'id', 'tags'];
const without = (item: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(item).filter(([key]) => !names.includes(key)));
const JWKS = 'https://keys.example.com/jwks';

describe('external JWT signers', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const bodyOf = (changes: object = {}) => ({
    name: unique('signer'),
    issuer: `https://${unique('issuer')}/`,
    audience: 'network',
    jwksEndpoint: JWKS,
    enabled: true,
    ...changes,
  });
  const create = async (changes: object = {}) => make(controller, 'external-jwt-signers', bodyOf(changes));
  const post = async (changes: object) => controller.admin.post(SIGNERS, bodyOf(changes));
  const patch = async (id: string, changes: object) => controller.admin.patch(`${SIGNERS}/${id}`, changes);
  const detail = async (id: string) => read(controller, `external-jwt-signers/${id}`);
  const expectInvalid = (answer: Answer, field: string, message: string) => {
    const { error } = expectStatus(answer, 400);
    expect(error?.code).to.equal('INVALID_FIELD');
    expect(error?.message).to.equal(`The field contains an invalid value: ${message}`);
    expect(error?.cause?.['message']).to.include(`for '${field}' is invalid: ${message}`);
  };

  behavesLikeAnyResource({
    collection: 'external-jwt-signers',
    singular: 'externalJwtSigner',
    controller: () => controller,
    body: (name) => bodyOf({ name }),
  });

  it('shows the defaults of what a create does not say', async () => {
    const made = await detail(await create());
    expect(without(made, [...BASE, 'issuer'])).to.deep.equal({
      audience: 'network',
      certPem: null,
      claimsProperty: '/sub',
      clientId: '',
      commonName: '',
      enabled: true,
      enrollAttributeClaimsSelector: '',
      enrollAuthPolicyId: 'default',
      enrollNameClaimsSelector: '/sub',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      externalAuthUrl: null,
      fingerprint: '',
      jwksEndpoint: JWKS,
      kid: '',
      notAfter: null,
      notBefore: null,
      scopes: [],
      targetToken: 'ACCESS',
      useExternalId: false,
    });
  });

  it('shows of a certificate its name, dates and fingerprint', async () => {
    const ca = makeCa({ commonName: 'Token Signer' });
    const made = await detail(await create({ jwksEndpoint: null, certPem: ca.pem, kid: 'k1' }));
    expect(made).to.deep.include({
      certPem: ca.pem,
      commonName: 'Token Signer',
      fingerprint: ca.fingerprint,
      jwksEndpoint: null,
      kid: 'k1',
    });
    expect(made['notBefore']).to.match(/^\d{4}-.*Z$/);
    expect(String(made['notAfter']) > String(made['notBefore'])).to.equal(true);
  });

  it('shows the selectors of claims as they were given, and the default for an empty one', async () => {
    const given = {
      claimsProperty: 'email',
      enrollNameClaimsSelector: 'name',
      enrollAttributeClaimsSelector: 'groups',
    };
    const id = await create(given);
    expect(await detail(id)).to.include(given);
    expectStatus(await patch(id, { claimsProperty: null, enabled: false }), 200);
    expect(await detail(id)).to.include({ ...given, enabled: false });
    const changed = { claimsProperty: '/user/mail', enrollNameClaimsSelector: '/n', enrollAttributeClaimsSelector: '' };
    expectStatus(await patch(id, changed), 200);
    expect(await detail(id)).to.include(changed);
    expectStatus(await patch(id, { claimsProperty: '', enrollNameClaimsSelector: '' }), 200);
    expect(await detail(id)).to.include({ claimsProperty: '/sub', enrollNameClaimsSelector: '/sub' });
  });

  for (const field of ['issuer', 'audience', 'enabled']) {
    it(`wants ${field}`, async () => {
      const body: Record<string, unknown> = bodyOf();
      Reflect.deleteProperty(body, field);
      expectField(await controller.admin.post(SIGNERS, body), field, `${field} in body is required`);
    });
  }

  it('wants an issuer and an audience that say something', async () => {
    for (const field of ['issuer', 'audience']) expectField(await post({ [field]: '' }), field, `${field} is required`);
    expectField(await post({ audience: null }), 'audience', 'audience in body is required', '<nil>');
  });

  it('wants exactly one of certificate and endpoint', async () => {
    expectInvalid(await post({ jwksEndpoint: null }), 'certPem', 'jwksEndpoint or certPem is required');
    expectInvalid(await post({ jwksEndpoint: '', certPem: '' }), 'certPem', 'jwksEndpoint or certPem is required');
    expectInvalid(
      await post({ certPem: makeCa().pem }),
      'jwksEndpoint',
      'only one of jwksEndpoint or certPem may be defined',
    );
  });

  it('takes a certificate for the endpoint in a PATCH, and the other way round', async () => {
    const id = await create();
    const ca = makeCa();
    expectStatus(await patch(id, { certPem: ca.pem }), 200);
    expect(await detail(id)).to.include({ certPem: ca.pem, jwksEndpoint: null, fingerprint: ca.fingerprint });
    expectInvalid(await patch(id, { certPem: '' }), 'certPem', 'jwksEndpoint or certPem is required');
    expectStatus(await patch(id, { jwksEndpoint: JWKS }), 200);
    expect(await detail(id)).to.include({ certPem: null, jwksEndpoint: JWKS, fingerprint: '' });
  });

  it('refuses as certPem what is not one readable certificate with a strong key', async () => {
    const ca = makeCa();
    for (const certPem of ['nonsense', ca.privateKeyPem, ca.pem.repeat(2), makeCa({ keyKind: 'ec-secp256k1' }).pem]) {
      const { error } = expectStatus(await post({ jwksEndpoint: null, certPem }), 400);
      expect(error?.code).to.equal('INVALID_CERT_PEM');
    }
  });

  it('refuses URLs that no browser should follow or that hold a password', async () => {
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'keys', 'https://user:secret@keys.example.com/']) {
      const answer = await post({ externalAuthUrl: url });
      const reason = 'externalAuthUrl must be an http or https URL without credentials';
      expectField(answer, 'externalAuthUrl', reason, '');
    }
  });

  it('refuses an endpoint that can never be asked, in each request that sets one', async () => {
    const within = 'the address may not be reached: outgoing.allow does not name it';
    const refused: Readonly<Record<string, string>> = {
      'keys': 'it is no URL',
      'ftp://keys.example.com/': 'it must begin with https://',
      'file:///etc/passwd': 'it must begin with https://',
      'http://keys.example.com/': 'it must begin with https://, unless it names this machine',
      'http://127.0.0.1:9/keys': within,
      'https://10.0.0.1/keys': within,
      'https://169.254.169.254/latest': within,
      'https://[::1]/keys': within,
      'https://2130706433/keys': within,
      'https://user:secret@keys.example.com/': 'it must not have a user or a password',
    };
    const id = await create();
    const [withCertificate, ca] = [await create({ jwksEndpoint: null, certPem: makeCa().pem }), makeCa()];
    for (const [jwksEndpoint, message] of Object.entries(refused)) {
      const answers = [
        await post({ jwksEndpoint }),
        await controller.admin.put(`${SIGNERS}/${id}`, bodyOf({ jwksEndpoint })),
        await patch(id, { jwksEndpoint }),
        await patch(withCertificate, { jwksEndpoint }),
      ];
      for (const answer of answers) {
        expectInvalid(answer, 'jwksEndpoint', message);
        expect(JSON.stringify(answer.error)).to.not.include('secret');
      }
    }
    expect(await detail(id)).to.include({ jwksEndpoint: JWKS });
    expectStatus(await patch(withCertificate, { certPem: ca.pem }), 200);
  });

  it('has its issuer and its certificate alone; key ids may be those of others', async () => {
    const issuer = `https://${unique('issuer')}/`;
    await create({ issuer, kid: 'same' });
    const reason = (value: string) => `duplicate value '${value}' in unique index on externalJwtSigners store`;
    expectField(await post({ issuer }), 'issuer', reason(issuer), issuer);
    const { pem: certPem, fingerprint } = makeCa();
    await create({ jwksEndpoint: null, certPem, kid: 'same' });
    expectField(await post({ jwksEndpoint: null, certPem }), 'fingerprint', reason(fingerprint), fingerprint);
  });

  it('is 404 with an auth policy that does not exist', async () => {
    expectNotFound(await post({ enrollAuthPolicyId: 'nope' }), 'authPolicy with id nope not found');
    expectNotFound(await patch(await create(), { enrollAuthPolicyId: 'nope' }), 'authPolicy with id nope not found');
  });

  it('is not deleted while an auth policy allows it, and the answer names the policy', async () => {
    const id = await create();
    const { primary } = await read<{ primary: object }>(controller, 'auth-policies/default');
    const policy = { name: unique('policy'), primary, secondary: { requireTotp: false } };
    const allowing = { ...primary, extJwt: { allowed: true, allowedSigners: [id] } };
    const user = await make(controller, 'auth-policies', { ...policy, primary: allowing });
    const { error } = expectStatus(await controller.admin.delete(`${SIGNERS}/${id}`), 409);
    expect(error?.code).to.equal('CAN_NOT_DELETE_REFERENCED_ENTITY');
    const reason = `entity type externalJwtSigner referenced by authPolicy: [${user}]`;
    expect(error?.cause?.['field']).to.equal('primary.extJwt.allowedSigners');
    expect(error?.cause?.['reason']).to.contain(`${reason}. It is used by "${policy.name}"`);
    expectStatus(await controller.admin.delete(`${MANAGEMENT}/auth-policies/${user}`), 200);
    expectStatus(await controller.admin.delete(`${SIGNERS}/${id}`), 200);
  });

  it('holds back the deletion of the auth policy that it gives to those that it enrolls', async () => {
    const { primary } = await read<{ primary: object }>(controller, 'auth-policies/default');
    const policy = { name: unique('policy'), primary, secondary: { requireTotp: false } };
    const enrollAuthPolicyId = await make(controller, 'auth-policies', policy);
    const id = await create({ enrollAuthPolicyId });
    const answer = await controller.admin.delete(`${MANAGEMENT}/auth-policies/${enrollAuthPolicyId}`);
    const { error } = expectStatus(answer, 409);
    const reason = `entity type authPolicy referenced by externalJwtSigner: [${id}]`;
    expect(error?.cause?.['field']).to.equal('enrollAuthPolicyId');
    expect(error?.cause?.['reason']).to.contain(`${reason}. It is used by `);
  });

  it('is found by what filters offer', async () => {
    const { pem: certPem, fingerprint } = makeCa({ commonName: unique('common') });
    const id = await create({ jwksEndpoint: null, certPem, kid: 'found', scopes: ['openid', 'email'] });
    for (const filter of [
      `fingerprint = "${fingerprint}"`,
      'kid = "found" and enabled = true and useExternalId = false and targetToken = "ACCESS"',
      'anyOf(scopes) = "email" and certPem != null and notAfter > datetime(2020-01-01T00:00:00Z)',
    ]) {
      const found = expectStatus(await controller.admin.get(`${SIGNERS}?filter=${encodeURIComponent(filter)}`), 200);
      expect(idsOf(found), filter).to.deep.equal([id]);
    }
  });

  describe('for everybody', () => {
    const list = async (query = '') => controller.anonymous.get(`${CLIENT}/external-jwt-signers?limit=500${query}`);

    it('are listed when enabled, without their keys and tags, and need no session', async () => {
      const tags = { note: 'for administrators' };
      const settings = { externalAuthUrl: 'https://login.example.com/', scopes: ['openid'], clientId: 'c' };
      const shown = await create({ ...settings, tags });
      const hidden = await create({ enabled: false });
      const answer = expectStatus(await list(), 200);
      expect(idsOf(answer)).to.include(shown).and.not.include(hidden);
      const item: Record<string, unknown> = { ...itemsOf(answer).find(({ id }) => id === shown) };
      expect(item['tags']).to.deep.equal({});
      expect(await detail(shown)).to.deep.include({ tags });
      expect(without(item, BASE)).to.deep.equal({
        audience: 'network',
        clientId: 'c',
        enrollToCertEnabled: false,
        enrollToTokenEnabled: false,
        externalAuthUrl: 'https://login.example.com/',
        scopes: ['openid'],
        targetToken: 'ACCESS',
      });
    });

    it('are not told apart by what they do not show', async () => {
      for (const name of ['issuer', 'kid', 'fingerprint', 'enabled', 'isSystem', 'claimsProperty', 'tags.note']) {
        const { error } = expectStatus(await list(`&filter=${name}%20!%3D%20null`), 400);
        expect(error?.code, name).to.equal('INVALID_FILTER');
      }
    });
  });
});
