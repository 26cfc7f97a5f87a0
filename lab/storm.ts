// Tries what a storm of logins costs: thousands of clients with certificates come back at once. Parts: lab/storm/.

import { loadavg } from 'node:os';
import { createSecureContext } from 'node:tls';
import { parseArgs } from 'node:util';
import { ApiClient, forEachParallel } from './bench/api-client.js';
import { newRequest } from './bench/certificate-requests.js';
import { newSigner } from './bench/login-cases.js';
import { median } from './bench/median.js';
import { startReference } from './bench/routers/reference.js';
import { onStage, runScript, stopwatch } from './drill/run.js';
import { SharingControllers } from './sharing-controllers.js';
import { sourceOf, comeBack, knock, newTally } from './storm/clients.js';
import { probeReadiness } from './storm/prober.js';
import type { Client, StormTally } from './storm/clients.js';
import { PostgresServers } from '../test/support/postgres-servers.js';
import { CLIENT as C, MANAGEMENT as M } from '../test/support/paths.js';
import type { Stage } from '../test/support/stage.js';

const USAGE = `Usage: npm run drill:logins -- [options]

Starts a PostgreSQL and one or more controllers, and lets clients log in, all at once, each on a new connection,
again and again until it is in: half by certificate, half by a token of an external provider. Then passwords, each
tried once. Ends everything that it started.
Exit code 1: a client did not get in, or a certificate or token was refused with 429.

  --controllers N  processes on the one database (1)
  --clients N      that come back at once (5000)
  --rounds N       how often they do (1); at most 50,000 logins in all
  --passwords N    logins by password at once (200)
  --reference FILE the field's program: the same storm at its controller, afterwards
  -h, --help       show this text and exit
`;
const MOST_LOGINS = 50_000;
const STORM_MS = 300_000;
const DEADLINE_MS = 1_800_000;

interface Options {
  readonly controllers: number;
  readonly clients: number;
  readonly rounds: number;
  readonly passwords: number;
  readonly reference: string | undefined;
}

interface Place {
  readonly label: string;
  readonly urls: readonly string[];
  readonly admin: ApiClient;
  readonly credentials: { readonly username: string; readonly password: string };
}

async function startPlace(stage: Stage, controllers: number): Promise<Place> {
  const servers = new PostgresServers(stage);
  const { url: databaseUrl } = await servers.primary({ fsync: 'on', max_connections: '200' });
  const sharing = new SharingControllers(stage, databaseUrl);
  const { credentials } = sharing;
  const urls: string[] = [];
  for (let index = 0; index < controllers; index += 1) urls.push((await sharing.start(`storm-${index}`)).url);
  const admin = await new ApiClient(urls[0] ?? '').loginToManage(credentials.username, credentials.password);
  return { label: '', urls, admin, credentials };
}

/** @param atEnd  gets what stops it */
async function startOther(binary: string, atEnd: (stop: () => Promise<void>) => void): Promise<Place> {
  const { url, username, password } = await startReference(binary, atEnd);
  const admin = await new ApiClient(url).loginToManage(username, password);
  return { label: 'reference, ', urls: [url], admin, credentials: { username, password } };
}

/** An identity for each client, with a certificate of the network, or a token for every other one. */
async function enroll(admin: ApiClient, count: number): Promise<Client[]> {
  const made: Client[] = [];
  const signer = await newSigner({ admin });
  await forEachParallel(
    Array.from({ length: count }, (_, index) => index),
    async (index) => {
      const isByToken = index % 2 === 1;
      const draft = { name: `storm-${index}`, type: 'Device', isAdmin: false };
      const id = await admin.create(`${M}/identities`, isByToken ? draft : { ...draft, enrollment: { ott: true } });
      const from = sourceOf(index);
      if (isByToken) {
        made.push({ token: await signer.token(id), ...from });
        return;
      }
      const [enrollment] = await admin.call<{ token: string }[]>('GET', `${M}/identities/${id}/enrollments`);
      const { csr, key } = await newRequest(`storm-${index}`);
      const body = { token: enrollment?.token ?? '', clientCsr: csr };
      const { cert } = await admin.call<{ cert: string }>('POST', `${C}/enroll/ott`, body);
      made.push({ secureContext: createSecureContext({ cert, key }), ...from });
    },
  );
  return made;
}

