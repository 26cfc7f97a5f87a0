/** A real controller for a suite: HTTPS on a free port, its own database, and callers of every kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../server/settings/config-reader.js';
import type { PasswordCost } from '../../domain/auth/passwords.js';
import { startController } from '../../server/start/controller.js';
import type { RunningController } from '../../server/start/controller.js';
import { createLogger } from '../../server/base/log.js';
import { openTestDatabase } from './database.js';
import type { TestDatabase } from './database.js';
import { createClient, expectStatus } from './client.js';
import type { Client } from './client.js';
import { CLIENT, MANAGEMENT } from './paths.js';
import { addressAt, freePort } from './ports.js';
import { PASSWORD, makeUser } from './users.js';

export const ADMIN = { username: 'admin', password: 'correct horse battery' } as const;

export interface TestController {
  readonly url: string;
  /** Where it takes routers, as a URL. */
  readonly routersUrl: string;
  /** Where it answers with metrics; '' without EDGE_METRICS_LISTEN. */
  readonly metricsUrl: string;
  readonly database: TestDatabase;
  readonly dataDir: string;
  /** Without a session. */
  readonly checkModel: RunningController['checkModel'];
  readonly anonymous: Client;
  /** The default administrator, logged in at the management API. */
  readonly admin: Client;
  /** Logs in, at the client API; the session goes with every request of the client that is answered. */
  login(username: string, password: string, body?: Readonly<Record<string, unknown>>): Promise<Client>;
  /** Logs in at the API with this root. */
  loginAt(root: string, username: string, password: string, body?: Readonly<Record<string, unknown>>): Promise<Client>;
  /** A new identity with a password, logged in. */
  newCaller(options?: {
    isAdmin?: boolean;
    permissions?: readonly string[];
    roleAttributes?: readonly string[];
    configTypes?: readonly string[];
    /** The root of the API that it logs in at; the client API without one. */
    at?: string;
  }): Promise<Caller>;
  stop(): Promise<void>;
}

export interface Caller {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly password: string;
  readonly client: Client;
}

/**
 * How long a database may be silent in tests: the default is for networks, whose machines do not run three suites at
 * once. Suites of lost databases give their own.
 */
export const EDGE_DATABASE_PATIENCE = '10s';

let serial = 0;
/** A name that no other test of this run uses. */
export const unique = (word: string): string => `${word}-${process.pid}-${(serial += 1)}`;

/** A hash takes 0.3 ms instead of 12: tests log in thousands of times. */
const CHEAP_PASSWORDS: PasswordCost = { memoryKib: 512, passes: 1 };

/**
 * @param env  settings by their environment variables; what is not given is made for tests: free port, quiet log
 * @param passwordCost  `{}`: what hashes cost users, for tests of what waits for them
 */
export async function startTestController(
  env: Readonly<Record<string, string>> = {},
  passwordCost = CHEAP_PASSWORDS,
): Promise<TestController> {
  const database = await openTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
  const config = readConfig({
    env: {
      EDGE_DATA_DIR: dataDir,
      EDGE_LISTEN: '127.0.0.1:0',
      EDGE_ADVERTISE: 'localhost:1280',
      DATABASE_URL: database.url,
      EDGE_ADMIN_USERNAME: ADMIN.username,
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      EDGE_LOG_LEVEL: process.env['EDGE_TEST_LOG'] ?? 'silent',
      EDGE_DATABASE_POOL_SIZE: '8',
      EDGE_DATABASE_PATIENCE,
      EDGE_MASTER_KEY_LOCAL: 'true',
      ...env,
    },
  });
  const log = createLogger({ level: config.logLevel, format: 'json' });
  const controller = await startController(config, log, new AbortController().signal, passwordCost);
  const anonymous = createClient(controller.url);
  const clients: Client[] = [anonymous];

  const loginAt: TestController['loginAt'] = async (root, username, password, body = {}) => {
    const answer = expectStatus(
      await anonymous.post(`${root}/authenticate?method=password`, { username, password, ...body }),
      200,
    );
    const client = createClient(controller.url, (answer.data as { token: string }).token);
    clients.push(client);
    return client;
  };
  const login: TestController['login'] = (username, password, body) => loginAt(CLIENT, username, password, body);
  const admin = await loginAt(MANAGEMENT, config.adminUsername, config.adminPassword ?? '');

  return {
    url: controller.url,
    routersUrl: controller.control === undefined ? controller.url : `https://${controller.control}`,
    metricsUrl: controller.metrics === undefined ? '' : `https://${controller.metrics}/metrics`,
    database,
    dataDir,
    checkModel: (routerId) => controller.checkModel(routerId),
    anonymous,
    admin,
    login,
    loginAt,
    async newCaller({ isAdmin = false, permissions = [], roleAttributes = [], configTypes = [], at = CLIENT } = {}) {
      const name = unique('caller');
      const { id } = await makeUser(admin, name, { isAdmin, permissions, roleAttributes });
      const client = await loginAt(at, name, PASSWORD, { configTypes });
      return { id, name, username: name, password: PASSWORD, client };
    },
    async stop() {
      clients.forEach((client) => {
        client.close();
      });
      await controller.stop();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One whose own address is what it tells others: stock programs and scripts go there. */
export const startReachable = async (env: Readonly<Record<string, string>> = {}): Promise<TestController> =>
  startTestController({ ...addressAt(await freePort()), ...env });
