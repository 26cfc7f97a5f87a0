/** The steps that all dials have in common: a circuit is built and confirmed, and every refusal answered alike. */
import type { RouterChannel } from '../channel/channel.js';
import { EdgeError, errorMessage, refusalOf } from '../channel/edge-errors.js';
import { forReply } from '../channel/frame.js';
import type { Frame, Message } from '../channel/frame.js';
import { PeerDataKey } from '../channel/headers.js';
import type { FailureLog } from '../channel/router-log.js';
import { buildCircuit } from './circuit-builder.js';
import type { CircuitBuilderParts } from './circuit-builder.js';
import type { Circuits } from './circuits.js';
import type { BuiltCircuit, DialRequest } from './dial-request.js';
import type { Flight, Flights } from './flights.js';
import type { Moves } from './moves.js';
import { givenToHost } from './peer-data.js';
import type { Usage } from '../usage/usage.js';
import type { LimitsByRouter } from './router-limits.js';
import { requireStanding } from './standing.js';
import type { StandingParts } from './standing.js';

export interface DialParts extends CircuitBuilderParts, StandingParts, FailureLog {
  readonly circuits: Circuits;
  readonly flights: Pick<Flights, 'run'>;
  readonly limits: Pick<LimitsByRouter, 'of'>;
  readonly moves: Pick<Moves, 'check'>;
  readonly usage: Pick<Usage, 'dialed'>;
}

export interface DialCounts {
  /** Dials that got a circuit, since the start. */
  readonly made: number;
  /** Dials that were refused or failed, since the start. */
  readonly failed: number;
}

export class Dials {
  readonly #parts: DialParts;
  #made = 0;
  #failed = 0;

  constructor(parts: DialParts) {
    this.#parts = parts;
  }

  get counts(): DialCounts {
    return { made: this.#made, failed: this.#failed };
  }

  /**
   * Runs a dial within the limit of its router, and sends what it returns, or why it failed. It is not waited for: a
   * dial may hang for as long as a router does, and other messages of this one must not hang with it.
   */
  answer(frame: Frame, channel: RouterChannel, dial: (flight: Flight) => Promise<Message>): void {
    const asked = forReply(frame);
    void this.#run(channel, dial).then((answer) => {
      channel.reply(asked, answer);
    });
  }

  /** Builds the circuit and lets it stand; it is to be confirmed next. @throws EdgeError */
  async build(request: DialRequest): Promise<BuiltCircuit> {
    return this.#counted(request, false, () => this.#build(request));
  }

  async #build(request: DialRequest): Promise<BuiltCircuit> {
    const { session } = request;
    if (session.encryptionRequired && !request.peerData.has(PeerDataKey.PublicKey))
      throw withoutKey('initiator did not send public header');
    const peerData = givenToHost(request.peerData, session);
    const built = await buildCircuit({ ...request, peerData }, this.#parts);
    const { circuits, moves } = this.#parts;
    circuits.add(built.circuit);
    // A link of its path may have been lost while its routers were asked.
    moves.check(built.circuit);
    return built;
  }

  /** Confirms that all that allowed the circuit still does; ends the circuit otherwise. @throws EdgeError */
  async confirm(built: BuiltCircuit, request: Omit<DialRequest, 'peerData'>): Promise<void> {
    await this.#counted(request, true, () => this.#confirm(built, request));
  }

  async #confirm({ circuit, peerData }: BuiltCircuit, request: Omit<DialRequest, 'peerData'>): Promise<void> {
    const { circuits } = this.#parts;
    try {
      if (request.session.encryptionRequired && !peerData.has(PeerDataKey.PublicKey))
        throw withoutKey('terminator did not send public header', circuit.id);
      await requireStanding(circuit, request, this.#parts);
    } catch (error) {
      const standing = circuits.get(circuit.id);
      if (standing !== undefined) circuits.end(standing, true);
      throw error;
    }
  }

  /** Counts the dial for its service when it fails, or when this is its last step. */
  async #counted<T>({ session }: Pick<DialRequest, 'session'>, isLast: boolean, step: () => Promise<T>): Promise<T> {
    const { usage } = this.#parts;
    try {
      const done = await step();
      if (isLast) usage.dialed('service', session.serviceId, true);
      return done;
    } catch (error) {
      usage.dialed('service', session.serviceId, false);
      throw error;
    }
  }

  async #run(channel: RouterChannel, dial: (flight: Flight) => Promise<Message>): Promise<Message> {
    const { flights, limits } = this.#parts;
    try {
      const answer = await limits.of(channel).circuits.run(() => flights.run(dial));
      this.#made += 1;
      this.#parts.usage.dialed('router', channel.routerId, true);
      return answer;
    } catch (error) {
      this.#failed += 1;
      this.#parts.usage.dialed('router', channel.routerId, false);
      return errorMessage(refusalOf(error, 'a circuit could not be made', channel, this.#parts));
    }
  }
}

const withoutKey = (text: string, circuitId?: string) =>
  new EdgeError('encryptionDataMissing', `encryption required on service, ${text}`, circuitId);
