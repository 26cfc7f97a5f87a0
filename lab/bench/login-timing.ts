/**
 * Whether the time of a refused login tells that its user exists: pairs of an existing and an unknown name, in random
 * order, one after the other on one connection, under auth policies with and without a lockout.
 */
import { randomInt } from 'node:crypto';
import { ApiClient } from './api-client.js';
import { median } from './median.js';
import type { OwnController } from './own-controller.js';

const MANAGEMENT = '/edge/management/v1';
const LOGIN = '/edge/client/v1/authenticate?method=password';
const WRONG = 'wrong password';

/** How one kind of existing user compares with unknown ones. Times in milliseconds. */
export interface LoginTiming {
  readonly kind: string;
  readonly pairs: number;
  /** Of the pairs, those in which the existing user took longer: 0.5 tells nothing. */
  readonly slowerShare: number;
  readonly existing: number;
  readonly unknown: number;
}

/** Three deviations of a fair coin, thrown for each of 1,000 pairs, are 0.05. */
const EVEN = { least: 0.4, most: 0.6 } as const;

const KINDS: Readonly<Record<string, { readonly maxAttempts: number; readonly isDisabled?: true }>> = {
  'no lockout': { maxAttempts: 0 },
  'counted towards a lockout': { maxAttempts: 1_000_000 },
  'locked': { maxAttempts: 1_000_000, isDisabled: true },
};

export async function measureLoginTiming(
  own: OwnController,
  pairs: number,
  onKind: (timing: LoginTiming) => void,
): Promise<readonly LoginTiming[]> {
  const anonymous = new ApiClient(own.url, undefined, { maxSockets: 1 });
  const { username, password } = own;
  const opened = (await anonymous.send('POST', LOGIN, { username, password })).data as { token: string };
  const admin = new ApiClient(own.url, opened.token);
  try {
    const timings: LoginTiming[] = [];
    for (const [kind, rules] of Object.entries(KINDS)) {
      const name = `timed-${timings.length}`;
      await makeUser(admin, name, rules);
      const timing = { kind, pairs, ...(await compare(anonymous, name, pairs)) };
      timings.push(timing);
      onKind(timing);
    }
    return timings;
  } finally {
    anonymous.close();
    admin.close();
  }
}

async function compare(client: ApiClient, name: string, pairs: number) {
  const timeOf = async (username: string): Promise<number> => {
    const begun = performance.now();
    const { status } = await client.send('POST', LOGIN, { username, password: WRONG });
    if (status !== 403) throw new Error(`a login with a wrong password was answered ${status}`);
    return performance.now() - begun;
  };
  const [existing, unknown]: [number[], number[]] = [[], []];
  let slower = 0;
  for (let pair = -20; pair < pairs; pair += 1) {
    const nobody = `${name}-${pair + 100}`;
    const isExistingFirst = randomInt(2) === 0;
    const first = await timeOf(isExistingFirst ? name : nobody);
    const second = await timeOf(isExistingFirst ? nobody : name);
    if (pair < 0) continue; // plans and code are warm afterwards
    const [ofExisting, ofUnknown] = isExistingFirst ? [first, second] : [second, first];
    existing.push(ofExisting);
    unknown.push(ofUnknown);
    if (ofExisting > ofUnknown) slower += 1;
  }
  return { slowerShare: slower / pairs, existing: median(existing), unknown: median(unknown) };
}

async function makeUser(
  admin: ApiClient,
  name: string,
  { maxAttempts, isDisabled }: { readonly maxAttempts: number; readonly isDisabled?: true },
): Promise<void> {
  const make = async (collection: string, body: object): Promise<string> => {
    const { status, data } = await admin.send('POST', `${MANAGEMENT}/${collection}`, body);
    if (status !== 201) throw new Error(`POST ${collection} was answered ${status}`);
    return (data as { id: string }).id;
  };
  const rules = { minPasswordLength: 5, requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false };
  const authPolicyId = await make('auth-policies', {
    name,
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [] },
      updb: { allowed: true, maxAttempts, lockoutDurationMinutes: 0, ...rules },
    },
    secondary: { requireTotp: false },
  });
  const identityId = await make('identities', { name, type: 'User', isAdmin: false, authPolicyId });
  await make('authenticators', { identityId, method: 'updb', username: name, password: `${name}-password` });
  if (isDisabled === true)
    await admin.send('POST', `${MANAGEMENT}/identities/${identityId}/disable`, { durationMinutes: 0 });
}

export const isEven = ({ slowerShare }: LoginTiming): boolean => slowerShare >= EVEN.least && slowerShare <= EVEN.most;

export const loginTimingHead = (): string => 'existing user              pairs  slower  existing  unknown  (median ms)';

export function loginTimingRow(timing: LoginTiming): string {
  const { kind, pairs, slowerShare, existing, unknown } = timing;
  const columns = [kind.padEnd(26), String(pairs).padStart(5), slowerShare.toFixed(3).padStart(7)];
  columns.push(existing.toFixed(2).padStart(9), unknown.toFixed(2).padStart(8));
  return `${columns.join(' ')}${isEven(timing) ? '' : `  not between ${EVEN.least} and ${EVEN.most}`}`;
}
