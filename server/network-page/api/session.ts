/** Knows who is signed in, what the session owes, and what it may do: by the table of rights that the server has. */
import { signal } from '@preact/signals';
import table from 'operations';
import { Refused, call, freshness, hasToken, keepToken, onSessionEnd } from './client.js';
import type { CallData, CallName } from './contract.js';

/** `out`: nobody signed in; `code`: a code of the second factor is owed; `ended`: signed in once, and to be again. */
export type SignInState = 'out' | 'code' | 'in' | 'ended';

interface Somebody {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly permissions: readonly string[];
}

export const sessionState = signal<SignInState>('out');
export const whoIsIn = signal<Somebody | undefined>(undefined);
/** The username that was typed last, for the form that asks again. */
export const lastUsername = signal('');

onSessionEnd(() => {
  sessionState.value = 'ended';
});

type Login = CallData<'management', 'authenticate'>;

/** Names what a session owes that this page cannot ask for; '' when there is nothing. */
function debtOf({ authQueries, isMfaRequired }: Pick<Login, 'authQueries' | 'isMfaRequired'>): string {
  if (authQueries.some(({ typeId }) => typeId === 'EXT-JWT'))
    return 'Your auth policy asks for a token of an external provider with each request, and this page sends none.';
  if (authQueries.length > 0 && !isMfaRequired)
    return 'Your auth policy asks for an authenticator app, and you have none: enroll one in the API explorer first.';
  return '';
}

async function enter(): Promise<void> {
  const { id, name, isAdmin, permissions } = await call('getCurrentIdentity', {});
  const before = whoIsIn.value;
  // Somebody else must not find what the one before had typed.
  if (before !== undefined && before.id !== id) location.hash = '#/';
  whoIsIn.value = { id, name, isAdmin, permissions: permissions ?? [] };
  sessionState.value = 'in';
  freshness.value += 1;
}

const ADVICE: Readonly<Record<string, string>> = {
  INVALID_AUTH: 'Username or password is wrong.',
  MFA_INVALID_TOKEN: 'The code is wrong or was used before: take the next one of the app, or a recovery code.',
  UNAUTHORIZED: 'The session has ended: sign in again.',
};

async function advised<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const advice = error instanceof Refused ? ADVICE[error.code] : undefined;
    throw advice === undefined || !(error instanceof Refused)
      ? error
      : new Refused(advice, error.status, error.code, error.field);
  }
}

/** @throws Refused, Unreached with what to show */
export async function signIn(username: string, password: string): Promise<void> {
  await advised(async () => {
    keepToken('');
    const session = await call('authenticate', { query: { method: 'password' }, body: { username, password } });
    lastUsername.value = username;
    const debt = debtOf(session);
    if (debt !== '') throw new Refused(debt, 401, 'DEBT', '');
    keepToken(session.token);
    if (session.isMfaRequired && session.authQueries.some(({ typeId }) => typeId === 'MFA'))
      sessionState.value = 'code';
    else await enter();
  });
}

/** Answers for the second factor. @throws Refused, Unreached with what to show */
export async function giveCode(code: string): Promise<void> {
  await advised(async () => {
    await call('authenticateMfa', { body: { code: code.replace(/\s/g, '').toUpperCase() } });
    await enter();
  });
}

/** Ends the session at the controller too; one that has ended by itself is no failure. */
export async function signOut(): Promise<void> {
  if (hasToken()) await call('deleteCurrentApiSession', {}).catch(() => undefined);
  keepToken('');
  whoIsIn.value = undefined;
  sessionState.value = 'out';
  location.hash = '#/';
}

/** Forgets a login that waits for a code. */
export function forgetLogin(): void {
  void signOut();
}

/** Whether who is signed in may call an operation: what they may not is not offered. */
export function may(operation: CallName<'management'>): boolean {
  return mayCall('management', operation);
}
export function mayFabric(operation: CallName<'fabric'>): boolean {
  return mayCall('fabric', operation);
}

function mayCall(api: 'management' | 'fabric', operation: string): boolean {
  const who = whoIsIn.value;
  const [, , permission = 'admin', ...rights] = table[api][operation] ?? [];
  if (who === undefined) return false;
  return permission !== 'admin' || who.isAdmin || rights.some((right) => who.permissions.includes(right));
}
