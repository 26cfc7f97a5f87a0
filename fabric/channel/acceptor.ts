/**
 * Lets routers in. A connection must say hello within a bounded time and space. The router is the leaf certificate that
 * the handshake proved, and nothing else of its chain: it must be the one that the router enrolled with, lead to our
 * CA, and be in time; the router must exist and not be disabled. A refused connection is closed without an answer.
 */
import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { DomainError } from '../../domain/errors.js';
import { ChainFault } from '../../domain/pki/chain.js';
import type { VerifiedChain } from '../../domain/pki/chain.js';
import { certFingerprint } from '../../domain/pki/keys.js';
import { isLeafOf } from '../../domain/pki/pem.js';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import { Connection } from './connection.js';
import { FrameReader, HELLO_LIMITS } from './frame.js';
import type { Frame } from './frame.js';
import { HELLO_SEQUENCE, helloAnswer, readHello } from './hello.js';
import type { Hello } from './hello.js';
import type { ChannelLimits } from './limits.js';
import { MalformedError } from './malformed.js';
import { boundOf } from './bounds.js';
import { createRefusalLog } from './refusals.js';
import { OpenChannel } from './router-channel.js';
import { RouterShares } from './router-shares.js';
import type { Registry } from './registry.js';
import type { MessageTable } from './channel.js';
import type { FabricServices } from '../services.js';

/** A connection of someone who wants to speak the protocol of routers, after its handshake. */
export interface Knock {
  readonly socket: Socket;
  /** DER, as sent, leaf first; empty when none was sent. */
  readonly certificates: readonly Buffer[];
  /** For the log. */
  readonly address: string;
  /** Called when the router is let in. */
  readonly admitted?: () => void;
}

export interface AcceptorOptions {
  readonly services: FabricServices;
  /** For lines about connections that are refused, which have bounds of their own. */
  readonly log: Logger;
  readonly registry: Registry;
  readonly table: MessageTable;
  readonly limits: ChannelLimits;
  /** Spreads what holds the processor. */
  readonly turns: YieldQueue;
  /** Of the network's own CA. @throws ChainFault */
  readonly verify: (certificates: readonly Buffer[]) => VerifiedChain;
  /** The channel is open; messages are handed over from the next turn on. */
  readonly onOpen: (channel: OpenChannel, router: KnownRouter) => void;
  readonly onClose: (channel: OpenChannel, reason: string) => void;
}

/** Why a connection is refused. `routerId` is set once a certificate has shown who it is about. */
class Refusal extends Error {
  constructor(
    message: string,
    readonly routerId?: string,
  ) {
    super(message);
  }
}

/** What a connection has shown. */
interface Shown {
  readonly hello: Hello;
  readonly leaf: Buffer;
  /** May hold bytes that came already. */
  readonly reader: FrameReader;
}

export interface Acceptor {
  /** Takes over the connection, and its end. */
  accept(knock: Knock): void;
  /** Refuses all that come from now on, also those that are being checked. */
  close(): void;
}

