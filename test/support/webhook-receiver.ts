/** A target of events: a plain HTTP server on loopback that checks signatures, and answers as a test says. */
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Delivery {
  readonly id: string;
  readonly timestamp: number;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly entityId: string; readonly kind: string };
  readonly isSigned: boolean;
}

export interface Receiver {
  readonly url: string;
  /** All that came, whatever was answered. */
  readonly deliveries: Delivery[];
  /** What it answers from now on; null: nothing. */
  status: number | null;
  /** By which signatures are checked. */
  secret: string;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const header = (name: string) => String(request.headers[`webhook-${name}`]);
      const [id, timestamp] = [header('id'), header('timestamp')];
      const key = Buffer.from(receiver.secret.replace('whsec_', ''), 'base64');
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64');
      receiver.deliveries.push({
        id,
        timestamp: Number(timestamp),
        path: request.url ?? '',
        body: JSON.parse(text) as Delivery['body'],
        isSigned: header('signature') === `v1,${signature}`,
      });
      if (receiver.status === null) return;
      response.writeHead(receiver.status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    deliveries: [],
    status: 204,
    secret: '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return receiver;
}
