/** What the suites of the second factor share: two controllers on a database, identities with TOTP, and their codes. */
import pg from 'pg';
import { authPolicy } from '../support/auth-policy.js';
import { expectStatus } from '../support/client.js';
import type { Answer, Client } from '../support/client.js';
import { unique } from '../support/controller.js';
import type { TestDatabase } from '../support/database.js';
import { entityOf } from '../support/entities.js';
import { expectFault } from '../support/expect.js';
import { CLIENT as C, MANAGEMENT as M } from '../support/paths.js';
import { MFA, beginTotp as begin, codeAt, enrollTotp } from '../support/totp.js';
import type { Totp } from '../support/totp.js';
import { PASSWORD, makeUser } from '../support/users.js';
import { startPair } from './server-support.js';
import type { LoggedController, Pair } from './server-support.js';

export const CODES = `${MFA}/recovery-codes`;
export const GIVE = `${C}/authenticate/mfa`;

export interface Subject {
  readonly id: string;
  readonly name: string;
  /** Of a session that is not otherwise used. */
  readonly client: Client;
}

export interface Enrolled extends Subject, Totp {}

export const withCode = (code: string) => ({ headers: { 'mfa-validation-code': code } });
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
    const { id } = await makeUser(admin, name, fields);
    return { id, name, client: await login(name) };
  };
  /** Lets codes of the present step be given again: a test has no 30 seconds to wait for the next. */
  const unspend = (id: string) => pool.query('UPDATE mfas SET last_step = 0 WHERE identity_id = $1', [id]);
  const enroll = async (fields: object = {}): Promise<Enrolled> => {
    const subject = await newSubject(fields);
    const begun = await enrollTotp(subject.client);
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
