/**
 * The field's own programs, as users run them: one binary (stock-binary.ts) is router, SDK client and tunneler.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectStatus } from './client.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { itemsOf, make, read } from './entities.js';
import { MANAGEMENT } from './paths.js';
import { until } from './poll.js';
import { freePort } from './ports.js';

export interface ZitiProcess {
  /** What it has written, both streams in order. */
  readonly output: () => string;
  readonly stdout: () => string;
  readonly isRunning: () => boolean;
  /** undefined when a signal ended it. */
  readonly ended: Promise<number | undefined>;
  write(text: string): void;
  /** Ends its input. */
  finish(): void;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** As much of a controller as programs need. */
export type StockController = Pick<TestController, 'admin' | 'url' | 'routersUrl'>;

export interface ZitiRouter {
  readonly id: string;
  readonly name: string;
  readonly port: number;
  readonly isTransit?: boolean;
  process: ZitiProcess;
}

export interface RouterOptions {
  /** It has a tunneler like that. */
  readonly tunnel?: TunnelOptions | undefined;
  /** That it advertises to clients. */
  readonly host?: string | undefined;
  /** Groups of its links: routers that share one make a link. */
  readonly linkGroups?: readonly string[];
  /** Its links come from the configs that it carries: release 2.1. */
  readonly hasManagedLinks?: boolean;
  /** Time after which it asks about circuits that carry nothing; a minute without it. */
  readonly idleMs?: number;
  /** It has no listener for clients. */
  readonly isTransit?: boolean;
}

/** Options of a `tunnel` listener. */
export interface TunnelOptions {
  readonly mode: 'host' | 'proxy' | 'tproxy';
  /** Of a proxy: `service:port`. */
  readonly services?: readonly string[];
  /** Of tproxy: where it answers to DNS, or `none`. */
  readonly resolver?: string;
}

const DEADLINE_MS = 60_000;

/** What one suite makes with the binary: files in a place of its own, processes that it ends. */
export class ZitiShop {
  readonly #binary: string;
  readonly #controller: StockController;
  readonly #place = mkdtempSync(join(tmpdir(), 'edge-ziti-'));
  readonly #processes: ZitiProcess[] = [];

  constructor(binary: string, controller: StockController) {
    this.#binary = binary;
    this.#controller = controller;
  }

