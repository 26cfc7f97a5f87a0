/** The sessions that routers use: none is remembered for a channel that is closed, and a close waits for little. */
import { expect } from 'chai';
import type { RouterChannel } from '../../fabric/channel/channel.js';
import { Circuits } from '../../fabric/traffic/circuits.js';
import { ConnectedIdentities } from '../../fabric/traffic/connected-identities.js';
import { ContentType } from '../../fabric/channel/content-types.js';
import { DialMemory } from '../../fabric/traffic/dial-memory.js';
import { Flights } from '../../fabric/traffic/flights.js';
import { typedMessage } from '../../fabric/channel/frame.js';
import type { Frame, Message } from '../../fabric/channel/frame.js';
import { validateSessions } from '../../fabric/messages/validate-sessions.js';
import type { Stores } from '../../db/stores/stores.js';
import type { SessionAdmissionParts } from '../../fabric/traffic/session-admission.js';
import { SessionWatch } from '../../fabric/traffic/session-watch.js';
import { requireSession } from '../../fabric/traffic/session-admission.js';
import { TerminatorCosts } from '../../domain/fabric/terminator-costs.js';
import { SessionRemovedSchema, ValidateSessionsRequestSchema } from '../../generated/fabric/edge_pb.js';
import { create, fromBinary } from '@bufbuild/protobuf';
import { until } from '../support/poll.js';

describe('the sessions that routers use', () => {
  /** What the database is asked, and what it answers when it is let. */
  const watched = () => {
    const asked: (readonly string[])[] = [];
    const answers: ((error?: Error) => void)[] = [];
    const stores = {
      shownSessions: {
        lost: (ids: readonly string[]) => {
          asked.push(ids);
          return new Promise<readonly string[]>((resolve, reject) => {
            answers.push((error) => {
              if (error === undefined) resolve([]);
              else reject(error);
            });
          });
        },
        find: async () => ({ id: 's1', apiSessionId: 'a1', type: 'Dial', isRouterAllowed: true }),
      },
      hostedTerminators: { removeOfSessions: async () => undefined },
    } as unknown as Stores;
    const channels = { get: () => undefined };
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0), () => undefined);
    const flights = new Flights({ count: 0 });
    const sessions = new SessionWatch({ stores, channels, circuits, flights, noteFailure: () => undefined });
    const admission: SessionAdmissionParts = {
      stores,
      sessions,
      memory: new DialMemory(() => 0),
      apiSessions: { find: async () => 'a1', findSigned: async () => 'a1', openDial: async () => undefined },
      sessionsSeen: () => undefined,
    };
    return { asked, answers, sessions, admission, flights };
  };
  const channelOf = () => {
    const state = { isClosed: false };
    return Object.assign(state, { routerId: 'r1', send: () => undefined }) as unknown as RouterChannel & {
      isClosed: boolean;
    };
  };
  const tokens = { apiSessionToken: 'a', sessionToken: 's' };

  it('are forgotten with its channel, also those that were looked up while it closed', async () => {
    const { asked, answers, sessions, admission, flights } = watched();
    const channel = channelOf();
    const body = create(ValidateSessionsRequestSchema, { sessionTokens: ['s1'] });
    const frame = typedMessage(ContentType.ValidateSessions, ValidateSessionsRequestSchema, body) as Frame;
    const handled = validateSessions({ sessions })(frame, channel);
    await until('it is asked', () => answers.length === 1);
    channel.isClosed = true;
    sessions.forgetRouter('r1');
    answers[0]?.();
    await handled;
    const refused = await flights
      .run((flight) => requireSession(tokens, 'Dial', channel, flight, admission))
      .then(
        () => 'let in',
        (error: unknown) => (error as Error).message,
      );
    expect(refused).to.equal('invalid session');
    sessions.check();
    await sessions.close();
    expect(asked).to.have.length(1);
  });

  it('are no more of one router than a bound, however often it names them, and each is asked about once', async () => {
    const asked: string[] = [];
    const told: string[] = [];
    const stores = {
      shownSessions: {
        lost: async (uses: readonly { sessionId: string }[]) => {
          asked.push(...uses.map(({ sessionId }) => sessionId));
          return [];
        },
      },
    } as unknown as Stores;
    const send = ({ body }: Message) => told.push(...fromBinary(SessionRemovedSchema, body).ids);
    const channels = { get: () => ({ send }) as unknown as RouterChannel };
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0), () => undefined);
    const flights = new Flights({ count: 0 });
    const noteFailure = () => undefined;
    const sessions = new SessionWatch({ stores, channels, circuits, flights, noteFailure, most: 3 });
    await sessions.named('r1', ['a', 'b', 'c', 'd']);
    for (let round = 0; round < 3; round += 1) await sessions.named('r1', ['a', 'b', 'c']);
    await sessions.named('r2', ['e']);
    expect(asked).to.deep.equal(['a', 'b', 'c', 'e']);
    expect(told).to.deep.equal(['d']);
    sessions.ended(['a']);
    await sessions.named('r1', ['a', 'd']);
    expect(asked).to.deep.equal(['a', 'b', 'c', 'e', 'a']);
    expect(told).to.deep.equal(['d', 'a', 'd']);
    await sessions.close();
  });

  it('are not all asked about before a close is over', async () => {
    const { asked, answers, sessions } = watched();
    for (const router of ['r1', 'r2'])
      for (let index = 0; index < 1_200; index += 1) sessions.use(router, `${router}-${index}`);
    sessions.check();
    await until('it is asked', () => answers.length === 1);
    const closed = sessions.close();
    answers[0]?.();
    await closed;
    expect(asked).to.have.length(1);
  });

  it('are asked about together when many routers name theirs, and are watched though that fails', async () => {
    const { asked, answers, sessions } = watched();
    const named = Array.from({ length: 100 }, (_, router) =>
      sessions.named(`r${router}`, [`a${router}`, `b${router}`]),
    );
    await until('the first is asked about', () => answers.length === 1);
    answers[0]?.();
    await until('so are the others', () => answers.length === 2);
    expect(asked.map(({ length }) => length)).to.deep.equal([2, 198]);
    answers[1]?.(new Error('the database is away'));
    await until('all are asked about again', () => answers.length === 3);
    expect(asked[2]).to.have.length(200);
    answers[2]?.();
    await Promise.all(named);
    await sessions.close();
  });
});

