/** The system's own Prometheus: found, started on loopback, and asked. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { until } from './poll.js';
import { freePort } from './ports.js';

const find = (name: string): string | undefined =>
  ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(':')]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

export const PROMETHEUS = find('prometheus') ?? '';
export const PROMTOOL = find('promtool') ?? '';

/** Why nothing can be tried with it; undefined where it can. */
export const NO_PROMETHEUS =
  PROMETHEUS === '' || PROMTOOL === ''
    ? 'no prometheus and promtool (Debian: apt-get install prometheus, which the test command does as root)'
    : undefined;

export interface Prometheus {
  /** What `/api/v1/…` answers as `data`. @throws with its error */
  ask<T>(path: string, parameters?: Readonly<Record<string, string>>): Promise<T>;
  stop(): Promise<void>;
}

const START_MS = 60_000;

/** @param place  for its data */
export async function startPrometheus(config: string, place: string): Promise<Prometheus> {
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(place, 'tsdb')}`,
      `--web.listen-address=${address}`,
      '--storage.tsdb.retention.time=1h',
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], cwd: place },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  const fetchText = (path: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      get(`http://${address}${path}`, { agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
      }).on('error', reject);
    });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    await until(
      'Prometheus is ready',
      async () => {
        if (hasEnded) throw new Error(`it ended: ${said}`);
        return (await fetchText('/-/ready').catch(() => undefined))?.status === 200;
      },
      START_MS,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async ask<T>(path: string, parameters: Readonly<Record<string, string>> = {}) {
      const { text } = await fetchText(`/api/v1/${path}?${new URLSearchParams(parameters).toString()}`);
      const answer = JSON.parse(text) as { status: string; data: T; error?: string };
      if (answer.status !== 'success') throw new Error(`${path} ${JSON.stringify(parameters)}: ${answer.error ?? ''}`);
      return answer.data;
    },
    stop,
  };
}
