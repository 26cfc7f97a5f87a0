/** Refused logins and enrollments: by which operations one is tried. */
import { expect } from 'chai';
import { operations } from '../../generated/operations.js';
import { METHODS } from '../../server/sessions/refused-logins.js';

/** Not built yet, and nothing is tried with it: it asks for what a later request has to sign. */
const NO_TRIES = ['enrollmentChallenge'];

describe('the operations whose refusals are recorded', () => {
  const all = [...Object.values(operations.client), ...Object.values(operations.management)];

  it('are all changes without a session, and some of those who have one', () => {
    const open = all.filter(({ permission, method }) => permission === 'public' && method !== 'GET');
    const ids = new Set(open.map(({ operationId }) => operationId).filter((id) => !NO_TRIES.includes(id)));
    expect(Object.keys(METHODS)).to.include.members([...ids]);
    // Those of single sign-on that are a step of a login.
    const known = new Set([...all, ...Object.values(operations.oidc)].map(({ operationId }) => operationId));
    expect(Object.keys(METHODS).filter((id) => !known.has(id))).to.deep.equal([]);
  });
});
