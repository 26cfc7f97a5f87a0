/**
 * Answers inspections for this process and the routers whose channels it holds. A router may answer with more than
 * usual, but only while it is asked, once at a time, and within a bounded time.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { ConcurrencyLimit } from '../../domain/scheduling/concurrency-limit.js';
import { MODEL_CHECK, REPORTED_IDENTITIES, TERMINATOR_CHECK, inspectionMs } from '../../domain/fabric/inspection.js';
import type { InspectedValue, InspectionAnswer } from '../../domain/fabric/inspection.js';
import type { InspectionStore, InspectionTask } from '../../db/stores/inspections.js';
import { InspectRequestSchema, InspectResponseSchema } from '../../generated/fabric/control_pb.js';
import { ContentType } from '../channel/content-types.js';
import { readBody, typedMessage } from '../channel/frame.js';
import type { OpenChannel } from '../channel/router-channel.js';
import type { NoteFailure } from '../channel/router-log.js';
import { checkTerminators } from './terminator-check.js';
import type { ListTerminators } from './terminator-check.js';

/** Routers asked at a time, and characters of all their values together. */
const AT_ONCE = 8;
const MOST_CHARACTERS = 8 << 20;

export type InspectedChannel = Pick<OpenChannel, 'routerId' | 'connectedAt' | 'request' | 'requestLarge' | 'work'>;

export interface InspectionsOptions {
  readonly store: Pick<InspectionStore, 'task' | 'answer'>;
  readonly hostId: string;
  /** Id under which the values of this controller are shown. */
  readonly controllerId: string;
  readonly channels: () => Iterable<InspectedChannel>;
  /** See `RouterModels.check`. */
  readonly checkModel: (routerId: string) => Promise<readonly object[] | undefined>;
  readonly listTerminators: ListTerminators;
  /** Identities that a router of this process last reported as connected. */
  readonly reportedBy: (routerId: string) => Iterable<string>;
  readonly noteFailure: NoteFailure;
}

/** Values of a router that this controller finds out. */
const OF_CONTROLLER: ReadonlySet<string> = new Set([MODEL_CHECK, REPORTED_IDENTITIES, TERMINATOR_CHECK]);

/** Differences that are shown of one router. */
const MOST_SHOWN = 100;

export class Inspections {
  readonly #options: InspectionsOptions;

  constructor(options: InspectionsOptions) {
    this.#options = options;
  }

