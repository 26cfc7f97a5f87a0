/** What clients and administrators see during fabric-drill.ts, written down, and what must not be in it. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { unique } from '../support/controller.js';
import { MANAGEMENT } from '../support/paths.js';
import type { Talk } from '../support/stock-network.js';
import type { Dialer, FabricScene } from './fabric-scene.js';

const BEAT_MS = 1_000;
const WRITE_MS = 500;
const DIAL_MS = 15_000;
/** A dial that begins later must not be granted. */
const GRANT_LAG_MS = 1_000;
const REFUSED_FOR_MS = 3_000;
const ECHO_MS = 20_000;

export interface Lost {
  readonly at: number;
  readonly what: string;
}

/** Dials, connections, changes and grants of the whole run. */
export class FabricHistory {
  readonly dials = { good: 0, failed: 0, longestMs: 0 };
  readonly echoes = { good: 0 };
  readonly writes = { acknowledged: [] as string[], failed: 0 };
  readonly grants = { taken: 0, late: [] as string[] };
  readonly lost: Lost[] = [];
  #lastGood = Date.now();
  #isOver = false;
  readonly #running: Promise<void>[] = [];
  readonly #talks: Talk[] = [];

  constructor(private readonly scene: FabricScene) {}

  start(): void {
    for (const dialer of this.scene.dialers) this.#running.push(this.#steady(dialer), this.#dialAgain(dialer));
    this.#running.push(this.#write(), this.#policies());
  }

  /** Ends the traffic; standing connections are closed. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
    for (const talk of this.#talks) talk.close();
  }

  /** One connection that stays, and says something every second. */
  async #steady({ port }: Dialer): Promise<void> {
    while (!this.#isOver) {
      const talk = this.scene.network.talk(port);
      this.#talks.push(talk);
      let beats = 0;
      while (!this.#isOver && (await echoes(talk))) {
        beats += 1;
        this.echoes.good += 1;
        await delay(BEAT_MS);
      }
      if (!this.#isOver && beats > 0) this.lost.push({ at: Date.now(), what: `a connection after ${beats} s` });
      talk.close();
      if (!this.#isOver) await delay(BEAT_MS);
    }
  }

  /** One dial after another. */
  async #dialAgain({ port }: Dialer): Promise<void> {
    for (; !this.#isOver; await delay(BEAT_MS)) {
      if (await isGranted(port)) {
        this.dials.good += 1;
        this.dials.longestMs = Math.max(this.dials.longestMs, Date.now() - this.#lastGood);
        this.#lastGood = Date.now();
      } else this.dials.failed += 1;
    }
  }

  async #write(): Promise<void> {
    for (; !this.#isOver; await delay(WRITE_MS)) {
      const name = unique('written');
      const answer = await this.scene.admin
        .post(`${MANAGEMENT}/identities`, { name, type: 'Device', isAdmin: false })
        .catch(() => undefined);
      if (answer?.status === 201) this.writes.acknowledged.push(name);
      else this.writes.failed += 1;
    }
  }

  /** A policy comes and goes: once its removal is acknowledged, no dial that begins a second later is granted. */
  async #policies(): Promise<void> {
    const { probe, network, admin } = this.scene;
    if (probe === undefined) return;
    let { dialPolicy } = probe.made;
    while (!this.#isOver) {
      await network.dialsAgain(probe.port, 60_000).catch(() => undefined);
      const answer = await admin.delete(`${MANAGEMENT}/service-policies/${dialPolicy}`).catch(() => undefined);
      if (answer?.status === 200) {
        this.grants.taken += 1;
        await delay(GRANT_LAG_MS);
        for (const end = Date.now() + REFUSED_FOR_MS; Date.now() < end; await delay(200))
          if (await isGranted(probe.port, 2_000))
            this.grants.late.push(`${new Date().toISOString()}: a dial was granted without a policy`);
        dialPolicy = await this.#grantAgain(probe);
      }
      await delay(BEAT_MS);
    }
  }

  async #grantAgain({ made }: Dialer): Promise<string> {
    for (;;) {
      try {
        return await this.scene.network.grant('Dial', made.client.id, made.serviceId);
      } catch {
        await delay(BEAT_MS);
      }
    }
  }

  /** Names of changes that were acknowledged and are not there. */
  async lostWrites(): Promise<string[]> {
    const { rows } = await this.scene.query('SELECT name FROM identities');
    const there = new Set(rows.map(({ name }) => String(name)));
    return this.writes.acknowledged.filter((name) => !there.has(name));
  }

  figures(): string {
    const { dials, echoes: said, writes, grants, lost } = this;
    return (
      `${dials.good} dials, ${dials.failed} failed, ${Math.round(dials.longestMs / 1_000)} s at most without one; ` +
      `${said.good} echoes, ${lost.length} connections lost; ${writes.acknowledged.length} changes, ` +
      `${writes.failed} failed; ${grants.taken} policies taken`
    );
  }
}

/** What is said comes back in time. */
async function echoes(talk: Talk): Promise<boolean> {
  const said = unique('beat');
  const before = talk.heard().length;
  talk.write(`${said}\n`);
  for (const end = Date.now() + ECHO_MS; Date.now() < end && talk.isOpen(); await delay(20))
    if (talk.heard().slice(before).includes(said)) return true;
  return false;
}

/** A new connection carries something. */
function isGranted(port: number, waitMs = DIAL_MS): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const end = (isGood: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isGood);
    };
    const timer = setTimeout(() => {
      end(false);
    }, waitMs);
    socket.on('data', () => {
      end(true);
    });
    socket.on('error', () => {
      end(false);
    });
    socket.on('close', () => {
      end(false);
    });
    socket.write('hello\n');
  });
}
