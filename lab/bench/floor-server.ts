/**
 * The floor: what node:https alone can do here. Answers GET /<bytes> with a fixed body of that many bytes and knows
 * nothing else. Runs as a child process, reports its port, and ends with its parent.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ownCertificate } from './own-certificate.js';

const bodies = new Map<string, Buffer>();

function bodyOf(path: string): Buffer {
  const known = bodies.get(path);
  if (known !== undefined) return known;
  const body = Buffer.alloc(Number(path.slice(1)), 'x');
  bodies.set(path, body);
  return body;
}

async function start(): Promise<number> {
  const server = createServer(
    { ...(await ownCertificate()), ALPNProtocols: ['http/1.1'], keepAliveTimeout: 75_000 },
    (request, response) => {
      const body = bodyOf(request.url ?? '/0');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    },
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

process.on('disconnect', () => process.exit(0));
process.send?.({ port: await start() });
