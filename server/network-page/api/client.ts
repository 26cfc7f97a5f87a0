/**
 * Calls the public APIs of the controller that served the page, and no other address. Holds the session's token, which
 * goes into a header of each call and nowhere else: not into storage, a cookie, an address or a message.
 */
import { signal } from '@preact/signals';
import table from 'operations';
import type { CallAnswer, CallData, CallInput, CallName, PageApi } from './contract.js';

/** The controller refused a call. Its message is written for people. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly code: string,
    /** The member of the body that is at fault, if one is. */
    readonly field: string,
  ) {
    super(message);
  }
}

/** No answer came: the network or the controller is away. */
export class Unreached extends Error {}

/** Whether the last call got an answer. */
export const isReached = signal(true);
/** Grows when a session starts and when the controller is back: what was shown is asked for again. */
export const freshness = signal(0);

let token = '';
let whenEnded: () => void = () => undefined;

export const keepToken = (given: string): void => {
  token = given;
};
export const hasToken = (): boolean => token !== '';
/** @param listener  called when the controller no longer knows the session */
export const onSessionEnd = (listener: () => void): void => {
  whenEnded = listener;
};

interface WireError {
  readonly code?: string;
  readonly message?: string;
  readonly cause?: { readonly field?: string; readonly reason?: string; readonly message?: string };
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

async function refusalOf(response: Response): Promise<Refused> {
  let error: WireError = {};
  try {
    error = ((await response.json()) as { error?: WireError }).error ?? {};
  } catch {
    // A proxy answered, or a page: the status says what there is to say.
  }
  const seconds = response.headers.get('retry-after');
  if (response.status === 429 && seconds !== null)
    return new Refused(`Too many attempts: try again in ${seconds} s.`, 429, error.code ?? '', '');
  const { field = '', reason = '', message: why = '' } = error.cause ?? {};
  const detail = reason !== '' ? `${field === '' ? '' : `${field}: `}${reason}` : why;
  const base = error.message ?? `The controller answered ${response.status}`;
  const text = [base, detail].filter((part) => part !== '').map((part) => sentence(part.replace(/\.$/, '')));
  return new Refused(`${text.join('. ')}.`, response.status, error.code ?? '', field);
}

function addressOf(path: string, params: Readonly<Record<string, string>>, query: Readonly<Record<string, unknown>>) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value as string | number | boolean)]],
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}

interface AnyInput {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
}

/** @throws Refused, Unreached */
export async function request(
  api: PageApi,
  operation: string,
  input: AnyInput,
  init: RequestInit = {},
): Promise<Response> {
  const [method = 'GET', path = ''] = table[api][operation] ?? [];
  const address = addressOf(
    path,
    (input.params ?? {}) as Readonly<Record<string, string>>,
    (input.query ?? {}) as Readonly<Record<string, unknown>>,
  );
  const headers: Record<string, string> = { accept: 'application/json' };
  if (token !== '') headers['zt-session'] = token;
  if (input.body !== undefined) headers['content-type'] = 'application/json';
  const body = input.body === undefined ? null : JSON.stringify(input.body);
  let response: Response;
  try {
    response = await fetch(address, {
      ...init,
      method,
      headers: { ...headers, ...init.headers },
      body,
      cache: 'no-store',
    });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    markLost();
    throw new Unreached(
      'The controller does not answer. Nothing that you typed is lost: this page tries again by itself.',
    );
  }
  markReached();
  if (response.ok) return response;
  const refusal = await refusalOf(response);
  if (response.status === 401 && token !== '' && operation !== 'getCurrentAPISession') void checkSession();
  throw refusal;
}

/** A 401 means either that a right is missing or that the session is over: only the second concerns the whole page. */
async function checkSession(): Promise<void> {
  try {
    await request('management', 'getCurrentAPISession', {});
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) return;
    token = '';
    whenEnded();
  }
}

let retry: number | undefined;
const RETRY_MS = 2000;

function markLost(): void {
  isReached.value = false;
  retry ??= window.setInterval(() => {
    void request('management', 'listVersion', {}).catch(() => undefined);
  }, RETRY_MS);
}

function markReached(): void {
  if (isReached.value) return;
  window.clearInterval(retry);
  retry = undefined;
  isReached.value = true;
  freshness.value += 1;
}

/** @returns the whole answer, with the page of a list in `meta` */
export async function answerOf<A extends PageApi, O extends CallName<A>>(
  api: A,
  operation: O,
  input: CallInput<A, O>,
): Promise<CallAnswer<A, O>> {
  const response = await request(api, operation, input as AnyInput);
  return (await response.json()) as CallAnswer<A, O>;
}

/** Calls an operation of the management API. @returns `data` of its answer */
export async function call<O extends CallName<'management'>>(
  operation: O,
  input: CallInput<'management', O>,
): Promise<CallData<'management', O>> {
  const { data } = (await answerOf('management', operation, input)) as { data: CallData<'management', O> };
  return data;
}

/** The same of the fabric API. */
export async function callFabric<O extends CallName<'fabric'>>(
  operation: O,
  input: CallInput<'fabric', O>,
): Promise<CallData<'fabric', O>> {
  const { data } = (await answerOf('fabric', operation, input)) as { data: CallData<'fabric', O> };
  return data;
}
