/** A collector of traces as OTLP over HTTP describes it, in JSON, which keeps what it is sent. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  /** 1 inside, 2 server, 3 client. */
  readonly kind: number;
  readonly status: number;
  readonly attributes: ReadonlyMap<string, unknown>;
  readonly resource: ReadonlyMap<string, unknown>;
}

export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All bodies, one after another. */
  readonly text: () => string;
  readonly headers: () => IncomingHttpHeaders | undefined;
  /** The status of its answers from now on. */
  answer(status: number): void;
  close(): void;
}

interface Value {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly boolValue?: boolean;
}
type Pairs = readonly { readonly key: string; readonly value: Value }[];

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Pairs };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly kind: number;
        readonly status?: { readonly code?: number };
        readonly attributes?: Pairs;
      }[];
    }[];
  }[];
}

const mapOf = (pairs: Pairs = []) =>
  new Map<string, unknown>(
    pairs.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  );

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  let [text, status] = ['', 200];
  let headers: IncomingHttpHeaders | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      headers = request.headers;
      const body = Buffer.concat(chunks);
      const plain = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
      if (status === 200) {
        text += plain;
        for (const { resource, scopeSpans } of (JSON.parse(plain) as Sent).resourceSpans)
          for (const span of scopeSpans.flatMap(({ spans: sent }) => sent)) {
            const { name, traceId, spanId, parentSpanId = '', kind } = span;
            spans.push({
              ...{ name, traceId, spanId, parentSpanId, kind },
              status: span.status?.code ?? 0,
              attributes: mapOf(span.attributes),
              resource: mapOf(resource.attributes),
            });
          }
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    text: () => text,
    headers: () => headers,
    answer(next) {
      status = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
