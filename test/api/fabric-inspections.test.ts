/** Inspections of routers over the fabric API: who is asked, how large an answer may be, and what comes of silence. */
import { expect } from 'chai';
import { create, toBinary } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import { InspectResponseSchema } from '../../generated/fabric/control_pb.js';
import { expectStatus } from '../support/client.js';
import { startReachable } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { FABRIC } from '../support/paths.js';
import { until } from '../support/poll.js';
import { newRouter, ScriptedRouter } from '../support/scripted-router.js';

interface Found {
  readonly success: boolean;
  readonly errors: readonly string[] | null;
  readonly values: readonly { appId: string; name: string; value: unknown }[] | null;
}

describe('inspections', function inspections() {
  this.timeout(60_000);
  let controller: TestController;
  let router: ScriptedRouter;
  before(async () => {
    controller = await startReachable();
    router = await ScriptedRouter.online(controller.routersUrl, await newRouter(controller));
    await until('the controller shows it', async () => {
      const { data } = expectStatus(await controller.admin.get(`${FABRIC}/routers`), 200);
      return (data as { connected: boolean }[])[0]?.connected === true;
    });
  });
  after(async () => {
    router.close();
    await controller.stop();
  });

  const inspect = async (appRegex: string, ...requestedValues: string[]) => {
    const answer = await controller.admin.post(`${FABRIC}/inspections`, { appRegex, requestedValues });
    return JSON.parse(expectStatus(answer, 200).text) as Found;
  };
  /** Answers the next request. */
  const answerWith = async (value: string) => {
    const before = router.received.length;
    const request = await router.next(ContentType.InspectRequest, (frame) => router.received.indexOf(frame) >= before);
    const body = toBinary(
      InspectResponseSchema,
      create(InspectResponseSchema, { success: true, values: [{ name: 'links', value }] }),
    );
    router.send(message(ContentType.InspectResponse, body, [[Header.ReplyFor, encodeInt32(request.sequence)]]));
  };

  it('ask the routers that are meant, and read values as JSON', async () => {
    const [found] = await Promise.all([inspect(`^${router.id}$`, 'links'), answerWith('{"links":[]}')]);
    expect(found).to.deep.equal({
      success: true,
      errors: null,
      values: [{ appId: router.id, name: 'links', value: { links: [] } }],
    });
  });

  it('leave out tokens that a router shows', async () => {
    const value = JSON.stringify({ entries: [{ id: 'one', token: 'open-sesame', state: 'established' }] });
    const [found] = await Promise.all([inspect(`^${router.id}$`, 'links'), answerWith(value)]);
    expect(found.values?.[0]?.value).to.deep.equal({ entries: [{ id: 'one', state: 'established' }] });
  });

  it('take an answer that is larger than frames of routers usually are', async () => {
    const large = 'x'.repeat(1 << 20);
    const [found] = await Promise.all([inspect(router.id, 'links'), answerWith(JSON.stringify(large))]);
    expect(found.values?.[0]?.value).to.equal(large);
  });

  it('say which router was silent, and which answer was too large', async () => {
    const silent = await inspect(router.id, 'links');
    expect(silent.success).to.equal(false);
    expect(silent.errors?.[0]).to.match(new RegExp(`^${router.id}: .*no reply within`));
    const [found] = await Promise.all([inspect(router.id, 'links'), answerWith('x'.repeat(5 << 20))]);
    expect(found.errors).to.deep.equal([`${router.id}: the answer is too large`]);
    expect(router.isCut).to.equal(false);
  });

  it('ask the controller itself, and nobody when nobody is meant', async () => {
    const found = await inspect('.*', 'connected-routers').then(({ values }) => values);
    expect(found?.map(({ name }) => name)).to.deep.equal(['connected-routers']);
    expect(await inspect('^nobody$', 'links')).to.deep.equal({ success: true, errors: null, values: null });
  });

  it('refuse what is no regular expression', async () => {
    expect(await inspect('(', 'links')).to.deep.include({ success: false, values: null });
  });
});
