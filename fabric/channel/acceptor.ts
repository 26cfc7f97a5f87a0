/**
 * Lets routers in. A connection must say hello within a bounded time and space, and prove to be the router that it
 * names (authenticate-router.ts). A refused connection is closed without an answer.
 */
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import { authenticateRouter } from './authenticate-router.js';
import type { AuthenticatedRouter, RouterAuthentication } from './authenticate-router.js';
import type { MessageTable } from './channel.js';
import { Connection } from './connection.js';
import { ConnectionRefused } from './connection-refused.js';
import { firstFrame } from './first-frame.js';
import { FrameReader, HELLO_LIMITS } from './frame.js';
import { HELLO_SEQUENCE, helloAnswer, readHello } from './hello.js';
import type { Hello } from './hello.js';
import type { ChannelLimits } from './limits.js';
import { MalformedError } from './malformed.js';
import { RefusalLog } from './refusals.js';
import type { ChannelRegistry } from './registry.js';
import { OpenChannel } from './router-channel.js';
import type { FailureLog, NoteFailure } from './router-log.js';
import { RouterShares } from './router-shares.js';
import { standInTable } from './stand-ins.js';
import type { StandIns } from './stand-ins.js';

/** A connection that wants to speak the protocol of routers, after its handshake. */
export interface IncomingConnection {
  readonly socket: Socket;
  /** DER, as sent, leaf first; empty when none was sent. */
  readonly certificates: readonly Buffer[];
  /** Address of the peer, for the log. */
  readonly address: string;
  /** Called when the router is let in. */
  readonly admitted?: () => void;
}

export interface AcceptorOptions extends RouterAuthentication {
  /** Logs connections that are refused, with bounds for strangers. */
  readonly refusals: { readonly log: Logger; readonly noteFailure: NoteFailure };
  /** Logs about routers that were let in. */
  readonly lines: FailureLog;
  readonly registry: ChannelRegistry;
  readonly table: MessageTable;
  /** Channels of routers for controllers that are gone. */
  readonly standIns: StandIns;
  readonly limits: ChannelLimits;
  /** Id that routers know this controller by. */
  readonly ownId: () => string;
  /** Called when a channel is open; its messages are handed over from the next turn on. */
  readonly onOpen: (channel: OpenChannel, router: KnownRouter) => void;
  readonly onClose: (channel: OpenChannel, reason: string) => void;
  /** The same of a channel for a controller that is gone. */
  readonly onStandIn: (channel: OpenChannel) => void;
  readonly onStandInClose: (channel: OpenChannel) => void;
}

/** A connection whose hello has been read. */
interface Greeted {
  readonly connection: IncomingConnection;
  readonly hello: Hello;
  readonly leaf: Buffer;
  /** May hold bytes that came already. */
  readonly reader: FrameReader;
}

export class Acceptor {
  readonly #options: AcceptorOptions;
  readonly #refusals: RefusalLog;
  readonly #shares: RouterShares;
  /** Parts of long work, of all routers. */
  readonly #work = new YieldQueue({ waiting: Infinity });
  readonly #waiting = new Set<Socket>();
  /** Waiting sockets whose hello has not come, in the order of their arrival. */
  readonly #silent = new Set<Socket>();
  /** Ids of routers that are on their way in. */
  readonly #entering = new Set<string>();
  #isClosed = false;

  constructor(options: AcceptorOptions) {
    this.#options = options;
    this.#refusals = new RefusalLog(options.refusals);
    this.#shares = new RouterShares(options.limits.shares, () => performance.now());
  }

