/**
 * The worst frames of an enrolled router, of every kind, against a controller with little memory: it lives, others are
 * answered, and a router that goes on is kept out for a while. Figures: npm run bench -- --frames
 */
import { expect } from 'chai';
import { ContentType, contentTypeName } from '../../fabric/channel/content-types.js';
import { encodeFrame, message, textOf } from '../../fabric/channel/frame.js';
import { CircuitRequestHeader, Header, encodeBytesMap, readInt32 } from '../../fabric/channel/headers.js';
import { SHARE_LIMITS } from '../../fabric/channel/router-shares.js';
import { worstFramesOf, worstKinds } from '../support/worst-frames.js';
import { expectStatus } from '../support/client.js';
import type { Client } from '../support/client.js';
import { openTestDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { CLIENT } from '../support/paths.js';
import { until } from '../support/poll.js';
import { ProcessShop } from '../support/process.js';
import type { ControllerProcess } from '../support/process.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import { childEnv } from './server-support.js';

/** A router of release 2.1 looks for another controller after 30 s. */
const PATIENCE_MS = 25_000;
const PING = 77;
/** After so many comings a router is new: ten in a minute are taken. */
const COMINGS = 8;

describe('the worst frames of a router', function worst() {
  this.timeout(120_000);
  const shop = new ProcessShop();
  let database: TestDatabase;
  let controller: ControllerProcess;
  let url: string;
  let client: Client;
  let admin: Client;

  before(async () => {
    database = await openTestDatabase();
    const place = shop.place();
    controller = shop.start(place, {
      env: { ...childEnv(place, database), NODE_OPTIONS: '--max-old-space-size=256' },
    });
    url = await controller.ready();
    client = shop.client(url);
    admin = await shop.login(url);
  });
  after(async () => {
    await shop.end();
    await database.close();
  });

  const isAnswered = ({ received }: ScriptedRouter): boolean =>
    received.some(({ headers }) => readInt32(headers, Header.ReplyFor) === PING);

  for (const kind of worstKinds)
    it(`of the kind ${contentTypeName(kind)} end no process and leave others answered`, async () => {
      let enrolled = await newRouter({ admin, anonymous: client });
      for (const [nth, { name, bytes }] of [...worstFramesOf(kind)].entries()) {
        // A router that asks to be deleted, in whatever frame, is; and one may come ten times a minute.
        const isUsedUp = kind === ContentType.DecommissionRouter || nth % COMINGS === 0;
        if (nth > 0 && isUsedUp) enrolled = await newRouter({ admin, anonymous: client });
        const router = await ScriptedRouter.connect(url, enrolled);
        router.socket.write(bytes);
        router.socket.write(Buffer.concat(encodeFrame(PING, message(ContentType.Ping))));
        const before = router.received.length;
        expectStatus(await client.get(`${CLIENT}/version`), 200);
        await until(`it is cut or answered: ${name}`, () => router.isCut || isAnswered(router));
        expect(router.received.length - before, 'answers to one frame').to.be.below(50_000);
        router.close();
      }
      expectStatus(await client.get(`${CLIENT}/version`), 200);
    });

  it('that its client made are answered with an error, and it is not cut', async () => {
    const router = await ScriptedRouter.connect(url, await newRouter({ admin, anonymous: client }));
    const tooLong = encodeBytesMap(new Map([[1_011, Buffer.alloc(9_000)]]));
    for (const peerData of [tooLong, Buffer.of(1), Buffer.alloc(200 << 10)]) {
      const dialed = router.send(message(ContentType.CreateCircuitV2, '', [[CircuitRequestHeader.PeerData, peerData]]));
      const answer = await router.next(
        ContentType.Error,
        ({ headers }) => readInt32(headers, Header.ReplyFor) === dialed,
      );
      expect(textOf(answer)).to.equal('the request is too large, or cannot be read');
    }
    await router.reply(router.send(message(ContentType.Ping)));
    router.close();
  });

  it('keep it out when it goes on, and it is in again before it gives up', async () => {
    const enrolled = await newRouter({ admin, anonymous: client });
    const frame = worstFramesOf(ContentType.ApiSessionHeartbeat).find(({ name }) => name.endsWith('as are taken'));
    const router = await ScriptedRouter.connect(url, enrolled);
    // After an error the end comes with a later turn of the event loop, which writes that fail at once would hold up.
    const send = (error?: Error | null) => {
      if (error != null || router.isCut || frame === undefined) return;
      router.socket.write(frame.bytes, send);
    };
    send();
    await until('it is cut', () => router.isCut, 90_000);
    const cutAt = performance.now();
    const reasons = () => controller.log().map(({ reason }) => reason);
    await until('the log says why', () => reasons().includes('the router needed more than its share of time'));
    const refused = await ScriptedRouter.knock(url, enrolled);
    await refused.cut();
    expect(refused.received).to.deep.equal([]);
    await until(
      'it is in again',
      async () => {
        const again = await ScriptedRouter.knock(url, enrolled);
        await until('it is in or not', () => again.isCut || again.received.length > 0);
        const isIn = !again.isCut;
        again.close();
        return isIn;
      },
      PATIENCE_MS,
    );
    expect(performance.now() - cutAt)
      .to.be.above(SHARE_LIMITS.restMs / 2)
      .and.below(PATIENCE_MS);
  });
});
