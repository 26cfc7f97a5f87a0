/** Whether a controller can listen where it should, or this one does already. */
import type { X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { connect } from 'node:tls';
import { parseHostPort } from '../../domain/pki/server-name.js';
import type { Settings } from '../../server/settings/config.js';
import { failed, passed, warning } from '../../server/maintenance/finding.js';
import type { Finding } from '../../server/maintenance/finding.js';

const PORTS = 'ports';
const PATIENCE_MS = 5_000;
const ANY_ADDRESS = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

/** @param isOurs  knows the certificates of the controllers of this network; undefined when they are not known */
export async function examinePorts(
  { listen, controlListen, metricsListen }: Settings,
  isOurs: ((certificate: X509Certificate) => boolean) | undefined,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const [address, variable] of [
    [listen, 'EDGE_LISTEN'],
    [controlListen, 'EDGE_CONTROL_LISTEN'],
  ] as const)
    if (address !== null) found.push(await examinePort(address, variable, isOurs));
  if (metricsListen !== null) found.push(await examineMetricsPort(metricsListen));
  return found;
}

/** The process that has the port for metrics cannot be identified: it shows no certificate of the network. */
async function examineMetricsPort(address: string): Promise<Finding> {
  const { host, port } = parseHostPort(address);
  const problem = port === 0 ? undefined : await listenFault(host, port);
  if (problem === undefined) return passed(PORTS, `${address} is free.`);
  return problem.code === 'EADDRINUSE'
    ? passed(PORTS, `${address} is taken, as it is by metrics while this controller runs.`)
    : cannotListen(address, 'EDGE_METRICS_LISTEN', problem);
}

const cannotListen = (address: string, variable: string, problem: Error): Finding =>
  failed(
    PORTS,
    `It cannot listen on ${address}: ${problem.message}.`,
    `Set ${variable} to an address and port that this user may listen on.`,
  );

async function examinePort(
  address: string,
  variable: string,
  isOurs: ((certificate: X509Certificate) => boolean) | undefined,
): Promise<Finding> {
  const { host, port } = parseHostPort(address);
  if (port === 0) return passed(PORTS, `${variable} takes any free port.`);
  const problem = await listenFault(host, port);
  if (problem === undefined) return passed(PORTS, `${address} is free.`);
  if (problem.code !== 'EADDRINUSE') return cannotListen(address, variable, problem);
  const shown = await certificateAt(ANY_ADDRESS.get(host) ?? host, port);
  if (shown !== undefined && isOurs?.(shown) === true) return passed(PORTS, `${address} is taken by this controller.`);
  if (shown !== undefined && isOurs === undefined)
    return warning(
      PORTS,
      `${address} is taken, and the database cannot say whether by this controller.`,
      'Mend the database first.',
    );
  return failed(
    PORTS,
    `${address} is in use by another program.`,
    `Stop that one, or set ${variable} to another address (ss -ltnp shows who it is).`,
  );
}

function listenFault(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(undefined);
      });
    });
  });
}

/** Returns the certificate of a server at this address; undefined when it speaks no TLS. */
function certificateAt(host: string, port: number): Promise<X509Certificate | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    socket.setTimeout(PATIENCE_MS, () => {
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve(undefined);
    });
  });
}
