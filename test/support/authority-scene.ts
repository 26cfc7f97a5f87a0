/**
 * Two controllers on one database with a scripted router at each, while the authority of their network changes: what
 * routers are told and when, and logins that never stop.
 */
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { certificatesOf, toPem } from '../../domain/pki/pem.js';
import { newMasterKey } from '../../domain/pki/master-key.js';
import { createCertificateClient, makeRequest } from './certificates.js';
import { expectStatus } from './client.js';
import type { Client } from './client.js';
import { ADMIN, unique } from './controller.js';
import { openTestDatabase } from './database.js';
import type { TestDatabase } from './database.js';
import { entityOf, itemsOf, make } from './entities.js';
import { KnownKeys } from './network-keys.js';
import { CLIENT, MANAGEMENT } from './paths.js';
import { freePort } from './ports.js';
import { ProcessShop } from './process.js';
import type { Exit } from './process.js';
import { ScriptedRouter, newRouter } from './scripted-router.js';

const run = promisify(execFile);

export interface Certified {
  readonly id: string;
  /** The leaf, then what it was given with it. */
  readonly cert: string;
  readonly key: string;
  /** Its bundle of trusted certificates. */
  readonly ca: string;
}

export interface At {
  readonly url: string;
  readonly admin: Client;
  readonly anonymous: Client;
  readonly keys: KnownKeys;
}

export const printOf = ({ fingerprint }: Pick<X509Certificate, 'fingerprint'>): string =>
  fingerprint.replaceAll(':', '').toLowerCase();

/** The bundle that clients trust, in PEM. */
export async function caBundle(client: Client): Promise<string> {
  const der = Buffer.from(expectStatus(await client.get('/.well-known/est/cacerts'), 200).text, 'base64');
  const child = run('openssl', ['pkcs7', '-inform', 'DER', '-print_certs']);
  child.child.stdin?.end(der);
  return certificatesOf((await child).stdout)
    .map((each) => toPem('CERTIFICATE', each))
    .join('');
}

/** Fingerprints of the chain that a new connection is shown, leaf first. @param ca  trusted; absent: any */
export function shownChain(url: string, ca?: string): Promise<string[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
    const socket = connect({ host: hostname, port: Number(port), servername: 'localhost', ...trust }, () => {
      const chain: string[] = [];
      let certificate: ReturnType<typeof socket.getPeerCertificate> | undefined = socket.getPeerCertificate(true);
      socket.destroy();
      while (certificate?.raw !== undefined) {
        const print = printOf(new X509Certificate(certificate.raw));
        if (chain.includes(print)) break;
        chain.push(print);
        certificate = 'issuerCertificate' in certificate ? certificate.issuerCertificate : undefined;
      }
      resolve(chain);
    });
    socket.on('error', reject);
  });
}

export class AuthorityScene {
  readonly shop = new ProcessShop();
  readonly #masterKey = newMasterKey();
  readonly #open: { close(): void }[] = [];
  #database: TestDatabase | undefined;
  controllers: readonly At[] = [];

  get database(): TestDatabase {
    if (this.#database === undefined) throw new Error('it is not set up');
    return this.#database;
  }

  async setUp(): Promise<this> {
    this.#database = await openTestDatabase();
    const ports = [await freePort(), await freePort()];
    for (const port of ports) this.controllers = [...this.controllers, await this.#start(port)];
    return this;
  }

  async tearDown(): Promise<void> {
    for (const each of this.#open) each.close();
    await this.shop.end();
    await this.#database?.close();
  }

  #env(port: number) {
    return {
      DATABASE_URL: this.database.url,
      EDGE_NAME: `at-${port}`,
      EDGE_MASTER_KEY: this.#masterKey,
      EDGE_LISTEN: `127.0.0.1:${port}`,
      EDGE_ADVERTISE: `localhost:${port}`,
      EDGE_ADMIN_PASSWORD: ADMIN.password,
      EDGE_DATABASE_POOL_SIZE: '4',
      EDGE_LOG_REQUESTS: 'none',
    };
  }

  async #start(port: number): Promise<At> {
    const url = await this.shop.start(join(this.shop.place(), 'data'), { env: this.#env(port) }).ready();
    const [admin, anonymous] = [await this.shop.login(url), this.shop.client(url)];
    const router = await ScriptedRouter.connect(url, await newRouter({ admin, anonymous }));
    this.#open.push(router);
    router.subscribe('s1');
    return { url, admin, anonymous, keys: new KnownKeys(router) };
  }

  /** Runs a command with the settings of the first controller. */
  async command(...args: string[]): Promise<Exit & { readonly stdout: string; readonly stderr: string }> {
    const port = Number(new URL(this.controllers[0]?.url ?? '').port);
    const child = this.shop.start(join(this.shop.place(), 'data'), { args, env: this.#env(port) });
    const exit = await child.ended;
    return { ...exit, stdout: child.stdout(), stderr: child.stderr() };
  }

  /** An identity that has just enrolled. */
  async enrolled({ admin, anonymous }: At): Promise<Certified> {
    const draft = { name: unique('identity'), type: 'Device', isAdmin: false, enrollment: { ott: true } };
    return this.enrolls({ admin, anonymous }, await make({ admin }, 'identities', draft));
  }

  /** The identity uses its outstanding enrollment. */
  async enrolls({ admin, anonymous }: Pick<At, 'admin' | 'anonymous'>, id: string): Promise<Certified> {
    const [enrollment] = itemsOf(await admin.get(`${MANAGEMENT}/identities/${id}/enrollments`));
    const { pem, privateKeyPem } = makeRequest();
    const body = { token: enrollment?.['token'], clientCsr: pem };
    const { cert } = entityOf(expectStatus(await anonymous.post(`${CLIENT}/enroll/ott`, body), 200));
    return { id, cert: String(cert), ca: await caBundle(anonymous), key: privateKeyPem };
  }

  async login({ url }: Pick<At, 'url'>, { cert, key }: Pick<Certified, 'cert' | 'key'>): Promise<number> {
    const client = createCertificateClient(url, { cert, key });
    try {
      return (await client.post(`${CLIENT}/authenticate?method=cert`, {})).status;
    } finally {
      client.close();
    }
  }

  /** The name that JWTs have for their key. */
  async kid({ anonymous }: At): Promise<string> {
    const [network] = itemsOf(expectStatus(await anonymous.get('/network-jwts'), 200));
    const [head = ''] = String(network?.['token']).split('.');
    return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }).kid;
  }

  /** Logs in at both until it is stopped, with whoever is there by then. */
  steadyLogins(whoever: Certified[]): { stop(): Promise<{ logins: number; failed: string[] }> } {
    const failed: string[] = [];
    let [isOver, logins] = [false, 0];
    this.#open.push({
      close: () => {
        isOver = true;
      },
    });
    const log = async (at: At) => {
      while (!isOver) {
        for (const [index, certified] of [...whoever].entries()) {
          const status = await this.login(at, certified).catch(String);
          logins += 1;
          if (status !== 200) failed.push(`${index} at ${at.url}: ${status}`);
        }
      }
    };
    const all = Promise.all(this.controllers.map(log));
    return {
      stop: async () => {
        isOver = true;
        await all;
        return { logins, failed };
      },
    };
  }
}
