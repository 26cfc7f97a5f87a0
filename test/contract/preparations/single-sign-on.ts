/** What requests about single sign-on need, by operation and status. */
import { authPolicy } from '../../support/auth-policy.js';
import { expectStatus } from '../../support/client.js';
import { REDIRECT, oidcClient } from '../../support/oidc.js';
import { makeSigner, tokenOf } from '../../support/tokens.js';
import { codeAt, enrollTotp } from '../../support/totp.js';
import { toQuery } from '../situation.js';
import type { Prepare, Situation } from '../situation.js';
import type { Account, World } from '../world.js';

type Members = Readonly<Record<string, string>>;

const JSON_TYPE = 'application/json';
const isJson = ({ transaction: { request } }: Situation): boolean => request.headers['Content-Type'] === JSON_TYPE;

function withoutQuery({ transaction }: Situation): void {
  transaction.fullPath = transaction.fullPath.split('?')[0] ?? '';
}

/** Sends these alone, in the form that the request is to have. */
function give(situation: Situation, members: Members): void {
  withoutQuery(situation);
  const text = isJson(situation) ? JSON.stringify(members) : new URLSearchParams(members).toString();
  situation.transaction.request.body = text;
}

/** A login that was begun, and what it needs for tokens. */
const begun = ({ anonymous }: World) => oidcClient(anonymous).begin();

/** The same whose password was given. @param status  302 when it is complete, 200 when it owes more */
async function passed(world: World, account: Account, status = 302): Promise<{ id: string; verifier: string }> {
  const { id, verifier } = await begun(world);
  const answer = await oidcClient(world.anonymous).password(id, account.username, account.password);
  expectStatus(answer, status);
  return { id, verifier };
}

/** Brings the access token of a login. */
export async function enterByToken({ transaction, world }: Situation): Promise<void> {
  const { username, password } = await world.account();
  const { access_token: token } = await oidcClient(world.anonymous).login(username, password);
  Object.assign(transaction.request.headers, { Authorization: `Bearer ${token}` });
}

/** Gives a parameter twice or too long, JSON that is none, or, where there are no parameters, a type that is none. */
export function spoilForm(situation: Situation): void {
  const { operation, transaction } = situation;
  const { request } = transaction;
  const name = operation.parameters.find((one) => ['client_id', 'id'].includes(one.name))?.name;
  const [member] = Object.keys(operation.body?.members ?? {}).filter((one) => /^(client_id|id|token)$/.test(one));
  if (member !== undefined) {
    withoutQuery(situation);
    request.body = isJson(situation) ? '{' : `${member}=a&${member}=b`;
  } else if (name !== undefined) toQuery(situation, name, 'x'.repeat(200));
  else Object.assign(request, { headers: { ...request.headers, 'Content-Type': 'nonsense' }, body: '{}' });
}

/** A client that shows a secret, which none has. */
const withSecret: Prepare = ({ transaction }) => {
  transaction.request.headers['Authorization'] = `Basic ${Buffer.from('native:secret').toString('base64')}`;
};

const shown: Prepare = async (situation) => {
  const { id } = await begun(situation.world);
  withoutQuery(situation);
  toQuery(situation, 'id', id);
};

const byPassword: Prepare = async (situation) => {
  const { world } = situation;
  const { username, password } = await world.account();
  give(situation, { id: (await begun(world)).id, username, password });
};

interface Enrolled {
  readonly account: Account;
  readonly secret: string;
}

async function withTotp(world: World): Promise<Enrolled> {
  const account = await world.account();
  const { secret } = await enrollTotp(await world.session(account));
  return { account, secret };
}

const owingTotp: Prepare = async (situation) => {
  const { world } = situation;
  const { username, password } = (await withTotp(world)).account;
  give(situation, { id: (await begun(world)).id, username, password });
};

async function byToken(situation: Situation, account: Account): Promise<void> {
  const { transaction, world } = situation;
  const token = await tokenOf(await makeSigner(world.admin), account.id);
  transaction.request.headers['Authorization'] = `Bearer ${token}`;
  give(situation, { id: (await begun(world)).id });
}