export function createAcceptor(options: AcceptorOptions): Acceptor {
  const { services, log, registry, limits, verify, turns } = options;
  const refusals = createRefusalLog({ log, noteFailure: services.noteFailure });
  const shares = new RouterShares(limits.shares, () => performance.now());
  const work = new YieldQueue({ waiting: Infinity });
  const waiting = new Set<Socket>();
  /** Of these, those whose hello has not come; longest first. */
  const silent = new Set<Socket>();
  /** Ids of routers that are on their way in. */
  const entering = new Set<string>();
  let isClosed = false;

  /** A router says hello at once: who is silent gives way, longest first. */
  const findPlace = () => {
    if (waiting.size < limits.hellos) return;
    const [longest] = silent;
    if (longest === undefined) throw new Refusal('too many connections are being checked');
    leave(longest);
    longest.destroy(new Refusal('it said no hello, and others wanted its place'));
  };

  const leave = (socket: Socket) => {
    waiting.delete(socket);
    silent.delete(socket);
  };

  const accept = async (knock: Knock) => {
    const { socket, certificates } = knock;
    const [leaf] = certificates;
    if (leaf === undefined) throw new Refusal('no certificate was shown');
    findPlace();
    waiting.add(socket);
    silent.add(socket);
    try {
      const reader = new FrameReader(HELLO_LIMITS);
      const hello = readHello(await firstFrame(socket, reader, limits.helloMs));
      silent.delete(socket);
      await enter(knock, { hello, leaf, reader });
    } finally {
      leave(socket);
    }
  };

  const enter = async (knock: Knock, { hello, leaf, reader }: Shown) => {
    const router = await entitled(hello, leaf, knock.certificates);
    if (!hello.isFirst) throw new Refusal('a further connection of a channel, which none was offered', router.id);
    const restMs = shares.restOf(router.id);
    if (restMs > 0) throw new Refusal('it came too often, or needed too much time, and has to wait', router.id);
    // Each could wait for a sign of life of the one before.
    if (entering.has(router.id)) throw new Refusal('it connects twice at a time', router.id);
    entering.add(router.id);
    try {
      await registry.makeRoom(router.id, (reason) => new Refusal(reason, router.id));
      if (isClosed) throw new Refusal('the controller stops', router.id);
      if (knock.socket.destroyed) throw new Refusal('the connection ended before it was let in', router.id);
      open(knock, hello, router, leaf, reader);
    } finally {
      entering.delete(router.id);
    }
  };

  const entitled = async (hello: Hello, leaf: Buffer, certificates: readonly Buffer[]): Promise<KnownRouter> => {
    const [router] = await services.stores.routerSync.routers([hello.routerId]);
    if (router === undefined) throw new Refusal('there is no router with this id');
    const { id, fingerprint, certPem, disabled } = router;
    if (fingerprint === null || certPem === null) throw new Refusal('it has not enrolled', id);
    // SHA-1 finds the certificate; only the same certificate is the router.
    if (certFingerprint(leaf) !== fingerprint || !isLeafOf(certPem, leaf))
      throw new Refusal('it shows another certificate than the one it enrolled with', id);
    if (disabled) throw new Refusal('it is disabled', id);
    const chain = await turns.run(() => verify(certificates));
    if (chain.isExpired) throw new Refusal('its certificate has expired', id);
    if (chain.caId !== null) throw new Refusal('its certificate is of another CA', id);
    return router;
  };

  const open = ({ socket, admitted }: Knock, hello: Hello, router: KnownRouter, leaf: Buffer, reader: FrameReader) => {
    const { table, onClose, onOpen } = options;
    const routerId = router.id;
    const endsMs = Date.parse(new X509Certificate(leaf).validTo);
    const channel = new OpenChannel({
      hello,
      fingerprint: certFingerprint(leaf),
      limits,
      table,
      services,
      turns: work,
      charge: (ms, purpose) => shares.charge(routerId, ms, purpose),
      onClose: (closed, reason) => {
        registry.remove(closed);
        onClose(closed, reason);
      },
    });
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
    registry.add(channel);
    shares.came(routerId);
    admitted?.();
    reader.bounds = boundOf;
    connection.write(HELLO_SEQUENCE, helloAnswer(hello, services.controllers.ownId()));
    onOpen(channel, router);
    connection.start();
  };

  return {
    accept(knock) {
      const { socket, address } = knock;
      const ignore = () => undefined;
      socket.on('error', ignore);
      if (isClosed) {
        socket.destroy();
        return;
      }
      accept(knock).catch((error: unknown) => {
        socket.destroy();
        if (isRefusal(error))
          refusals.note(error.message, error instanceof Refusal ? error.routerId : undefined, address);
        else refusals.noteUnchecked(error, address);
      });
    },
    close() {
      isClosed = true;
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** What is told of a refusal is of our own words. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Refusal ||
  error instanceof MalformedError ||
  error instanceof ChainFault ||
  (error instanceof DomainError && error.kind === 'tooManyRequests');

/** The socket is paused when this resolves. */
function firstFrame(socket: Socket, reader: FrameReader, patienceMs: number): Promise<Frame> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData);
      socket.off('close', onClose);
      socket.off('error', onError);
      socket.pause();
      act();
    };
    const fail = (error: Error) => {
      settle(() => {
        reject(error);
      });
    };
    const onData = (chunk: Buffer) => {
      try {
        reader.push(chunk);
        const frame = reader.next();
        if (frame !== undefined)
          settle(() => {
            resolve(frame);
          });
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onClose = () => {
      fail(new Refusal('the connection ended before a hello'));
    };
    const onError = (error: Error) => {
      if (error instanceof Refusal) fail(error);
      else onClose();
    };
    const timer = setTimeout(() => {
      fail(new Refusal(`no hello within ${patienceMs / 1000} s`));
    }, patienceMs).unref();
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.on('error', onError);
    socket.resume();
  });
}
