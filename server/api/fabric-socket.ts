/**
 * The WebSocket of the fabric API, behind `ziti fabric stream` and `ziti fabric validate`: frames of the control
 * channel, one in each message. Requests are answered one after another; events come between.
 */
import { create, toBinary } from '@bufbuild/protobuf';
import { DatabaseUnavailable } from '../../db/postgres/outages.js';
import { DomainError } from '../../domain/errors.js';
import { WakeableDelay } from '../../domain/scheduling/wakeable-delay.js';
import { FrameReader, encodeFrame, forReply, message, textOf } from '../../fabric/channel/frame.js';
import type { Frame, Message } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import { result } from '../../fabric/channel/results.js';
import { ValidateRoutersResponseSchema } from '../../generated/fabric/management_pb.js';
import { feedWish, runFeed } from '../../handlers/fabric/event-feed.js';
import { validateConnections, validateDialers, validateModels } from '../../handlers/fabric/component-validations.js';
import { validateTerminators } from '../../handlers/fabric/terminator-validations.js';
import {
  validateCircuits,
  validateLinks,
  validateSdkTerminators,
  validateTunnelTerminators,
} from '../../handlers/fabric/validations.js';
import type { Validation } from '../../handlers/fabric/validations.js';
import type { Context } from '../../handlers/context.js';
import { CloseCode } from '../sockets/web-socket.js';
import type { WebSocketConnection } from '../sockets/web-socket.js';
import type { Logger } from '../base/log.js';

/** Content types of requests; the answer of each has the next number. */
const STREAM_EVENTS = 10_040;
const EVENT = 10_041;
const VALIDATIONS: ReadonlyMap<number, typeof validateLinks> = new Map([
  [10_100, validateTerminators],
  [10_103, validateLinks],
  [10_106, validateSdkTerminators],
  [10_109, validateModels],
  [10_112, validateConnections],
  [10_115, validateTunnelTerminators],
  [10_118, validateCircuits],
  [10_122, validateDialers],
]);

const FRAME_LIMITS = { headers: 4_096, body: 65_536 };
export const MOST_SOCKET_BYTES = 80_000;
/** Requests of one connection that wait for their turn. */
const MOST_WAITING = 8;

export interface SocketParts {
  readonly context: Pick<Context, 'stores' | 'newId' | 'eventStreams' | 'trafficFeed' | 'network'>;
  readonly identityId: string;
  readonly log: Logger;
}

type Connection = Pick<WebSocketConnection, 'send' | 'close'>;

export class FabricSocket {
  readonly #parts: SocketParts;
  readonly #connection: Connection;
  readonly #delay = new WakeableDelay();
  #turns: Promise<void> = Promise.resolve();
  #waiting = 0;
  #sequence = 0;
  #isStreaming = false;
  #isOver = false;

  constructor(connection: Connection, parts: SocketParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  /** Takes a message of the client. */
  take(bytes: Buffer): void {
    const frame = frameIn(bytes);
    if (frame === undefined) {
      this.#connection.close(CloseCode.Protocol, 'a message that is no frame');
      return;
    }
    if (this.#waiting >= MOST_WAITING) {
      this.#connection.close(CloseCode.Policy, 'too many requests at a time');
      return;
    }
    this.#waiting += 1;
    this.#turns = this.#turns.then(async () => {
      if (!this.#isOver) await this.#answer(frame);
      this.#waiting -= 1;
    });
  }

  /** The connection has ended. */
  end(): void {
    this.#isOver = true;
    this.#delay.wake();
  }

  async #answer(frame: Frame): Promise<void> {
    const { contentType } = frame;
    const validate = VALIDATIONS.get(contentType);
    try {
      if (contentType === STREAM_EVENTS) this.#stream(frame);
      else if (validate !== undefined) await this.#validate(frame, validate);
      else this.#reply(frame, result(false, `there are no requests of type ${contentType}`));
    } catch (error) {
      this.#reply(frame, result(false, this.#reasonOf(error)));
    }
  }

  #stream(frame: Frame): void {
    const wish = feedWish(textOf(frame));
    if (this.#isStreaming)
      throw new DomainError('rateLimited', { causeMessage: 'this connection has a stream already' });
    this.#isStreaming = true;
    this.#reply(frame, result(true, ['success', ...wish.notes].join('; ')));
    const { context, identityId } = this.#parts;
    const { stores, eventStreams, trafficFeed, network } = context;
    const parts = { stores, eventStreams, trafficFeed, controllerId: network.controllerId, identityId };
    const send = (event: object) => {
      this.#send(message(EVENT, JSON.stringify(event)));
    };
    void runFeed(wish, parts, send, { delay: this.#delay, isOver: () => this.#isOver })
      .then(() => 'the stream has ended')
      .catch((error: unknown) => this.#reasonOf(error))
      .then((reason) => {
        this.#connection.close(CloseCode.Policy, reason);
      });
  }

  async #validate(frame: Frame, validate: typeof validateLinks): Promise<void> {
    const type = frame.contentType + 1;
    const answer = (response: { success: boolean; message?: string; routerCount?: bigint }) => {
      const body = create(ValidateRoutersResponseSchema, response);
      this.#reply(frame, message(type, toBinary(ValidateRoutersResponseSchema, body)));
    };
    let validation: Validation;
    try {
      validation = await validate(frame.body, this.#parts.context);
    } catch (error) {
      answer({ success: false, message: this.#reasonOf(error) });
      return;
    }
    answer({ success: true, routerCount: BigInt(validation.count) });
    try {
      for await (const finding of validation.findings()) {
        if (this.#isOver) return;
        this.#send(message(type + 1, finding));
      }
    } catch (error) {
      // Its client counts the findings, and would wait for the others for ever.
      this.#connection.close(CloseCode.Policy, this.#reasonOf(error));
    }
  }

  #reply(request: Frame, { contentType, headers, body }: Message): void {
    const replyFor = [Header.ReplyFor, encodeInt32(request.sequence)] as const;
    this.#send(message(contentType, body, [...headers, replyFor]));
  }

  #send(frame: Message): void {
    this.#sequence += 1;
    this.#connection.send(...encodeFrame(this.#sequence, frame));
  }

  #reasonOf(error: unknown): string {
    if (error instanceof DomainError) return error.causeMessage ?? error.message;
    // The state of the database has lines of its own.
    if (error instanceof DatabaseUnavailable) return 'the database does not answer: try again';
    this.#parts.log.error({ err: error }, 'a request over the WebSocket failed');
    return 'the controller failed; its log says why';
  }
}

/** @returns undefined unless the message is one whole frame */
function frameIn(bytes: Buffer): Frame | undefined {
  const reader = new FrameReader(FRAME_LIMITS);
  try {
    reader.push(bytes);
    const frame = reader.next();
    if (frame === undefined || reader.held > 0) return undefined;
    return { ...forReply(frame), body: Buffer.from(frame.body) };
  } catch {
    return undefined;
  }
}
