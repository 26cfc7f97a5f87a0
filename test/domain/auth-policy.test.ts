/** Rules for passwords, and when wrong ones lock an identity. */
import { expect } from 'chai';
import {
  checkPassword,
  defaultAuthPolicySettings,
  normalizePasswordRules,
  type PasswordRules,
} from '../../domain/auth/auth-policy.js';
import { DomainError } from '../../domain/errors.js';

function policy(rules: Partial<PasswordRules> = {}) {
  const { primary } = defaultAuthPolicySettings;
  return { primary: { ...primary, updb: { ...primary.updb, ...rules } } };
}

function refusal(rules: Partial<PasswordRules>, password: string, field?: string): DomainError {
  try {
    checkPassword(policy(rules), password, field);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  return expect.fail(`'${password}' was accepted`);
}

describe('password rules', () => {
  it('of the default policy accept any five characters', () =>
    expect(() => checkPassword(policy(), 'aaaaa')).not.to.throw());

  const cases: [string, Partial<PasswordRules>, string, string][] = [
    [
      'four characters, even when the policy says 0',
      { minPasswordLength: 0 },
      'aaaa',
      'password must have at least 5 characters',
    ],
    [
      'fewer characters than the policy says',
      { minPasswordLength: 12 },
      'aaaaaaaaaaa',
      'password must have at least 12 characters',
    ],
    ['four emoji, which are eight code units', {}, '🙂🙂🙂🙂', 'password must have at least 5 characters'],
    ['101 characters', {}, 'a'.repeat(101), 'password must have at most 100 characters'],
    ['lower case only', { requireMixedCase: true }, 'abcdef', 'password must mix upper and lower case letters'],
    ['upper case only', { requireMixedCase: true }, 'ABCDEF', 'password must mix upper and lower case letters'],
    ['no digit', { requireNumberChar: true }, 'abcdef', 'password must contain a digit'],
    ['no special character', { requireSpecialChar: true }, 'abc123', 'password must contain a special character'],
    [
      'blanks as special characters',
      { requireSpecialChar: true },
      'abc 123\t',
      'password must contain a special character',
    ],
    [
      'accents as special characters',
      { requireSpecialChar: true },
      'äöüéè1',
      'password must contain a special character',
    ],
  ];
  for (const [what, rules, password, reason] of cases) {
    it(`refuse ${what}`, () =>
      expect(refusal(rules, password).field).to.deep.equal({ field: 'password', reason, value: '<hidden>' }));
  }

  it('tell everything that is missing at once', () => {
    const all = { minPasswordLength: 8, requireMixedCase: true, requireNumberChar: true, requireSpecialChar: true };
    expect(refusal(all, 'abc').field?.reason).to.equal(
      'password must have at least 8 characters, must mix upper and lower case letters, must contain a digit, ' +
        'must contain a special character',
    );
    expect(() => checkPassword(policy(all), 'Abcdef1!')).not.to.throw();
  });

  it('never repeat the password', () =>
    expect(JSON.stringify(refusal({ requireNumberChar: true }, 'hunterhunter'))).not.to.include('hunter'));

  it('name the field that they were asked for', () => {
    expect(refusal({}, 'a', 'updbCredentials.password').field?.field).to.equal('updbCredentials.password');
  });

  it('raise a minimum below 5 and lower one above 100', () => {
    expect(normalizePasswordRules(policy({ minPasswordLength: -1 }).primary.updb).minPasswordLength).to.equal(5);
    expect(normalizePasswordRules(policy({ minPasswordLength: 1_000 }).primary.updb).minPasswordLength).to.equal(100);
    const negative = policy({ maxAttempts: -1, lockoutDurationMinutes: -7 }).primary.updb;
    expect(normalizePasswordRules(negative)).to.include({ maxAttempts: 0, lockoutDurationMinutes: 0 });
  });
});