  /** Takes over the connection, and its end. */
  accept(connection: IncomingConnection): void {
    const { socket, address } = connection;
    const ignore = () => undefined;
    socket.on('error', ignore);
    if (this.#isClosed) {
      socket.destroy();
      return;
    }
    this.#admit(connection).catch((error: unknown) => {
      socket.destroy();
      if (isRefusal(error))
        this.#refusals.note(error.message, error instanceof ConnectionRefused ? error.routerId : undefined, address);
      else this.#refusals.noteUnchecked(error, address);
    });
  }

  /** Refuses all that come from now on, also those that are being checked. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#waiting) socket.destroy();
  }

  async #admit(connection: IncomingConnection): Promise<void> {
    const { socket, certificates } = connection;
    const [leaf] = certificates;
    if (leaf === undefined) throw new ConnectionRefused('no certificate was shown');
    this.#makeRoom();
    this.#waiting.add(socket);
    this.#silent.add(socket);
    try {
      const reader = new FrameReader(HELLO_LIMITS);
      const hello = readHello(await firstFrame(socket, reader, this.#options.limits.helloMs));
      this.#silent.delete(socket);
      await this.#enter({ connection, hello, leaf, reader });
    } finally {
      this.#forget(socket);
    }
  }

  /** Cuts the connection that has been silent longest when too many wait: a router says hello at once. */
  #makeRoom(): void {
    if (this.#waiting.size < this.#options.limits.hellos) return;
    const [longest] = this.#silent;
    if (longest === undefined) throw new ConnectionRefused('too many connections are being checked');
    this.#forget(longest);
    longest.destroy(new ConnectionRefused('it said no hello, and others wanted its place'));
  }

  #forget(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#silent.delete(socket);
  }

  async #enter(greeted: Greeted): Promise<void> {
    const { connection, hello, leaf } = greeted;
    const { certificates, socket } = connection;
    const proven = await authenticateRouter({ routerId: hello.routerId, leaf, certificates }, this.#options);
    const { id } = proven.router;
    if (!hello.isFirst) throw new ConnectionRefused('a further connection of a channel, which none was offered', id);
    const restMs = this.#shares.restOf(id);
    if (restMs > 0) throw new ConnectionRefused('it came too often, or needed too much time, and has to wait', id);
    // Each could wait for a sign of life of the one before.
    if (this.#entering.has(id)) throw new ConnectionRefused('it connects twice at a time', id);
    this.#entering.add(id);
    try {
      const standIn = await this.#placeFor(hello);
      if (this.#isClosed) throw new ConnectionRefused('the controller stops', id);
      if (socket.destroyed) throw new ConnectionRefused('the connection ended before it was let in', id);
      if (standIn === undefined) this.#open(greeted, proven);
      else this.#openStandIn(greeted, standIn, proven);
    } finally {
      this.#entering.delete(id);
    }
  }

  /** @returns the id of the controller for which the router comes; undefined for this one @throws ConnectionRefused */
  async #placeFor(hello: Hello): Promise<string | undefined> {
    const { registry, standIns } = this.#options;
    const { routerId } = hello;
    const known = standIns.known(hello);
    if (known !== undefined) return known;
    try {
      await registry.makeRoom(routerId, (reason) => new ConnectionRefused(reason, routerId));
      return undefined;
    } catch (error) {
      // It is connected already: it may want another controller, which it is told to look for here.
      const free = standIns.free(routerId);
      if (free === undefined) throw error;
      return free;
    }
  }

  #open(greeted: Greeted, { router, endsMs }: AuthenticatedRouter): void {
    const { registry, table, ownId, onOpen, onClose } = this.#options;
    const channel = this.#channelFor(greeted, table, (closed, reason) => {
      registry.remove(closed);
      onClose(closed, reason);
    });
    this.#start({ ...greeted, endsMs }, channel, ownId(), () => {
      registry.add(channel);
      return () => {
        onOpen(channel, router);
      };
    });
  }

  #openStandIn(greeted: Greeted, id: string, { endsMs }: AuthenticatedRouter): void {
    const { registry, table, standIns, onStandIn, onStandInClose } = this.#options;
    const named = { ...greeted, hello: standIns.named(greeted.hello, id) };
    const channel = this.#channelFor(named, standInTable(table, registry), (closed) => {
      standIns.remove(closed);
      onStandInClose(closed);
    });
    this.#start({ ...named, endsMs }, channel, id, () => {
      standIns.add(id, channel);
      return () => {
        onStandIn(channel);
      };
    });
  }

  /** @param register  called before the hello is answered; what it returns, after */
  #start(
    { connection: { socket, admitted }, hello, reader, endsMs }: Greeted & Pick<AuthenticatedRouter, 'endsMs'>,
    channel: OpenChannel,
    controllerId: string,
    register: () => () => void,
  ): void {
    const { limits } = this.#options;
    const connection = new Connection(socket, reader, limits, {
      onFrame: (frame) => {
        channel.received(frame);
      },
      endOf: () => (Date.now() < endsMs ? undefined : 'the certificate of the router has expired'),
      onEnd: (reason) => {
        channel.ended(reason);
      },
    });
    channel.attach(connection);
    const opened = register();
    this.#shares.came(hello.routerId);
    admitted?.();
    reader.bounds = channel.boundOf;
    connection.write(HELLO_SEQUENCE, helloAnswer(hello, controllerId));
    opened();
    connection.start();
  }

  #channelFor(
    { hello, leaf }: Greeted,
    table: MessageTable,
    onClose: (channel: OpenChannel, reason: string) => void,
  ): OpenChannel {
    const { limits, lines } = this.#options;
    const { routerId } = hello;
    return new OpenChannel({
      hello,
      fingerprint: certFingerprint(leaf),
      limits,
      table,
      lines,
      work: this.#work,
      charge: (ms, purpose) => this.#shares.charge(routerId, ms, purpose),
      onClose,
    });
  }
}

/** True for errors whose messages are our own words, so that the log may have them. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ConnectionRefused ||
  error instanceof MalformedError ||
  error instanceof ChainFault ||
  (error instanceof DomainError && error.kind === 'tooManyRequests');
