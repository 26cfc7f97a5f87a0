/** Metrics as Prometheus reads them, in its text form. */
import { request as requestPlain } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as requestTls } from 'node:https';
import type { RequestOptions } from 'node:https';
import { gunzipSync } from 'node:zlib';

export interface MetricsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** On a connection of its own. */
export function askMetrics(url: string, options: RequestOptions = {}): Promise<MetricsAnswer> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    request(url, { agent: false, rejectUnauthorized: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const body = Buffer.concat(chunks);
        const isPacked = headers['content-encoding'] === 'gzip' && body.length > 0;
        resolve({ status, headers, text: (isPacked ? gunzipSync(body) : body).toString('utf8') });
      });
    })
      .on('error', reject)
      .end();
  });
}

export interface MetricKind {
  readonly name: string;
  readonly type: string;
  readonly help: string;
}

/** What the text declares, in order. */
export const kindsIn = (text: string): MetricKind[] =>
  [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(([, name = '', help = '', type = '']) => ({
    name,
    help,
    type,
  }));

/** The sum of all samples of a name with these labels; undefined when there is none. */
export function valueIn(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const values = samplesOf(text, name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels.get(label) === value))
    .map(({ value }) => value);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

export function samplesOf(text: string, name: string): { labels: ReadonlyMap<string, string>; value: number }[] {
  return text.split('\n').flatMap((line) => {
    const [, labels = '', value = ''] = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`).exec(line) ?? [];
    if (value === '') return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return [{ labels: new Map(pairs.map(([, label = '', text = '']) => [label, text])), value: Number(value) }];
  });
}
