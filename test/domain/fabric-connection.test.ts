/** Connections and channels of routers over real sockets: bounds, signs of life, requests and what waits. */
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { YieldQueue } from '../../domain/scheduling/yield-queue.js';
import type { MessageRule } from '../../fabric/channel/channel.js';
import { ChannelError } from '../../fabric/channel/channel.js';
import { Connection } from '../../fabric/channel/connection.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { FrameReader, encodeFrame, message } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, encodeInt32, encodeUint64 } from '../../fabric/channel/headers.js';
import { LIMITS } from '../../fabric/channel/limits.js';
import type { ChannelLimits } from '../../fabric/channel/limits.js';
import { OpenChannel } from '../../fabric/channel/router-channel.js';
import { RouterLog } from '../../fabric/channel/router-log.js';
import { until } from '../support/poll.js';

const FRAMES = { headers: 1 << 20, body: 16 << 20 };

interface Pair {
  readonly channel: OpenChannel;
  readonly connection: Connection;
  /** The controller's side. */
  readonly socket: Socket;
  /** The router's side. */
  readonly peer: Socket;
  readonly reasons: string[];
}

describe('the connection of a router', () => {
  let server: Server;
  const sockets: Socket[] = [];
  before(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  after((done) => {
    server.close(done);
  });

  /** @param table  what is done with messages; none by default */
  const pair = async (
    limits: Partial<ChannelLimits> = {},
    table: ReadonlyMap<number, MessageRule> = new Map(),
  ): Promise<Pair> => {
    const accepted = once(server, 'connection');
    const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
    peer.on('error', () => undefined);
    const [socket] = (await accepted) as [Socket];
    sockets.push(peer, socket);
    const reasons: string[] = [];
    const all = { ...LIMITS, ...limits };
    const channel = new OpenChannel({
      hello: {
        routerId: 'r1',
        version: { version: 'v2.0.3', revision: '', buildDate: '', os: '', arch: '' },
        capabilities: 0n,
        type: 'ctrl.default',
        connectionId: undefined,
        groupSecret: undefined,
        isFirst: true,
        listeners: [],
      },
      fingerprint: '',
      limits: all,
      table,
      work: new YieldQueue({ waiting: Infinity }),
      charge: () => true,
      lines: new RouterLog({ log: pino({ level: 'silent' }), noteFailure: () => undefined }),
      onClose: (_, reason) => reasons.push(reason),
    });
    const connection = new Connection(socket, new FrameReader(FRAMES), all, {
      onFrame: (frame) => {
        channel.received(frame);
      },
      onEnd: (reason) => {
        channel.ended(reason);
      },
    });
    channel.attach(connection);
    connection.start();
    return { channel, connection, socket, peer, reasons };
  };

  const framesOf = (peer: Socket): Frame[] => {
    const reader = new FrameReader(FRAMES);
    const frames: Frame[] = [];
    peer.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      for (let frame = reader.next(); frame !== undefined; frame = reader.next()) frames.push(frame);
    });
    return frames;
  };
  const write = (peer: Socket, sequence: number, content: ReturnType<typeof message>) =>
    peer.write(Buffer.concat(encodeFrame(sequence, content)));
  const ended = ({ reasons }: Pair) => until('the channel ends', () => reasons.length > 0);

  it('is cut when more waits to be sent than may', async () => {
    const made = await pair({ queueBytes: 1 << 20 });
    made.peer.pause();
    for (let sent = 0; sent < 200 && !made.channel.isClosed; sent += 1)
      made.channel.send(message(ContentType.Route, Buffer.alloc(1 << 17)));
    await ended(made);
    expect(made.reasons[0]).to.match(/bytes wait for a router that reads too slowly/);
    expect(made.reasons).to.have.length(1);
  });

  it('is cut when bytes wait and the router reads none', async () => {
    const made = await pair({ stallMs: 100, slowestBytes: 1 << 30 });
    made.peer.pause();
    for (let sent = 0; sent < 8; sent += 1) made.channel.send(message(ContentType.Route, Buffer.alloc(2 << 20)));
    await ended(made);
    expect(made.reasons[0]).to.match(/has not read/);
  });

  it('is cut when the router reads none, although our signs of life are added to what waits', async () => {
    const made = await pair({ stallMs: 200, heartbeatMs: 20, slowestBytes: 1 << 30 });
    made.peer.pause();
    for (let sent = 0; sent < 8; sent += 1) made.channel.send(message(ContentType.Route, Buffer.alloc(2 << 20)));
    await ended(made);
    expect(made.reasons[0]).to.match(/has not read/);
  });

  it('has longer to read what is large', async () => {
    const made = await pair({ stallMs: 40, heartbeatMs: 20, slowestBytes: 1 << 10 });
    made.peer.pause();
    for (let sent = 0; sent < 8; sent += 1) made.channel.send(message(ContentType.Route, Buffer.alloc(2 << 20)));
    let looks = 0;
    await until('many times the bound', () => made.reasons.length > 0 || (looks += 1) > 12);
    expect(made.reasons).to.deep.equal([]);
  });

  it('is cut when the router is silent', async () => {
    const made = await pair({ silenceMs: 100 });
    await ended(made);
    expect(made.reasons[0]).to.match(/was silent/);
  });

  it('shows a sign of life by itself, and answers one as it came', async () => {
    const { peer } = await pair({ heartbeatMs: 40 });
    const frames = framesOf(peer);
    await until('signs of life', () => frames.filter(({ headers }) => headers.has(Header.Heartbeat)).length > 2);
    const clock = encodeUint64(0xffffffffffffffffn);
    write(peer, 1, message(ContentType.Heartbeat, '', [[Header.Heartbeat, clock]]));
    await until('its answer', () =>
      frames.some(({ headers }) => clock.equals(headers.get(Header.HeartbeatResponse) ?? clock.subarray(1))),
    );
  });

  it('answers a sign of life ahead of all that waits, at most after the frame that has begun', async () => {
    const { channel, connection, socket, peer } = await pair({ heartbeatMs: 60_000, silenceMs: 120_000 });
    peer.pause();
    const [each, count] = [1 << 20, 28];
    for (let sent = 0; sent < count; sent += 1) channel.send(message(ContentType.DataState, Buffer.alloc(each)));
    let given = -1;
    await until('the socket takes no more', () => {
      const before = given;
      given = socket.bytesWritten;
      return given === before && socket.writableLength > 0;
    });
    expect(given, 'what is under way').to.be.below((count - 8) * each);
    const clock = encodeUint64(42n);
    const since = performance.now();
    write(peer, 1, message(ContentType.Heartbeat, '', [[Header.Heartbeat, clock]]));
    await until('it is heard', () => connection.heardAt > since);
    const frames = framesOf(peer);
    peer.resume();
    const answered = () =>
      frames.findIndex(({ headers }) => clock.equals(headers.get(Header.HeartbeatResponse) ?? Buffer.of()));
    await until('all has come', () => frames.length === count + 1);
    const before = frames.slice(0, answered()).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(before).to.be.below(given + each + (128 << 10));
    expect(frames.filter(({ contentType }) => contentType === ContentType.DataState)).to.have.length(count);
  });

  it('gives a socket little at a time, and keeps the order of frames of every size', async () => {
    const { channel, socket, peer } = await pair();
    peer.pause();
    const sizes = Array.from({ length: 300 }, (_, index) => (index % 7 === 0 ? 200_000 : index * 10));
    for (const [index, size] of sizes.entries()) channel.send(message(1_000 + index, Buffer.alloc(size, index)));
    await until('the socket takes no more', () => socket.writableLength > 0);
    expect(socket.writableLength).to.be.below(400 << 10);
    const frames = framesOf(peer);
    peer.resume();
    await until('all of them', () => frames.length === sizes.length);
    for (const [index, { contentType, body }] of frames.entries()) {
      expect(contentType).to.equal(1_000 + index);
      expect(Buffer.alloc(sizes[index] ?? 0, index).equals(body)).to.equal(true);
    }
  });

  it('sends in the order in which it was asked to', async () => {
    const { channel, peer } = await pair();
    const frames = framesOf(peer);
    for (let index = 0; index < 500; index += 1) channel.send(message(1_000 + index, Buffer.alloc(index)));
    await until('all of them', () => frames.length === 500);
    expect(frames.map(({ contentType }) => contentType)).to.deep.equal(frames.map((_, index) => 1_000 + index));
    expect(new Set(frames.map(({ sequence }) => sequence)).size).to.equal(500);
  });

  it('gives each request the reply that names it, in any order', async () => {
    const { channel, peer } = await pair();
    const frames = framesOf(peer);
    const asked = [1, 2, 3].map((kind) => channel.request(message(kind), 5_000));
    await until('the requests', () => frames.length === 3);
    for (const { sequence, contentType } of [...frames].reverse())
      write(
        peer,
        contentType,
        message(ContentType.Result, `${contentType}`, [[Header.ReplyFor, encodeInt32(sequence)]]),
      );
    const replies = await Promise.all(asked);
    expect(replies.map(({ body }) => Buffer.from(body).toString())).to.deep.equal(['1', '2', '3']);
  });

  const rejected = async (reply: Promise<Frame>): Promise<string> =>
    reply.then(
      () => 'no error',
      (error: unknown) => (error instanceof ChannelError ? error.message : `another error: ${String(error)}`),
    );

  it('fails requests that are not answered in time, or not before it ends', async () => {
    const { channel } = await pair();
    expect(await rejected(channel.request(message(ContentType.Route), 20))).to.match(/Route: no reply within 20 ms/);
    const pending = rejected(channel.request(message(ContentType.Route), 60_000));
    channel.close('the suite says so');
    expect(await pending).to.match(/the suite says so/);
    expect(await rejected(channel.request(message(ContentType.Route), 20))).to.match(/not connected/);
  });

  it('fails requests when too many wait', async () => {
    const { channel } = await pair({ requests: 3 });
    const waiting = [1, 2, 3].map(() => rejected(channel.request(message(1), 60_000)));
    expect(await rejected(channel.request(message(1), 60_000))).to.match(/too many/);
    channel.close('done');
    await Promise.all(waiting);
  });

  it('does not read on while too many messages wait, and misses none', async () => {
    let [running, most, done] = [0, 0, 0];
    const handle = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      done += 1;
    };
    const { channel, peer } = await pair({ handlers: 4, waiting: 10 }, new Map([[7, { handle }]]));
    const total = 3_000;
    for (let index = 0; index < total; index += 1) write(peer, index + 1, message(7, Buffer.alloc(500)));
    await until('all to be handled', () => done === total);
    expect(most).to.equal(4);
    expect(channel.isClosed).to.equal(false);
  });

  it('counts headers among the bytes that wait', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let done = 0;
    const handle = async () => {
      await gate;
      done += 1;
    };
    const { channel, connection, peer } = await pair(
      { handlers: 1, waitingBytes: 1 << 20 },
      new Map([[7, { handle }]]),
    );
    const large: [number, Uint8Array][] = [[99, Buffer.alloc(1 << 19)]];
    for (let index = 1; index <= 40; index += 1) write(peer, index, message(7, '', large));
    await until('it is not read any more', () => connection.isPaused);
    expect(done).to.equal(0);
    release();
    await until('all to be handled', () => done === 40);
    channel.close('done');
  });

  it('is not heard of while it is not read, and not silent either', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const { channel, connection, peer } = await pair(
      { handlers: 1, waiting: 2, silenceMs: 1_000, heartbeatMs: 100 },
      new Map([[7, { handle: () => gate }]]),
    );
    for (let index = 1; index <= 10; index += 1) write(peer, index, message(7));
    await until('it is not read any more', () => connection.isPaused);
    const { heardAt } = connection;
    const frames = framesOf(peer);
    await until('more signs of life than fit in the silence', () => frames.length > 15);
    expect([connection.heardAt, channel.isClosed]).to.deep.equal([heardAt, false]);
    release();
    await until('it is read again', () => !connection.isPaused);
    write(peer, 11, message(7));
    await until('it is heard', () => connection.heardAt > heardAt);
    expect(channel.isClosed).to.equal(false);
    channel.close('done');
  });

  it('reads replies although messages wait for their turn', async () => {
    const { channel, peer } = await pair(
      { handlers: 1, waiting: 1_000 },
      new Map([
        [
          7,
          {
            handle: async (frame, to) => {
              await to.request(message(9), 5_000);
              to.reply(frame, message(ContentType.Result));
            },
          },
        ],
      ]),
    );
    const frames = framesOf(peer);
    for (let index = 1; index <= 20; index += 1) write(peer, index, message(7));
    const answered = new Set<number>();
    await until('all are answered', () => {
      for (const { contentType, sequence } of frames)
        if (contentType === 9 && !answered.has(sequence)) {
          answered.add(sequence);
          write(peer, 1_000 + sequence, message(ContentType.Result, '', [[Header.ReplyFor, encodeInt32(sequence)]]));
        }
      return frames.filter(({ contentType }) => contentType === ContentType.Result).length === 20;
    });
    channel.close('done');
  });

  it('handles what must be done in order one after another', async () => {
    const seen: string[] = [];
    const handle = async ({ sequence }: Frame) => {
      seen.push(`${sequence} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(`${sequence} ends`);
    };
    const { peer } = await pair({}, new Map([[7, { handle, inOrder: true }]]));
    for (let index = 1; index <= 20; index += 1) write(peer, index, message(7));
    await until('all of them', () => seen.length === 40);
    expect(seen).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => [`${index + 1} begins`, `${index + 1} ends`]).flat(),
    );
  });

  it('goes on after a handler that fails', async () => {
    const { channel, peer } = await pair(
      {},
      new Map<number, MessageRule>([
        [
          7,
          {
            handle: () => {
              throw new Error('of the suite');
            },
          },
        ],
        [
          8,
          {
            handle: (frame, to) => {
              to.reply(frame, message(ContentType.Result));
            },
          },
        ],
      ]),
    );
    const frames = framesOf(peer);
    write(peer, 1, message(7));
    write(peer, 2, message(8));
    await until('the next is answered', () => frames.some(({ contentType }) => contentType === ContentType.Result));
    channel.close('done');
  });

  it('ends once, with one reason, when the router leaves', async () => {
    const made = await pair();
    made.peer.destroy();
    await ended(made);
    made.channel.close('late');
    expect(made.reasons).to.have.length(1);
  });
});
