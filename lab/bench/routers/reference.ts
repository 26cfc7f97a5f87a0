/** The field's own controller, in a directory of its own: single, without OpenID Connect, as ours is. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { endOf } from '../../controller-process.js';
import { ApiClient } from '../api-client.js';

const run = promisify(execFile);
const START_MS = 60_000;

export interface ReferenceController {
  readonly url: string;
  readonly controlUrl: string;
  readonly pid: number;
  readonly version: string;
  readonly username: string;
  readonly password: string;
}

/** Free at this moment, on the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * @param binary  the field's program
 * @param atEnd  gets what stops it and removes its directory
 * @throws Error with what it wrote when it does not come up
 */
export async function startReference(
  binary: string,
  atEnd: (stop: () => Promise<void>) => void,
): Promise<ReferenceController> {
  const dir = mkdtempSync(join(tmpdir(), 'edge-reference-'));
  atEnd(async () => {
    rmSync(dir, { recursive: true, force: true });
    return Promise.resolve();
  });
  const env = { PATH: process.env['PATH'] ?? '', HOME: dir };
  const ziti = (...args: string[]) => run(binary, args, { cwd: dir, env });
  const pki = (kind: string, ...args: string[]) =>
    ziti('pki', 'create', kind, '--pki-root', join(dir, 'pki'), '--curve', 'P256', ...args);
  await pki('ca', '--ca-file', 'ca', '--trust-domain', 'bench');
  await pki('intermediate', '--ca-name', 'ca', '--intermediate-file', 'inter', '--max-path-len', '1');
  const ofController = ['--ca-name', 'inter', '--spiffe-id', 'controller/bench'];
  await pki('server', ...ofController, '--server-file', 'ctrl', '--dns', 'localhost', '--ip', '127.0.0.1');
  await pki('client', ...ofController, '--client-file', 'client', '--key-file', 'ctrl', '--client-name', 'ctrl');
  const [api, control] = [await freePort(), await freePort()];
  const password = randomBytes(18).toString('base64url');
  const username = 'admin';
  writeFileSync(join(dir, 'ctrl.yml'), configOf(dir, api, control));
  await ziti('controller', 'edge', 'init', 'ctrl.yml', '-u', username, '-p', password);
  const logFile = join(dir, 'ctrl.log');
  const log = openSync(logFile, 'w', 0o600);
  const child = spawn(binary, ['controller', 'run', 'ctrl.yml'], { cwd: dir, env, stdio: ['ignore', log, log] });
  closeSync(log);
  atEnd(() => endOf(child));
  const url = `https://127.0.0.1:${api}`;
  const client = new ApiClient(url);
  for (const deadline = performance.now() + START_MS; ; await delay(100)) {
    try {
      const { version } = await client.call<{ version: string }>('GET', '/edge/client/v1/version');
      client.close();
      return {
        url,
        controlUrl: `https://127.0.0.1:${control}`,
        pid: child.pid ?? 0,
        version,
        username,
        password,
      };
    } catch (cause) {
      if (performance.now() < deadline && child.exitCode === null) continue;
      const end = readFileSync(logFile, 'utf8').split('\n').slice(-10).join('\n');
      throw new Error(`the reference controller did not come up; its log ends:\n${end}`, { cause });
    }
  }
}

function configOf(dir: string, api: number, control: number): string {
  const at = (name: string) => join(dir, 'pki', name);
  return `v: 3
db: ${join(dir, 'ctrl.db')}
identity:
  cert: ${at('inter/certs/client.chain.pem')}
  server_cert: ${at('inter/certs/ctrl.chain.pem')}
  key: ${at('inter/keys/ctrl.key')}
  ca: ${at('ca/certs/ca.cert')}
ctrl:
  listener: tls:127.0.0.1:${control}
  options: {advertiseAddress: "tls:localhost:${control}"}
edge:
  api: {sessionTimeout: 30m, address: "localhost:${api}", disableOidcAutoBinding: true}
  enrollment:
    signingCert:
      cert: ${at('inter/certs/inter.cert')}
      key: ${at('inter/keys/inter.key')}
    edgeIdentity: {duration: 180m}
    edgeRouter: {duration: 180m}
web:
  - name: api
    bindPoints: [{interface: "127.0.0.1:${api}", address: "localhost:${api}"}]
    apis: [{binding: edge-management, options: {}}, {binding: edge-client, options: {}}, {binding: fabric, options: {}}]
`;
}