  /** Somebody asks. */
  asked(id: string): void {
    this.#answer(id).catch((error: unknown) => {
      this.#options.noteFailure(error, {}, 'an inspection could not be answered');
    });
  }

  async #answer(id: string): Promise<void> {
    const { store, hostId, controllerId, channels } = this.#options;
    const own = new Map([...channels()].map((channel) => [channel.routerId, channel]));
    const task = await store.task(id, controllerId, [...own.keys()]);
    if (task === undefined) return;
    const meant = task.routerIds.flatMap((routerId) => own.get(routerId) ?? []);
    const until = performance.now() + inspectionMs(task.requested);
    const turns = new ConcurrencyLimit({ concurrent: AT_ONCE, waiting: meant.length });
    const answers = await Promise.all(
      meant.map((channel) => turns.run(() => this.#inspect(channel, task.requested, until))),
    );
    await store.answer(id, hostId, bounded([this.#ownAnswer(task, own.values()), ...answers]));
  }

  async #inspect(channel: InspectedChannel, requested: readonly string[], until: number): Promise<InspectionAnswer> {
    const leftMs = () => until - performance.now();
    if (leftMs() <= 0) return failed(channel.routerId, 'the others took all the time there is');
    const ofRouters = requested.filter((name) => !OF_CONTROLLER.has(name));
    const answers = [
      ...(requested.includes(REPORTED_IDENTITIES) ? [this.#reported(channel)] : []),
      ...(requested.includes(MODEL_CHECK) ? [await this.#checkModel(channel, leftMs())] : []),
      ...(requested.includes(TERMINATOR_CHECK) ? [await this.#checkTerminators(channel, leftMs)] : []),
      ...(ofRouters.length > 0 ? [await inspectRouter(channel, ofRouters, leftMs())] : []),
    ];
    return { values: answers.flatMap(({ values }) => values), errors: answers.flatMap(({ errors }) => errors) };
  }

  /** No value when the router was told its model by another process, or is being told it. */
  async #checkModel({ routerId }: InspectedChannel, leftMs: number): Promise<InspectionAnswer> {
    const checked = this.#options.checkModel(routerId);
    const outcome = await Promise.race([
      checked.catch((error: unknown) => asError(error)),
      pause(leftMs, LATE, { ref: false }),
    ]);
    if (outcome === LATE) return failed(routerId, 'its model is still being compared');
    if (outcome instanceof Error) return failed(routerId, outcome.message);
    if (outcome === undefined) return { values: [], errors: [] };
    const value = { differences: outcome.length, first: outcome.slice(0, MOST_SHOWN) };
    return { values: [{ appId: routerId, name: MODEL_CHECK, value }], errors: [] };
  }

  async #checkTerminators(channel: InspectedChannel, leftMs: () => number): Promise<InspectionAnswer> {
    const { routerId } = channel;
    try {
      const value = await checkTerminators(channel, this.#options.listTerminators, leftMs);
      return { values: [{ appId: routerId, name: TERMINATOR_CHECK, value }], errors: [] };
    } catch (error) {
      return failed(routerId, asError(error).message);
    }
  }

  #reported({ routerId }: InspectedChannel): InspectionAnswer {
    const value = [...this.#options.reportedBy(routerId)];
    return { values: [{ appId: routerId, name: REPORTED_IDENTITIES, value }], errors: [] };
  }

  #ownAnswer({ requested, isForController }: InspectionTask, channels: Iterable<InspectedChannel>): InspectionAnswer {
    if (!isForController || !requested.includes('connected-routers')) return { values: [], errors: [] };
    const value = [...channels].map(({ routerId, connectedAt }) => ({ routerId, connectedAt }));
    return { values: [{ appId: this.#options.controllerId, name: 'connected-routers', value }], errors: [] };
  }
}

const LATE = Symbol('late');
const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** Asks a router. What went wrong is among the errors: it never throws. */
export async function inspectRouter(
  channel: InspectedChannel,
  requestedValues: readonly string[],
  leftMs: number,
): Promise<InspectionAnswer> {
  const { routerId } = channel;
  try {
    const body = create(InspectRequestSchema, { requestedValues: [...requestedValues] });
    const request = typedMessage(ContentType.InspectRequest, InspectRequestSchema, body);
    const reply = await channel.requestLarge(request, ContentType.InspectResponse, leftMs);
    if (reply.isSkipped === true) return failed(routerId, 'the answer is too large');
    if (reply.contentType !== ContentType.InspectResponse) return failed(routerId, 'it does not know inspections');
    return await channel.work(() => {
      const { errors, values } = readBody(InspectResponseSchema, reply);
      return {
        values: values.map(({ name, value }) => ({ appId: routerId, name, value: parsed(value) })),
        errors: errors.map((error) => `${routerId}: ${error}`),
      };
    });
  } catch (error) {
    return failed(routerId, error instanceof Error ? error.message : 'no answer');
  }
}

const failed = (routerId: string, reason: string): InspectionAnswer => ({
  values: [],
  errors: [`${routerId}: ${reason}`],
});

/** Members of values that log in or open sessions: what reads values must not be able to use them. */
const withoutSecrets = (key: string, value: unknown): unknown => (key === 'token' ? undefined : value);

/** A value is JSON as a rule, and else a text. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value, withoutSecrets) as unknown;
  } catch {
    return value;
  }
}

function bounded(answers: readonly InspectionAnswer[]): InspectionAnswer {
  const values: InspectedValue[] = [];
  const errors = answers.flatMap((answer) => answer.errors);
  let left = MOST_CHARACTERS;
  for (const value of answers.flatMap((answer) => answer.values)) {
    left -= JSON.stringify(value).length;
    if (left < 0) errors.push(`${value.appId}: ${value.name} is left out, the answer is too large`);
    else values.push(value);
  }
  return { values, errors };
}