  start(...args: string[]): ZitiProcess {
    const child = spawn(this.#binary, args, {
      cwd: this.#place,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.#place },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const started = processOf(child);
    this.#processes.push(started);
    return started;
  }

  /** Runs to its end. @throws Error with what it wrote when it fails */
  async run(...args: string[]): Promise<string> {
    const started = this.start(...args);
    started.finish();
    const code = await started.ended;
    if (code !== 0) throw new Error(`ziti ${args.slice(0, 2).join(' ')} ended with ${code}: ${started.output()}`);
    return started.stdout();
  }

  path(name: string): string {
    return join(this.#place, name);
  }

  /** An identity with a certificate, enrolled as its user would. @returns its id and the file that programs take */
  async identity(roleAttributes: readonly string[]): Promise<{ id: string; file: string }> {
    const name = unique('stock');
    const id = await make(this.#controller, 'identities', {
      name,
      type: 'Device',
      isAdmin: false,
      roleAttributes,
      enrollment: { ott: true },
    });
    const file = this.path(`${name}.json`);
    await this.enrollIdentity({ id, file });
    return { id, file };
  }

  /** Uses the outstanding enrollment of an identity. @param file  that programs take */
  async enrollIdentity({ id, file }: { readonly id: string; readonly file: string }): Promise<void> {
    const answer = await this.#controller.admin.get(`${MANAGEMENT}/identities/${id}/enrollments`);
    const jwt = `${file}.jwt`;
    writeFileSync(jwt, String(itemsOf(expectStatus(answer, 200))[0]?.['jwt']));
    rmSync(file, { force: true });
    await this.run('edge', 'enroll', '--keyAlg', 'EC', '--jwt', jwt, '--out', file);
  }

  /** An edge router with this attribute, enrolled, running and online. */
  async router(roleAttribute: string, options: RouterOptions = {}): Promise<ZitiRouter> {
    const {
      tunnel,
      host = '127.0.0.1',
      linkGroups = ['default'],
      hasManagedLinks = false,
      isTransit = false,
      idleMs = 60_000,
    } = options;
    const collection = isTransit ? 'transit-routers' : 'edge-routers';
    const name = unique('stock-router');
    const isTunnelerEnabled = tunnel !== undefined;
    const id = await make(this.#controller, collection, {
      name,
      ...(isTransit ? {} : { roleAttributes: [roleAttribute], isTunnelerEnabled }),
    });
    const port = await freePort();
    const config = {
      advertise: `${host}:${port}`,
      linkPort: await freePort(),
      linkGroups,
      tunnel,
      hasManagedLinks,
      idleMs,
    };
    writeFileSync(this.path(`${name}.yml`), this.#routerConfig(name, { ...config, isTransit: false }));
    await this.enrollRouter({ id, name, isTransit });
    // It enrolls as any router, and has no listener then.
    if (isTransit) writeFileSync(this.path(`${name}.yml`), this.#routerConfig(name, { ...config, isTransit }));
    const router = { id, name, port, isTransit, process: this.runRouter(name) };
    await this.online(router);
    return router;
  }

  /** Uses the outstanding enrollment of a router that has its configuration. */
  async enrollRouter({ id, name, isTransit = false }: Pick<ZitiRouter, 'id' | 'name' | 'isTransit'>): Promise<void> {
    const path = `${isTransit ? 'transit-routers' : 'edge-routers'}/${id}`;
    const { enrollmentJwt } = await read<{ enrollmentJwt: string }>(this.#controller, path);
    const jwt = this.path(`${name}.jwt`);
    writeFileSync(jwt, enrollmentJwt);
    await this.run('router', 'enroll', `${name}.yml`, '--jwt', jwt);
  }

  runRouter(name: string, ...more: string[]): ZitiProcess {
    return this.start('router', 'run', `${name}.yml`, '--log-formatter', 'json', '-v', ...more);
  }

  async online({ id, isTransit = false, process: started }: ZitiRouter, waitMs = DEADLINE_MS): Promise<void> {
    await until(
      'the router is online',
      async () => {
        if (!started.isRunning()) throw new Error(`the router ended: ${started.output()}`);
        const { isOnline, syncStatus } = await read<{ isOnline: boolean; syncStatus?: string }>(
          this.#controller,
          `${isTransit ? 'transit-routers' : 'edge-routers'}/${id}`,
        );
        return isOnline && (isTransit || syncStatus === 'SYNC_DONE');
      },
      waitMs,
    );
  }

  /** Ends what is still running and removes the files. */
  async close(): Promise<void> {
    await Promise.all(this.#processes.map((started) => started.kill('SIGKILL')));
    rmSync(this.#place, { recursive: true, force: true });
  }

  #routerConfig(
    name: string,
    {
      advertise,
      linkPort,
      linkGroups,
      tunnel,
      hasManagedLinks = false,
      isTransit,
      idleMs,
    }: Pick<RouterOptions, 'tunnel' | 'linkGroups' | 'hasManagedLinks' | 'isTransit'> & {
      readonly idleMs: number;
      readonly advertise: string;
      readonly linkPort: number;
    },
  ): string {
    const { port } = new URL(`tls://${advertise}`);
    const { port: ctrl } = new URL(this.#controller.routersUrl);
    const listeners = `listeners:
  - binding: edge
    address: tls:127.0.0.1:${port}
    options: {advertise: "${advertise}"}
${tunnel === undefined ? '' : `  - binding: tunnel\n    options: ${JSON.stringify(tunnel)}\n`}edge:
  db: ${this.path(`${name}.db`)}
`;
    return `v: 3
identity:
  cert: ${name}.cert
  server_cert: ${name}.server.chain.cert
  key: ${name}.key
  ca: ${name}.cas
ctrl:
  endpoint: tls:localhost:${ctrl}
  endpointsFile: ${this.path(`${name}.endpoints`)}
${
  hasManagedLinks
    ? 'managedConfig: {allow: [router.link]}'
    : `link:
  dialers: [{binding: transport, groups: ${JSON.stringify(linkGroups)}}]
  listeners:
    - binding: transport
      bind: tls:127.0.0.1:${linkPort}
      advertise: tls:127.0.0.1:${linkPort}
      groups: ${JSON.stringify(linkGroups)}`
}
forwarder: {idleCircuitTimeout: ${idleMs}, idleTxInterval: ${idleMs}}
${isTransit === true ? '' : listeners}csr:
  country: US
  province: NC
  locality: Charlotte
  organization: test
  organizationalUnit: test
  sans:
    dns: [localhost]
    ip: ["127.0.0.1"]
`;
  }
}

function processOf(child: ChildProcess): ZitiProcess {
  let [stdout, output, isRunning] = ['', '', true];
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
    output += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin?.on('error', () => undefined);
  const ended = new Promise<number | undefined>((resolve) => {
    child.on('error', (error) => {
      output += error.message;
      isRunning = false;
      resolve(undefined);
    });
    child.on('close', (code) => {
      isRunning = false;
      resolve(code ?? undefined);
    });
  });
  return {
    output: () => output,
    stdout: () => stdout,
    isRunning: () => isRunning,
    ended,
    write: (text) => child.stdin?.write(text),
    finish: () => child.stdin?.end(),
    async kill(signal = 'SIGTERM') {
      if (isRunning) child.kill(signal);
      await ended;
    },
  };
}
