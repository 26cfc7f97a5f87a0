/**
 * What the suites of the server layer share: bytes as they are on the wire, controllers with a log to read, and child
 * processes.
 */
import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pino } from 'pino';
import { readConfig } from '../../server/settings/config-reader.js';
import { startController } from '../../server/start/controller.js';
import type { Client } from '../support/client.js';
import { createClient, expectStatus } from '../support/client.js';
import { ADMIN, EDGE_DATABASE_PATIENCE } from '../support/controller.js';
import { CLIENT as C } from '../support/paths.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';

/** A raw TLS connection to a controller. */
export function dial(url: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...options,
    });
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      socket.on('error', () => undefined);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
  readonly json: {
    error?: { code: string; message: string; requestId: string; cause?: Record<string, unknown> };
    meta?: Record<string, unknown>;
  };
}

/** What a balancer that speaks the PROXY protocol, version 2, begins with. */
export const PROXY_SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

export function parseRaw(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const isJson = /content-type: application\/json/i.test(head);
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    head,
    body,
    json: isJson ? (JSON.parse(body) as RawAnswer['json']) : {},
  };
}

/** A fault that closes the connection, with the envelope of every answer. */
export function expectRawFault(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status, answer.head).to.equal(status);
  expect(answer.json.error?.code).to.equal(code);
  expect(answer.json.error?.requestId).to.match(/^[A-Za-z0-9._-]{8,10}$/);
  expect(answer.json.meta).to.deep.equal({ apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' });
  expect(answer.head).to.match(/^ziti-instance-id: \w+/m);
  expect(answer.head).to.match(/^connection: close/im);
}

/** The head of a POST request, as on the wire. */
export const postHead = (path: string, ...lines: string[]) =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
export const JSON_TYPE = 'content-type: application/json';

/** Sends bytes and reads until the server closes the connection. */
export async function sendRaw(
  url: string,
  bytes: string | Buffer,
  options: ConnectionOptions = {},
): Promise<RawAnswer> {
  const socket = await dial(url, options);
  socket.write(bytes);
  return parseRaw(await readToEnd(socket));
}

export function readToEnd(socket: TLSSocket): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('close', () => {
      resolve(Buffer.concat(chunks).toString('latin1'));
    });
  });
}

export interface LoggedController {
  readonly url: string;
  readonly log: Record<string, unknown>[];
  client(token?: string): Client;
  login(username?: string, password?: string): Promise<Client>;
  stop(): Promise<void>;
}

/** A controller on a database that a test already has, and every line of its log. */
export async function startLogged(
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
): Promise<LoggedController> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-controller-test-'));
  const config = readConfig({
    env: { ...childEnv(dataDir, database), EDGE_LOG_REQUESTS: 'all', EDGE_DATABASE_PATIENCE, ...env },
  });
  const log: Record<string, unknown>[] = [];
  const controller = await startController(
    config,
    pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          log.push(JSON.parse(line) as Record<string, unknown>);
        },
      },
    ),
  );
  const clients: Client[] = [];
  const client = (token?: string) => {
    const made = createClient(controller.url, token);
    clients.push(made);
    return made;
  };
  return {
    url: controller.url,
    log,
    client,
    async login(username = ADMIN.username, password = ADMIN.password) {
      const answer = expectStatus(
        await client().post(`${C}/authenticate?method=password`, { username, password }),
        200,
      );
      return client((answer.data as { token: string }).token);
    },
    async stop() {
      clients.forEach((item) => {
        item.close();
      });
      await controller.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Runs openssl with nothing, or `input`, on its standard input. Not synchronously: it may talk to a server of this
 * process.
 */
export function openssl(...args: readonly string[]): Promise<string>;
export function openssl(args: readonly string[], input: string | Buffer): Promise<string>;
export function openssl(first: string | readonly string[], ...more: (string | Buffer)[]): Promise<string> {
  const [args, input] = typeof first === 'string' ? [[first, ...more.map(String)], ''] : [first, more[0] ?? ''];
  return new Promise((resolve, reject) => {
    const child = execFile('openssl', args, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`openssl ${args.join(' ')}: ${error.message}`));
    });
    child.stdin?.end(input);
  });
}

/** One master key for every controller that shares a test database. */
export const MASTER_KEY = randomBytes(32).toString('base64');

export function childEnv(dataDir: string, database: TestDatabase): Record<string, string> {
  return {
    EDGE_DATA_DIR: dataDir,
    EDGE_LISTEN: '127.0.0.1:0',
    EDGE_ADVERTISE: 'localhost:1280',
    DATABASE_URL: database.url,
    EDGE_MASTER_KEY: MASTER_KEY,
    EDGE_ADMIN_USERNAME: ADMIN.username,
    EDGE_ADMIN_PASSWORD: ADMIN.password,
    EDGE_DATABASE_POOL_SIZE: '4',
    EDGE_LOG_FORMAT: 'json',
  };
}

export interface Child {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

/** The command itself, as users run it. Nothing of the test's own environment reaches it but the way to Node. */
export function runMain(args: readonly string[], env: Readonly<Record<string, string>>): Child {
  const main = fileURLToPath(new URL('../../commands/main.js', import.meta.url));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
  return { process: child, output, ended };
}

/** Two controllers on one database, as workers and machines share it, and its administrator at the first. */
export interface Pair {
  readonly database: TestDatabase;
  readonly one: LoggedController;
  readonly two: LoggedController;
  readonly admin: Client;
  stop(): Promise<void>;
}

export async function startPair(env: Readonly<Record<string, string>> = {}): Promise<Pair> {
  const database = await openTestDatabase();
  const start = (name: string) => startLogged(database, { EDGE_NAME: name, EDGE_LOG_REQUESTS: 'none', ...env });
  const one = await start('one');
  const two = await start('two');
  const admin = await one.login();
  return {
    database,
    one,
    two,
    admin,
    async stop() {
      await one.stop();
      await two.stop();
      await database.close();
    },
  };
}
