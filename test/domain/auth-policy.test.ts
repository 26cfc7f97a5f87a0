import { expect } from 'chai';
import {
  afterFailure, checkPassword, defaultAuthPolicySettings, disabledUntil, isDisabled, normalizePasswordRules, type PasswordRules,
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
  it('of the default policy accept any five characters', () => expect(() => checkPassword(policy(), 'aaaaa')).not.to.throw());

  const cases: [string, Partial<PasswordRules>, string, string][] = [
    ['four characters, even when the policy says 0', { minPasswordLength: 0 }, 'aaaa', 'password must have at least 5 characters'],
    ['fewer characters than the policy says', { minPasswordLength: 12 }, 'aaaaaaaaaaa', 'password must have at least 12 characters'],
    ['four emoji, which are eight code units', {}, '🙂🙂🙂🙂', 'password must have at least 5 characters'],
    ['101 characters', {}, 'a'.repeat(101), 'password must have at most 100 characters'],
    ['lower case only', { requireMixedCase: true }, 'abcdef', 'password must mix upper and lower case letters'],
    ['upper case only', { requireMixedCase: true }, 'ABCDEF', 'password must mix upper and lower case letters'],
    ['no digit', { requireNumberChar: true }, 'abcdef', 'password must contain a digit'],
    ['no special character', { requireSpecialChar: true }, 'abc123', 'password must contain a special character'],
    ['blanks as special characters', { requireSpecialChar: true }, 'abc 123\t', 'password must contain a special character'],
    ['accents as special characters', { requireSpecialChar: true }, 'äöüéè1', 'password must contain a special character'],
  ];
  for (const [what, rules, password, reason] of cases) {
    it(`refuse ${what}`, () => expect(refusal(rules, password).field).to.deep.equal({ field: 'password', reason, value: '<hidden>' }));
  }

  it('tell everything that is missing at once', () => {
    const all = { minPasswordLength: 8, requireMixedCase: true, requireNumberChar: true, requireSpecialChar: true };
    expect(refusal(all, 'abc').field?.reason).to.equal(
      'password must have at least 8 characters, must mix upper and lower case letters, must contain a digit, must contain a special character');
    expect(() => checkPassword(policy(all), 'Abcdef1!')).not.to.throw();
  });

  it('never repeat the password', () => expect(JSON.stringify(refusal({ requireNumberChar: true }, 'hunterhunter'))).not.to.include('hunter'));

  it('name the field that they were asked for', () => {
    expect(refusal({}, 'a', 'updbCredentials.password').field?.field).to.equal('updbCredentials.password');
  });

  it('raise a minimum below 5 and lower one above 100', () => {
    expect(normalizePasswordRules(policy({ minPasswordLength: -1 }).primary.updb).minPasswordLength).to.equal(5);
    expect(normalizePasswordRules(policy({ minPasswordLength: 1_000 }).primary.updb).minPasswordLength).to.equal(100);
  });
});

describe('lockout', () => {
  const now = new Date('2030-01-01T00:00:00Z');
  const after = (failedAttempts: number, rules: Partial<PasswordRules>) => afterFailure({ failedAttempts, policy: policy(rules), now });

  it('never comes when maxAttempts is 0', () => {
    expect(after(1_000_000, { maxAttempts: 0 })).to.deep.equal({ failedAttempts: 1_000_001, disable: null });
  });

  it('does not come before attempt maxAttempts', () => {
    expect(after(0, { maxAttempts: 3 })).to.deep.equal({ failedAttempts: 1, disable: null });
    expect(after(1, { maxAttempts: 3 })).to.deep.equal({ failedAttempts: 2, disable: null });
  });

  it('comes with exactly attempt maxAttempts and lasts for the minutes of the policy', () => {
    expect(after(2, { maxAttempts: 3, lockoutDurationMinutes: 5 }))
      .to.deep.equal({ failedAttempts: 0, disable: { until: new Date('2030-01-01T00:05:00Z') } });
  });

  it('comes at once when the limit was lowered below the count', () => {
    expect(after(7, { maxAttempts: 3 }).disable).to.deep.equal({ until: null });
  });

  it('is for good with a duration of 0, below 0, or beyond all dates', () => {
    for (const minutes of [0, -5, 1e15, Infinity]) expect(disabledUntil(now, minutes), String(minutes)).to.equal(null);
  });

  it('ends at its end and not a millisecond before', () => {
    const state = { disabledAt: now, disabledUntil: new Date(now.getTime() + 60_000) };
    expect(isDisabled(state, new Date(now.getTime() + 59_999))).to.equal(true);
    expect(isDisabled(state, new Date(now.getTime() + 60_000))).to.equal(false);
    expect(isDisabled({ disabledAt: now, disabledUntil: null }, new Date('2999-01-01'))).to.equal(true);
    expect(isDisabled({ disabledAt: null, disabledUntil: null }, now)).to.equal(false);
  });
});