describe('dials on their way', () => {
  const use = { sessionId: 's1', routerId: 'r1' };
  /** Ids that a notice of ended sessions holds: at most 300. */
  const notice = (number: number) => Array.from({ length: 300 }, (_, index) => `other-${number}-${index}`);

  const opened = () => {
    const flights = new Flights({ count: 0 });
    const asked: (readonly (typeof use)[])[] = [];
    const answers: ((lost: readonly (typeof use)[] | Error) => void)[] = [];
    const stores = {
      shownSessions: {
        lost: (uses: readonly (typeof use)[]) => {
          asked.push(uses);
          return new Promise<readonly (typeof use)[]>((resolve, reject) => {
            answers.push((lost) => {
              if (lost instanceof Error) reject(lost);
              else resolve(lost);
            });
          });
        },
      },
      hostedTerminators: { removeOfSessions: async () => undefined },
    } as unknown as Stores;
    const told: string[] = [];
    const send = ({ body }: Message) => told.push(...fromBinary(SessionRemovedSchema, body).ids);
    const channels = { get: () => ({ send }) as unknown as RouterChannel };
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0), () => undefined);
    const sessions = new SessionWatch({ stores, channels, circuits, flights, noteFailure: () => undefined });
    return { flights, sessions, asked, answers, told };
  };

  it('know that their session has ended, however many sessions of others ended since', async () => {
    const { flights, sessions } = opened();
    await flights.run(async (flight) => {
      await flights.run(async (other) => {
        flight.dependsOn('s1', 'service');
        other.dependsOn('s2', 'service');
        sessions.ended(['s1']);
        for (let number = 0; number < 36; number += 1) sessions.ended(notice(number));
        expect([flight.isInDoubt, other.isInDoubt]).to.deep.equal([true, false]);
      });
    });
  });

  it('are in doubt about what ends while they are looked up, of either end', async () => {
    const { flights, sessions } = opened();
    await flights.run(async (flight) => {
      sessions.ended(['any']);
      expect(flight.isInDoubt).to.equal(true);
    });
    await flights.run(async (flight) => {
      flight.dependsOn('s1', 'service');
      flight.reads();
      sessions.ended(['host']);
      expect(flight.isInDoubt).to.equal(true);
    });
    await flights.run(async (flight) => {
      flight.dependsOn('s1', 'service');
      flight.chose({ id: 't1', routerId: 'r1', sessionId: 'host' });
      sessions.ended(['any']);
      expect(flight.isInDoubt).to.equal(false);
      sessions.ended(['host']);
      expect(flight.isInDoubt).to.equal(true);
    });
  });

  it('are all in doubt when grants or policies may be other ones', async () => {
    const { flights, sessions, answers } = opened();
    await flights.run(async (flight) => {
      flight.dependsOn('s1', 'service');
      sessions.check();
      expect(flight.isInDoubt).to.equal(true);
    });
    expect(answers).to.have.length(0);
  });

  it('are in doubt about terminators of their service, unless their own host has stopped', async () => {
    const { flights } = opened();
    await flights.run(async (flight) => {
      flight.dependsOn('s1', 'service');
      flight.chose({ id: 't1', routerId: 'r1', sessionId: null });
      flights.doubtTerminators(['another']);
      expect(flight.isTerminatorInDoubt).to.equal(false);
      flights.doubtTerminators(['service']);
      expect(flight.isTerminatorInDoubt).to.equal(true);
      flights.hostsStopped('r1', ['t2']);
      expect(flight.isTerminatorInDoubt).to.equal(true);
      flights.hostsStopped('r2', ['t1']);
      expect(flight.isTerminatorInDoubt, 'another router says so').to.equal(true);
      flights.hostsStopped('r1', ['t1']);
      expect(flight.isTerminatorInDoubt).to.equal(false);
      flight.chose({ id: 't2', routerId: 'r2', sessionId: null });
      expect(flight.isTerminatorInDoubt).to.equal(true);
    });
  });

  it('ask the database together, and each hears what it lost and nothing of others', async () => {
    const { sessions, asked, answers, told } = opened();
    sessions.use('r1', 's1');
    const other = { sessionId: 's2', routerId: 'r1' };
    const first = sessions.lostOf([other]);
    const [second, third] = [sessions.lostOf([use]), sessions.lostOf([other])];
    await until('the first is asked', () => answers.length === 1);
    answers[0]?.([]);
    await until('the others are asked together', () => answers.length === 2);
    expect(asked[1]).to.deep.equal([use, other]);
    answers[1]?.([use]);
    expect(await Promise.all([first, second, third])).to.deep.equal([[], [use], []]);
    expect(told).to.deep.equal(['s1']);
    const failing = sessions.lostOf([other]).catch((error: unknown) => (error as Error).message);
    await until('it is asked', () => answers.length === 3);
    answers[2]?.(new Error('the database is away'));
    expect(await failing).to.equal('the database is away');
    await sessions.close();
    const late = sessions.lostOf([use]).catch((error: unknown) => (error as Error).message);
    expect(await late).to.equal('the controller stops');
  });
});

describe('the identities that routers report as connected', () => {
  const events = (ids: readonly string[]) => ids.map((identityId) => ({ identityId, isConnected: true }));
  const reported = () =>
    new ConnectedIdentities(
      () => 0,
      () => false,
      () => undefined,
    );

  it('are of no router more than a bound, whatever it sends, and none is what no id can be', () => {
    const connected = reported();
    const many = Array.from({ length: 100_001 }, (_, index) => `identity-${index}`);
    for (const isWhole of [false, true]) {
      connected.report('r1', events(['x'.repeat(65), 'a\0b', '', ...many]), isWhole);
      expect(connected.of('identity-99999')).to.equal('online');
      for (const id of ['identity-100000', 'x'.repeat(65), 'a\0b', '']) expect(connected.of(id)).to.equal('offline');
    }
    connected.report('r2', events(['identity-100000']), false);
    connected.report('r1', [{ identityId: 'identity-0', isConnected: false }, ...events(['another'])], false);
    for (const id of ['identity-100000', 'another']) expect(connected.of(id)).to.equal('online');
    expect(connected.of('identity-0')).to.equal('offline');
  });
});
