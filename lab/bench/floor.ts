/** Rates of the floor (floor-server.ts) by size of the answer and number of connections, each measured once a run. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadGenerator, LoadResult } from './load.js';

export interface FloorRate {
  /** Size of the body that it was measured with. */
  readonly bytes: number;
  readonly connections: number;
  readonly rate: number;
  /** How much of its time the load generator was at work. */
  readonly busy: number;
}

/** Answers are rounded to the nearest of these, in KiB; the steps are small where the size begins to matter. */
const SIZES_KIB = [0.5, 2, 5, 10, 15, 22, 33, 50, 75, 110, 160, 240, 350, 500, 600, 800, 1200, 1800, 2700, 4000];

export function roundedSize(bytes: number): number {
  const distance = (kib: number) => Math.abs(Math.log2((kib * 1024) / Math.max(bytes, 1)));
  const nearest = SIZES_KIB.reduce((best, kib) => (distance(kib) < distance(best) ? kib : best));
  return nearest * 1024;
}

export class Floor {
  readonly #known = new Map<string, FloorRate>();

  private constructor(
    readonly child: ChildProcess,
    readonly port: number,
    readonly load: LoadGenerator,
    readonly seconds: number,
  ) {}

  static async start(load: LoadGenerator, seconds: number): Promise<Floor> {
    const child = fork(fileURLToPath(new URL('./floor-server.js', import.meta.url)));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Floor(child, port, load, seconds);
  }

  /** How often the floor answers a body of about this size. */
  async rate(bodyBytes: number, connections: number): Promise<FloorRate> {
    const bytes = roundedSize(bodyBytes);
    const key = `${bytes}/${connections}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const request =
      `GET /${bytes} HTTP/1.1\r\nhost: localhost:${this.port}\r\naccept: ` +
      `application/json\r\nzt-session: 00000000-0000-0000-0000-000000000000\r\n\r\n`;
    const runs: LoadResult[] = [];
    // Many cases are measured against one floor: the middle of three, so that no single disturbance decides.
    while (runs.length < 3) {
      runs.push(
        await this.load.run(
          { host: '127.0.0.1', port: this.port },
          {
            requests: [Buffer.from(request)],
            mode: 'cycle',
            connections,
            seconds: this.seconds / 2,
            warmUpSeconds: this.#known.size + runs.length === 0 ? 1 : 0.2,
          },
        ),
      );
    }
    const [, middle] = runs.sort((a, b) => a.rate - b.rate);
    if (middle === undefined || runs.some(({ errors }) => errors > 0)) throw new Error('the floor answered errors');
    const measured = { bytes, connections, rate: middle.rate, busy: middle.busy };
    this.#known.set(key, measured);
    return measured;
  }

  get all(): readonly FloorRate[] {
    return [...this.#known.values()];
  }

  stop(): void {
    this.child.kill();
  }
}
