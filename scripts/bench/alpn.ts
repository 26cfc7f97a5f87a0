/**
 * What HTTP/2 would cost, and whether HTTP/1.1 would lose by it (docs/decisions/0018): CPU of a bare server for one
 * request, with `node:https`, with `node:http2` that takes HTTP/1.1 too, and with a dispatch by ALPN. By itself:
 * `node dist/scripts/bench/alpn.js`.
 */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer as createHttp2, createSecureServer } from 'node:http2';
import type { ClientHttp2Session } from 'node:http2';
import { Agent, createServer, get } from 'node:https';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { ownCertificate } from './own-certificate.js';

const CLIENTS = 8;
const TURNS = 12;
const BODY = 'x'.repeat(900);
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length, 'cache-control': 'no-store' };

interface Answering {
  writeHead(status: number, headers: typeof HEADERS): unknown;
  end(body: string): unknown;
}

const answer = (_request: unknown, response: Answering) => {
  response.writeHead(200, HEADERS);
  response.end(BODY);
};

/** HTTP/1.1 as it is; what asks for `h2` goes elsewhere. */
function dispatching(certificate: { cert: string; key: string }): Server {
  const server = createServer({ ...certificate, ALPNProtocols: ['h2', 'http/1.1'] }, answer);
  const newer = createHttp2(answer);
  const [older] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') newer.emit('connection', socket);
    else older?.call(server, socket);
  });
  return server;
}

const SERVERS = {
  https: (certificate: { cert: string; key: string }) =>
    createServer({ ...certificate, ALPNProtocols: ['http/1.1'] }, answer),
  http2: (certificate: { cert: string; key: string }) =>
    createSecureServer({ ...certificate, allowHTTP1: true }, answer),
  dispatch: dispatching,
};
type Kind = keyof typeof SERVERS;

async function serve(kind: Kind): Promise<void> {
  const server = SERVERS[kind](await ownCertificate());
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.on('disconnect', () => process.exit(0));
}

/** So many pieces of work, by so many clients at a time. */
async function share(count: number, work: () => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (next++ < count) await work();
    }),
  );
}

const byHttp1 = (port: number, agent: Agent | false) =>
  new Promise<void>((resolve, reject) => {
    get({ agent, port, host: '127.0.0.1', rejectUnauthorized: false }, (response) => {
      response.resume().on('end', resolve);
    }).on('error', reject);
  });
const session = (port: number) => connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
const byHttp2 = (of: ClientHttp2Session) =>
  new Promise<void>((resolve, reject) => {
    of.request({ ':path': '/' }).resume().on('end', resolve).on('error', reject);
  });

async function keptHttp1(port: number, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  await share(count, () => byHttp1(port, agent));
  agent.destroy();
}
async function keptHttp2(port: number, count: number, sessions: number): Promise<void> {
  const idle = Array.from({ length: CLIENTS }, (_, i) => i % sessions);
  const open = Array.from({ length: sessions }, () => session(port));
  await share(count, async () => {
    const own = idle.pop() ?? 0;
    await byHttp2(open[own] ?? session(port));
    idle.push(own);
  });
  for (const one of open) one.destroy();
}
async function newHttp2(port: number): Promise<void> {
  const one = session(port);
  await byHttp2(one);
  one.destroy();
}

const CASES: readonly (readonly [string, Kind, number, (port: number, count: number) => Promise<void>])[] = [
  ...(['https', 'http2', 'dispatch'] as const).flatMap((kind) => [
    ['HTTP/1.1, keep-alive', kind, 1500, keptHttp1] as const,
    [
      'HTTP/1.1, new connections',
      kind,
      150,
      (port: number, count: number) => share(count, () => byHttp1(port, false)),
    ] as const,
  ]),
  ['HTTP/2, 8 connections', 'dispatch', 1500, (port, count) => keptHttp2(port, count, CLIENTS)],
  ['HTTP/2, 8 streams of one', 'dispatch', 1500, (port, count) => keptHttp2(port, count, 1)],
  ['HTTP/2, new connections', 'dispatch', 150, (port, count) => share(count, () => newHttp2(port))],
];

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(kind: Kind): Promise<Started> {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
  const [port] = (await once(child, 'message')) as [number];
  return { child, port };
}

async function cpuUs({ child }: Started): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}

async function measure(): Promise<void> {
  const started = { https: await start('https'), http2: await start('http2'), dispatch: await start('dispatch') };
  const seen = CASES.map((): number[] => []);
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (let place = 0; place < CASES.length; place += 1) {
      const index = (place + 3 * turn) % CASES.length;
      const [, kind, count, work] = CASES[index] ?? [];
      if (kind === undefined || count === undefined || work === undefined) continue;
      const before = await cpuUs(started[kind]);
      await work(started[kind].port, count);
      if (turn > 0) seen[index]?.push(((await cpuUs(started[kind])) - before) / count); // the first warms up
    }
  for (const [index, [name, kind]] of CASES.entries()) {
    const sorted = (seen[index] ?? []).sort((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(0).padStart(6);
    process.stdout.write(
      `${name.padEnd(28)}${kind.padEnd(10)}us of CPU ${at(0.5)}  quartiles ${at(0.25)} ${at(0.75)}\n`,
    );
  }
  for (const { child } of Object.values(started)) child.kill();
}

const kind = process.argv[2];
await (kind === undefined ? measure() : serve(kind as Kind));
