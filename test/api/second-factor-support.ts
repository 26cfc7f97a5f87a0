/** What the suites of the second factor share: two controllers on a database, identities with TOTP, and their codes. */
import { generateSync } from 'otplib';
import pg from 'pg';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { entityOf } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

export const PASSWORD = 'pass word 1';
export const MFA = `${C}/current-identity/mfa`;
export const CODES = `${MFA}/recovery-codes`;
export const GIVE = `${C}/authenticate/mfa`;
export const STEP_SECONDS = 30;

export interface Subject {
  readonly id: string;
  readonly name: string;
  /** Of a session that is not otherwise used. */
  readonly client: Client;
}

export interface Enrolled extends Subject {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

export const withCode = (code: string) => ({ headers: { 'mfa-validation-code': code } });
export const codeAt = (secret: string, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * STEP_SECONDS });
/** Right at no moment that the server could look at. */
export function wrongCode(secret: string): string {
  const right = new Set([-3, -2, -1, 0, 1, 2, 3].map((steps) => codeAt(secret, steps)));
  for (let n = 0; ; n += 1) {
    const code = String(n).padStart(6, '0');
    if (!right.has(code)) return code;
  }
}
export const refusedCode = (answer: Answer) => expectFault(answer, 401, 'MFA_INVALID_TOKEN');
export const statuses = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

/** The clients in turn, all at once. */
export const inParallel = (count: number, clients: readonly Client[], body: object): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count / clients.length }, () => clients.map((each) => each.post(GIVE, body))).flat(),
  );

/** Two controllers that share a database, for the suite in which this is called. */
export function useSecondFactor() {
  let pair: Pair;
  let database: TestDatabase;
  let pool: pg.Pool;
  let one: LoggedController;
  let two: LoggedController;
  let admin: Client;

  before(async () => {
    pair = await startPair();
    ({ database, one, two, admin } = pair);
    pool = new pg.Pool({ ...database.connection, max: 2 });
  });
  after(async () => {
    await pool.end();
    await pair.stop();
  });

  /** @param controller  the first of the two by default */
  const login = (name: string, controller = one) => controller.login(name, PASSWORD);
  const newSubject = async (fields: object = {}): Promise<Subject> => {
    const name = unique('subject');
    const { id } = entityOf(
      expectStatus(await admin.post(`${M}/identities`, { name, type: 'User', isAdmin: false, ...fields }), 201),
    );
    const updb = { identityId: id, method: 'updb', username: name, password: PASSWORD };
    expectStatus(await admin.post(`${M}/authenticators`, updb), 201);
    return { id, name, client: await login(name) };
  };
  const begin = async (client: Client) => {
    expectStatus(await client.post(MFA), 201);
    const { provisioningUrl, recoveryCodes } = entityOf(expectStatus(await client.get(MFA), 200));
    const secret = new URL(provisioningUrl as string).searchParams.get('secret') ?? '';
    return { secret, recoveryCodes: recoveryCodes as string[] };
  };
  /** Lets codes of the present step be given again: a test has no 30 seconds to wait for the next. */
  const unspend = (id: string) => pool.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);
  const enroll = async (fields: object = {}): Promise<Enrolled> => {
    const subject = await newSubject(fields);
    const begun = await begin(subject.client);
    expectStatus(await subject.client.post(`${MFA}/verify`, { code: codeAt(begun.secret) }), 200);
    await unspend(subject.id);
    return { ...subject, ...begun };
  };
  const newPolicy = async (requireTotp: boolean): Promise<string> =>
    entityOf(expectStatus(await admin.post(`${M}/auth-policies`, authPolicy({ secondary: { requireTotp } })), 201)).id;
  const current = async (client: Client) => entityOf(expectStatus(await client.get(`${C}/current-api-session`), 200));
  const isFull = async (client: Client) => (await client.get(`${C}/current-identity`)).status === 200;

  return {
    started: () => ({ two, admin, pool }),
    login,
    newSubject,
    begin,
    unspend,
    enroll,
    newPolicy,
    current,
    isFull,
  };
}
