/** Clients that write registers and read them, and clients that make entities and remove them. */
import { MANAGEMENT as M } from '../../test/support/paths.js';
import { pause } from './caller.js';
import type { Caller, Result } from './caller.js';
import type { RecordFile } from './record.js';
import type { Register } from './world.js';

/** Whole numbers from 0 to below a limit. */
export type Draw = (limit: number) => number;

export interface Crew {
  readonly record: RecordFile;
  readonly signal: AbortSignal;
  /** Each client has its own, so that what one chooses does not depend on others. */
  readonly draw: Draw;
}

/** What a read has found. */
export interface Reading {
  readonly value: string;
  readonly version: number;
}

/** Changes what clients read, for a fault that is put in on purpose. */
export type Tamper = (key: string, reading: Reading) => Reading;

/** The part of an entity tag before its dot, as the number that it stands for. */
export function versionIn(tag: string | undefined): number | undefined {
  const word = /^(?:W\/)?"([0-9a-z]+)/.exec(tag ?? '')?.[1];
  return word === undefined ? undefined : parseInt(word, 36);
}

const facts = ({ at, start, end, outcome, answer }: Result) => ({ at, start, end, outcome, answer });

export class RegisterClient {
  /** The version that it saw last, by register. */
  readonly #seen = new Map<string, number>();
  #serial = 0;

  constructor(
    readonly caller: Caller,
    private readonly crew: Crew,
    private readonly tamper?: Tamper,
  ) {}

  async run(registers: readonly Register[]): Promise<void> {
    const { draw, signal } = this.crew;
    while (!signal.aborted) {
      const register = registers[draw(registers.length)] as Register;
      const place = draw(2);
      const choice = draw(100);
      if (choice < 50) await this.read(register, place);
      else await this.write(register, place, choice < 80);
      await pause(20 + draw(80), signal);
    }
    this.caller.close();
  }

  async read({ id, path }: Register, place: number): Promise<void> {
    const result = await this.caller.ask(place, 'GET', path);
    const version = versionIn(result.reply?.headers.etag);
    const entry = { kind: 'read', client: this.caller.name, key: id, ...facts(result) } as const;
    if (result.outcome !== 'ok' || version === undefined) {
      this.crew.record.add(entry);
      return;
    }
    const { tags } = result.reply?.data as { tags: { value: string } };
    const reading = this.tamper?.(id, { value: tags.value, version }) ?? { value: tags.value, version };
    this.#seen.set(id, reading.version);
    this.crew.record.add({ ...entry, ...reading });
  }

  /** @param isConditional  with the version that it saw last, if there is one */
  async write({ id, path }: Register, place: number, isConditional: boolean): Promise<void> {
    const { name } = this.caller;
    const value = `${name}-${(this.#serial += 1)}`;
    const base = isConditional ? this.#seen.get(id) : undefined;
    const headers = base === undefined ? {} : { 'if-match': `"${base.toString(36)}"` };
    const result = await this.caller.ask(place, 'PATCH', path, { tags: { value } }, { headers });
    const version = result.outcome === 'ok' ? versionIn(result.reply?.headers.etag) : undefined;
    if (version === undefined) this.#seen.delete(id);
    else this.#seen.set(id, version);
    this.crew.record.add({
      kind: 'write',
      client: name,
      key: id,
      value,
      ...facts(result),
      ...(base === undefined ? {} : { base }),
      ...(version === undefined ? {} : { version }),
    });
  }
}

export const MADE_PREFIX = 'history-made-';

/** Makes services with names of their own, and removes two thirds of them through the other controller. */
export async function makeAndRemove(caller: Caller, { record, signal, draw }: Crew): Promise<void> {
  for (let serial = 0; !signal.aborted; serial += 1) {
    const name = `${MADE_PREFIX}${caller.name}-${serial}`;
    const place = draw(2);
    const made = await caller.ask(place, 'POST', `${M}/services`, { name, encryptionRequired: true });
    record.add({ kind: 'create', client: caller.name, name, ...facts(made) });
    await pause(100 + draw(200), signal);
    if (made.outcome !== 'ok' || draw(3) === 0) continue;
    const { id } = made.reply?.data as { id: string };
    const removed = await caller.ask(1 - place, 'DELETE', `${M}/services/${id}`);
    record.add({ kind: 'remove', client: caller.name, name, ...facts(removed) });
  }
  caller.close();
}