/** A login whose user has begun to enroll an authenticator app on the way. @returns its secret */
async function enrolling(situation: Situation, account: Account, status = 302): Promise<Members & { secret: string }> {
  const { world } = situation;
  const { id } = await passed(world, account, status);
  const answer = await oidcClient(world.anonymous).post('/oidc/login/totp/enroll', { id });
  const { provisioningUrl } = expectStatus(answer, 201).json as { provisioningUrl: string };
  return { id, secret: new URL(provisioningUrl).searchParams.get('secret') ?? '' };
}

/** An account whose auth policy requires a token of a signer. */
async function owingToken(world: World): Promise<Account> {
  const { id: requireExtJwtSigner } = await makeSigner(world.admin);
  const policy = authPolicy({ secondary: { requireExtJwtSigner } });
  return world.account(true, { authPolicyId: await world.create('/auth-policies', policy) });
}

const loggedIn: Prepare = async (situation) => {
  const { world } = situation;
  give(situation, { id: (await passed(world, await world.account())).id });
};

/** A refresh token, with which its whole login ends. */
const revoked: Prepare = async (situation) => {
  const { world } = situation;
  const { username, password } = await world.account();
  const { refresh_token: token } = await oidcClient(world.anonymous).login(username, password);
  give(situation, { token, client_id: 'native' });
};

export const singleSignOn: Readonly<Record<string, Prepare>> = {
  'showUsernamePage 200': shown,
  'showPasswordPage 200': shown,
  'showCertLogin 200': shown,
  'showExtJwtLogin 200': shown,
  'listAuthQueries 200': shown,
  'endLogin 302': async (situation) => {
    const { id } = await passed(situation.world, await situation.world.account());
    toQuery(situation, 'id', id);
  },
  'beginLogin 302': () => undefined,
  'beginLoginByPost 302': withoutQuery,
  'endSession 302': () => undefined,
  'endSessionByPost 302': withoutQuery,
  'loginByUsername 302': byPassword,
  'loginByPassword 302': byPassword,
  'loginByUsername 200': owingTotp,
  'loginByPassword 200': owingTotp,
  'loginByExtJwt 302': async (situation) => byToken(situation, await situation.world.account()),
  'loginByExtJwt 200': async (situation) => byToken(situation, (await withTotp(situation.world)).account),
  'loginByTotp 302': async (situation) => {
    const { account, secret } = await withTotp(situation.world);
    const { id } = await passed(situation.world, account, 200);
    give(situation, { id, code: codeAt(secret, 1) });
  },
  'beginTotp 201': loggedIn,
  'beginTotp 409': async (situation) => {
    const { account } = await withTotp(situation.world);
    give(situation, { id: (await passed(situation.world, account, 200)).id });
  },
  'removeTotp 200': async (situation) => {
    const { id = '' } = await enrolling(situation, await situation.world.account());
    give(situation, { id });
  },
  'removeTotp 404': loggedIn,
  'verifyTotp 302': async (situation) => {
    const { id = '', secret } = await enrolling(situation, await situation.world.account());
    give(situation, { id, code: codeAt(secret) });
  },
  'verifyTotp 200': async (situation) => {
    const { id = '', secret } = await enrolling(situation, await owingToken(situation.world), 200);
    give(situation, { id, code: codeAt(secret) });
  },
  'verifyTotp 404': loggedIn,
  'issueTokens 200': async (situation) => {
    const { world } = situation;
    const { id, verifier } = await passed(world, await world.account());
    const code = await oidcClient(world.anonymous).codeOf(id);
    const grant = { grant_type: 'authorization_code', client_id: 'native', redirect_uri: REDIRECT };
    give(situation, { ...grant, code, code_verifier: verifier });
  },
  'issueTokens 401': withSecret,
  'revokeToken 200': revoked,
  'revokeTokenAtOauth 200': revoked,
  'revokeToken 401': withSecret,
  'revokeTokenAtOauth 401': withSecret,
  'introspectToken 200': ({ transaction: { request } }) => {
    const token = request.headers['Authorization']?.replace('Bearer ', '') ?? '';
    request.body = new URLSearchParams({ token }).toString();
  },
};
