/** The cases of access by the rule alone. */
import { expect } from 'chai';
import { checksOf, grantsOf, isAllowed, permissionsFor } from '../../domain/policy/access.js';
import type { AccessPolicy } from '../../domain/policy/access.js';
import { accessCases, identities, postureCases, postureChecks, services } from '../cases/access.js';

const entities = (from: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(from).map(([id, roleAttributes]) => ({ id, roleAttributes }));

describe('access by service policies', () => {
  for (const { name, policies, allowed } of accessCases) {
    const all: AccessPolicy[] = policies.map((policy, index) => ({
      type: 'Dial',
      ...policy,
      policyId: `p${index}`,
      isPassing: true,
      checks: [],
    }));

    it(`${name}: pair by pair`, () => {
      const found = entities(identities).flatMap((identity) =>
        entities(services).flatMap((service) =>
          (['Dial', 'Bind'] as const)
            .filter((type) => isAllowed(all, identity, service, type))
            .map((type) => `${identity.id} ${type.toLowerCase()}s ${service.id}`),
        ),
      );
      expect(found).to.have.members([...allowed]);
    });

    it(`${name}: as permissions on a service`, () => {
      const found = entities(identities).flatMap((identity) =>
        entities(services).flatMap((service) =>
          permissionsFor(grantsOf(all, identity), service).permissions.map(
            (type) => `${identity.id} ${type.toLowerCase()}s ${service.id}`,
          ),
        ),
      );
      expect(found).to.have.members([...allowed]);
    });
  }

  it('tells which policies grant a service, each once', () => {
    const policy = (policyId: string, serviceRoles: string[]): AccessPolicy => ({
      policyId,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles,
      isPassing: true,
      checks: [],
    });
    const { permissions, grants } = permissionsFor(
      [policy('a', ['#web']), policy('b', ['#mail']), policy('c', ['@crm'])],
      { id: 'crm', roleAttributes: ['web'] },
    );
    expect(permissions).to.deep.equal(['Dial']);
    expect(grants).to.deep.equal([
      { policyId: 'a', policyType: 'Dial', isPassing: true, checks: [] },
      { policyId: 'c', policyType: 'Dial', isPassing: true, checks: [] },
    ]);
  });

  for (const { name, semantic, postureCheckRoles, selected } of postureCases) {
    it(name, () => {
      const found = checksOf({ semantic, postureCheckRoles }, entities(postureChecks));
      expect(found.map(({ id }) => id)).to.have.members([...selected]);
    });
  }

  it('grants nothing by a policy whose posture checks fail', () => {
    const policy: AccessPolicy = {
      policyId: 'a',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#all'],
      serviceRoles: ['#all'],
      isPassing: false,
      checks: [],
    };
    expect(isAllowed([policy], { id: 'a', roleAttributes: [] }, { id: 'b', roleAttributes: [] }, 'Dial')).to.equal(
      false,
    );
  });
});
