/** Tokens of API sessions are derived with a key of the network. Against controllers and PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { hashToken, tokenOf } from '../../domain/auth/tokens.js';
import { createKeyRing, parseMasterKey } from '../../domain/pki/master-key.js';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { createClient, expectStatus } from '../support/client.js';
import { ADMIN } from '../support/controller.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT } from '../support/paths.js';

const CONTEXT = 'network-secret:api-session-tokens';

describe('tokens of API sessions', () => {
  const [masterKey, nextKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  let database: TestDatabase;
  const running: RunningController[] = [];
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const controller of running.splice(0)) await controller.stop();
    await database.close();
  });

  const start = async (env: Record<string, string> = {}): Promise<RunningController> => {
    const controller = await startController(
      readConfig({
        env: {
          DATABASE_URL: database.url,
          EDGE_LISTEN: '127.0.0.1:0',
          EDGE_ADMIN_PASSWORD: ADMIN.password,
          EDGE_LOG_LEVEL: 'silent',
          EDGE_MASTER_KEY: masterKey,
          ...env,
        },
      }),
      createLogger({ level: 'silent', format: 'json' }),
    );
    running.push(controller);
    return controller;
  };
  const stop = async (controller: RunningController) => {
    running.splice(running.indexOf(controller), 1);
    await controller.stop();
  };
  const login = async ({ url }: RunningController) => {
    const client = createClient(url);
    const { data } = expectStatus(await client.post(`${CLIENT}/authenticate?method=password`, ADMIN), 200);
    client.close();
    return data as { id: string; token: string };
  };
  const statusOf = async ({ url }: RunningController, token: string) => {
    const client = createClient(url, token);
    const { status } = await client.get(`${CLIENT}/current-api-session`);
    client.close();
    return status;
  };
  const sealedKey = async () => {
    const { rows } = await database.query(
      "SELECT sealed_secret FROM network_secrets WHERE name = 'api-session-tokens'",
    );
    return rows[0]?.['sealed_secret'] as Buffer;
  };
  const openedKey = async (key = masterKey) => createKeyRing(parseMasterKey(key)).open(await sealedKey(), CONTEXT);
  const refusal = async (): Promise<string> =>
    start().then(
      () => 'it started',
      (error: unknown) => (error as Error).message,
    );
  /** Every row of every table, as text. */
  const dump = async (): Promise<string> => {
    const { rows } = await database.query(
      "SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    );
    let text = '';
    for (const { name } of rows as { name: string }[]) {
      const { rows: found } = await database.query(`SELECT t::text AS line FROM ${name} t`);
      text += (found as { line: string }[]).map(({ line }) => line).join('\n');
    }
    return text;
  };

  it('follow from the id of the session and the key, on every controller and after a restart', async () => {
    const first = await start();
    const [early, late] = [await login(first), await login(first)];
    const key = await openedKey();
    for (const { id, token } of [early, late]) expect(tokenOf(key, id)).to.equal(token);
    expect(early.token).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(early.token).not.to.equal(late.token);
    const second = await start();
    const there = await login(second);
    expect(tokenOf(key, there.id)).to.equal(there.token);
    expect(await statusOf(first, there.token)).to.equal(200);
    await stop(first);
    await stop(second);
    expect(await statusOf(await start(), early.token)).to.equal(200);
  });

  it('are in no row of the database, nor is the key', async () => {
    const controller = await start();
    const { id, token } = await login(controller);
    const key = await openedKey();
    const text = await dump();
    expect(text).to.include(id);
    expect(text).to.include(hashToken(token).toString('hex'));
    for (const secret of [token, token.replaceAll('-', ''), key.toString('hex'), key.toString('base64')])
      expect(text.toLowerCase()).not.to.include(secret.toLowerCase());
  });

  it('are not accepted when made with another key or for another id', async () => {
    const controller = await start();
    const { id } = await login(controller);
    const key = await openedKey();
    expect(await statusOf(controller, tokenOf(key, id))).to.equal(200);
    for (const guess of [tokenOf(randomBytes(32), id), tokenOf(key, `${id}0`), tokenOf(key, '')])
      expect(await statusOf(controller, guess)).to.equal(401);
  });

  it('stay as they are when the master key changes, and the key is sealed under the new one alone', async () => {
    const first = await start();
    const { token } = await login(first);
    await stop(first);
    await stop(await start({ EDGE_MASTER_KEY: nextKey, EDGE_OLD_MASTER_KEYS: masterKey }));
    expect(await statusOf(await start({ EDGE_MASTER_KEY: nextKey }), token)).to.equal(200);
    expect(await openedKey(nextKey)).to.have.length(32);
    const refused = await openedKey(masterKey).catch((error: unknown) => error);
    expect(refused).to.be.an('error');
  });

  it('cannot be derived with a damaged key: the start says which row to restore', async () => {
    await stop(await start());
    const sealed = await sealedKey();
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    await database.query('UPDATE network_secrets SET sealed_secret = $1', [sealed]);
    expect(await refusal())
      .to.include("The key 'api-session-tokens' of this network does not open")
      .and.include('network_secrets');
  });
});