function tell(what: string, { waits, refusals, attempts }: StormTally): void {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (part: number) => ((sorted[Math.floor(part * (sorted.length - 1))] ?? 0) / 1_000).toFixed(2);
  const rate = (sorted.length / ((sorted.at(-1) ?? 0) / 1_000)).toFixed(0);
  const refused = [...refusals].map(([answer, count]) => `${count} x ${answer}`).join(', ');
  process.stdout.write(
    `${what}: ${sorted.length} in after ${at(1)} s (${rate}/s), half after ${at(0.5)} s, 99 % after ${at(0.99)} s; ` +
      `${attempts} attempts${refused === '' ? '' : `, refused ${refused}`}\n`,
  );
}

function tellProbes(times: readonly number[]): void {
  const seconds = (ms: number) => (ms / 1_000).toFixed(2);
  process.stdout.write(
    `meanwhile /readyz, ${times.length} new connections: median ${seconds(median(times))} s, ` +
      `at most ${seconds(Math.max(...times))} s\n`,
  );
}

async function storm(stage: Stage, options: Options): Promise<void> {
  const say = stopwatch();
  const closers: (() => Promise<void>)[] = [];
  try {
    say(`starting ${options.controllers} controllers`);
    const places = [await startPlace(stage, options.controllers)];
    if (options.reference !== undefined) places.push(await startOther(options.reference, (stop) => closers.push(stop)));
    for (const place of places) {
      say(`${place.label}enrolling ${options.clients} clients`);
      await stormAt(place, await enroll(place.admin, options.clients), options);
    }
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function stormAt(
  { label, urls, credentials }: Place,
  clients: readonly Client[],
  { rounds, passwords }: Options,
): Promise<void> {
  const urlOf = (index: number) => urls[index % urls.length] ?? '';
  for (let round = 0; round < rounds; round += 1) {
    const tally = newTally();
    const beganAt = performance.now();
    const times = { beganAt, untilMs: beganAt + STORM_MS };
    const endProbes = probeReadiness(urlOf(0));
    await Promise.all(clients.map((client, index) => comeBack(urlOf(index >> 1), client, tally, times)));
    const probes = await endProbes();
    tell(`${label}certificates and tokens, round ${round + 1}`, tally);
    const isOurs = label === '';
    if (isOurs) tellProbes(probes);
    if (isOurs && (tally.waits.length < clients.length || tally.refusals.has('429'))) process.exitCode = 1;
  }
  const tally = newTally();
  const { username, password } = credentials;
  await Promise.all(Array.from({ length: passwords }, (_, index) => knock(urlOf(index), username, password, tally)));
  tell(`${label}passwords`, tally);
  process.stdout.write(`load of the machine ${(loadavg()[0] ?? 0).toFixed(1)}\n`);
}

const wholeOf = (name: string, text: string | undefined, preset: number): number => {
  const value = Number(text ?? preset);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} must be a whole number, and is ${text ?? ''}`);
  return value;
};

async function main(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      controllers: text,
      clients: text,
      rounds: text,
      passwords: text,
      reference: text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const options = {
    controllers: Math.max(1, wholeOf('controllers', values.controllers, 1)),
    clients: wholeOf('clients', values.clients, 5_000),
    rounds: wholeOf('rounds', values.rounds, 1),
    passwords: wholeOf('passwords', values.passwords, 200),
    reference: values.reference,
  };
  if (options.clients * options.rounds > MOST_LOGINS) throw new Error(`no more than ${MOST_LOGINS} logins`);
  await onStage({ keeps: false, deadlineMs: DEADLINE_MS }, (stage) => storm(stage, options));
}

runScript(import.meta.url, main);
