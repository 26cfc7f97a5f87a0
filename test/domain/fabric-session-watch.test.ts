/** The sessions that routers use: none is remembered for a channel that is closed, and a close waits for little. */
import { expect } from 'chai';
import type { RouterChannel } from '../../fabric/channel.js';
import { Circuits } from '../../fabric/circuits.js';
import { ConnectedIdentities } from '../../fabric/connected-identities.js';
import { ContentType } from '../../fabric/content-types.js';
import { typedMessage } from '../../fabric/frame.js';
import { DialMemory } from '../../fabric/dial-memory.js';
import type { Frame, Message } from '../../fabric/frame.js';
import { validateSessions } from '../../fabric/messages/validate-sessions.js';
import type { FabricServices } from '../../fabric/services.js';
import { SessionWatch } from '../../fabric/session-watch.js';
import { requireSession } from '../../fabric/shown-session.js';
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
    } as unknown as FabricServices['stores'];
    const channels = { get: () => undefined };
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0));
    const sessions = new SessionWatch({ stores, channels, circuits, noteFailure: () => undefined });
    const services = {
      stores,
      traffic: { sessions, memory: new DialMemory(() => 0) },
      apiSessions: { find: async () => 'a1' },
    } as unknown as FabricServices;
    return { asked, answers, sessions, services };
  };
  const channelOf = () => {
    const state = { isClosed: false };
    return Object.assign(state, { routerId: 'r1', send: () => undefined }) as unknown as RouterChannel & {
      isClosed: boolean;
    };
  };
  const tokens = { apiSessionToken: 'a', sessionToken: 's' };

  it('are forgotten with its channel, also those that were looked up while it closed', async () => {
    const { asked, answers, sessions, services } = watched();
    const channel = channelOf();
    const body = create(ValidateSessionsRequestSchema, { sessionTokens: ['s1'] });
    const frame = typedMessage(ContentType.ValidateSessions, ValidateSessionsRequestSchema, body) as Frame;
    const handled = validateSessions(frame, channel, services);
    await until('it is asked', () => answers.length === 1);
    channel.isClosed = true;
    sessions.forgetRouter('r1');
    answers[0]?.();
    await handled;
    const refused = await requireSession(tokens, 'Dial', channel, services).then(
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
    } as unknown as FabricServices['stores'];
    const send = ({ body }: Message) => told.push(...fromBinary(SessionRemovedSchema, body).ids);
    const channels = { get: () => ({ send }) as unknown as RouterChannel };
    const circuits = new Circuits(channels, new TerminatorCosts(() => 0));
    const sessions = new SessionWatch({ stores, channels, circuits, noteFailure: () => undefined, most: 3 });
    await sessions.named('r1', ['a', 'b', 'c', 'd']);
    for (let round = 0; round < 3; round += 1) await sessions.named('r1', ['a', 'b', 'c']);
    await sessions.named('r2', ['e']);
    expect(asked).to.deep.equal(['a', 'b', 'c', 'e']);
    expect(told).to.deep.equal(['d']);
    sessions.ended(['a']);
    await sessions.named('r1', ['a', 'd']);
    expect(asked).to.deep.equal(['a', 'b', 'c', 'e', 'd']);
    expect(told).to.deep.equal(['d', 'a', 'a']);
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

describe('the identities that routers report as connected', () => {
  const events = (ids: readonly string[]) => ids.map((identityId) => ({ identityId, isConnected: true }));
  const reported = () =>
    new ConnectedIdentities(
      () => 0,
      () => false,
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
