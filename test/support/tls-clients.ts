/**
 * What TLS clients say of servers: whether OpenSSL, Node and Go take a certificate for a name. Go is asked where it is
 * installed; it compares names in its own way, and most clients of such a network are written in it.
 */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect as connectPlain, isIP } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity, connect, createServer } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { fileURLToPath } from 'node:url';

const goSource = fileURLToPath(new URL('../../../test/fixtures/tls-client/main.go', import.meta.url));

/** A certificate to be shown, with what follows it. */
export interface Shown {
  readonly what: string;
  readonly chainPem: string;
}

/** Why a client does not take a certificate for a name; empty: it does. */
export interface Verdict {
  readonly shown: Shown;
  readonly name: string;
  readonly reason: string;
}

export interface TlsClient {
  readonly name: string;
  /** Every certificate under every name. */
  judge(world: World, shown: readonly Shown[], names: readonly string[]): Promise<Verdict[]>;
}

export interface World {
  readonly rootsPem: string;
  /** Of all certificates. */
  readonly keyPem: string;
}

export const hasGo = (): boolean => {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/**
 * Chain, purpose and name, as its command line and the programs that are built on it see them.
 * @param place  an empty directory
 */
export function openSsl(place: string): TlsClient {
  const written = (name: string, content: string) => {
    const file = join(place, name);
    writeFileSync(file, content);
    return file;
  };
  return {
    name: 'OpenSSL',
    async judge({ rootsPem }, shown, names) {
      const files = shown.map(({ chainPem }, index) => written(`${index}.pem`, chainPem));
      const authorities = [
        '-CAfile',
        written('roots.pem', rootsPem),
        '-untrusted',
        written('others.pem', shown.map(({ chainPem }) => afterLeaf(chainPem)).join('')),
      ];
      const verdicts = [];
      for (const name of names) {
        const said = await output('openssl', [
          'verify',
          ...authorities,
          '-purpose',
          'sslserver',
          isIP(name) ? '-verify_ip' : '-verify_hostname',
          name,
          ...files,
        ]);
        verdicts.push(
          ...shown.map((one, index) => ({
            shown: one,
            name,
            reason: said.includes(`${String(files[index])}: OK`) ? '' : 'not OK',
          })),
        );
      }
      return verdicts;
    },
  };
}

const afterLeaf = (chainPem: string) => chainPem.slice(chainPem.indexOf(END) + END.length + 1);
const END = '-----END CERTIFICATE-----';

/** Real handshakes of this process, with the check of names that `https` uses. */
export const node: TlsClient = {
  name: 'Node',
  judge: (world, shown, names) =>
    withServers(world, shown, async (servers) => {
      const verdicts = [];
      for (const { shown: one, port } of servers) {
        for (const name of names)
          verdicts.push({ shown: one, name, reason: await handshake(port, name, world.rootsPem) });
      }
      return verdicts;
    }),
};

/**
 * False where this line of Node.js finds an IPv6 address in no certificate, whoever made it: 22.23.3 compares the
 * address as it is asked for with the eight groups in which OpenSSL writes it.
 */
export const nodeFindsIpv6 =
  checkServerIdentity('fd00::7', { subjectaltname: 'IP Address:FD00:0:0:0:0:0:0:7' } as PeerCertificate) === undefined;

const GO = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', GO111MODULE: 'auto', CGO_ENABLED: '0' };

/**
 * Real handshakes of a program of the standard library, built without network and modules.
 * @param place  an empty directory
 */
export function go(place: string): TlsClient {
  const binary = join(place, 'tls-client');
  // Without C and without inlining it is compiled in half the time, which is most of what this costs.
  execFileSync('go', ['build', '-gcflags=all=-l', '-ldflags=-w', '-o', binary, goSource], {
    env: { ...process.env, ...GO },
    stdio: 'pipe',
  });
  return {
    name: 'Go',
    judge: (world, shown, names) =>
      withServers(world, shown, async (servers) => {
        const tries = servers.flatMap(({ shown: one, port }) => names.map((name) => ({ shown: one, name, port })));
        const input = { Roots: world.rootsPem, Attempts: tries.map(({ port, name }) => ({ Port: port, Name: name })) };
        const reasons = JSON.parse(await output(binary, [], JSON.stringify(input))) as string[];
        return tries.map(({ shown: one, name }, index) => ({ shown: one, name, reason: reasons[index] ?? 'no word' }));
      }),
  };
}

/** What it wrote, also when it failed. */
function output(command: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => {
      resolve(stdout);
    });
    child.stdin?.on('error', () => undefined).end(input);
  });
}

async function withServers<T>(
  { keyPem }: World,
  shown: readonly Shown[],
  work: (servers: readonly { shown: Shown; port: number }[]) => Promise<T>,
): Promise<T> {
  const servers = shown.map(({ chainPem }) =>
    createServer({ cert: chainPem, key: keyPem }, (socket) => {
      socket.on('error', () => undefined).end();
    }),
  );
  try {
    const ports = await Promise.all(
      servers.map(
        (server) =>
          new Promise<number>((resolve) => {
            server.listen(0, '127.0.0.1', () => {
              resolve((server.address() as AddressInfo).port);
            });
          }),
      ),
    );
    return await work(shown.map((one, index) => ({ shown: one, port: ports[index] as number })));
  } finally {
    await Promise.all(
      servers.map(
        (server) =>
          new Promise((resolve) => {
            server.close(resolve);
          }),
      ),
    );
  }
}

function handshake(port: number, name: string, rootsPem: string): Promise<string> {
  return new Promise((resolve) => {
    // With a socket of its own the name is only compared, not looked up.
    const plain = connectPlain(port, '127.0.0.1');
    const socket = connect({ socket: plain, host: name, ca: rootsPem }, () => {
      resolve('');
      socket.destroy();
    });
    socket.on('error', (error: Error) => {
      resolve(error.message);
      plain.destroy();
    });
    plain.on('error', (error) => {
      resolve(error.message);
    });
  });
}
