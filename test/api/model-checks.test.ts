/** Checks of the models that routers have. Against a whole controller, with a scripted router. */
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ContentType } from '../../fabric/channel/content-types.js';
import { readBody, typedMessage } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import { Header, encodeInt32 } from '../../fabric/channel/headers.js';
import {
  DataStateSchema,
  RouterDataModelValidateRequestSchema,
  RouterDataModelValidateResponseSchema,
} from '../../generated/fabric/data-model_pb.js';
import { expectStatus } from '../support/client.js';
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { FABRIC } from '../support/paths.js';
import { ScriptedRouter, newRouter } from '../support/scripted-router.js';
import type { EnrolledRouter } from '../support/scripted-router.js';

const MISSING = { entityType: 'Services', entityId: 'x', diffType: 'removed', detail: 'entity missing' };

describe('checks of the models of routers', () => {
  let controller: TestController;
  let router: EnrolledRouter;
  let connected: ScriptedRouter;
  before(async () => {
    controller = await startTestController();
  });
  beforeEach(async () => {
    router = await newRouter(controller, { isTunnelerEnabled: true });
    connected = await ScriptedRouter.connect(controller.url, router);
  });
  afterEach(() => {
    connected.close();
  });
  after(() => controller.stop());

  const subscribe = () => {
    connected.subscribe('check');
    return connected.next(ContentType.DataState);
  };
  const question = (before?: Frame) =>
    connected.next(ContentType.ValidateDataState, ({ sequence }) => sequence !== before?.sequence);
  const answer = (asked: Frame, diffs: readonly (typeof MISSING)[]) => {
    const said = create(RouterDataModelValidateResponseSchema, { diffs: [...diffs] });
    const headers = [[Header.ReplyFor, encodeInt32(asked.sequence)]] as const;
    connected.send(
      typedMessage(ContentType.ValidateDataStateResponse, RouterDataModelValidateResponseSchema, said, headers),
    );
  };

  it('ask nothing of a router that was told nothing, and of one that is not here', async () => {
    expect(await controller.checkModel(router.id)).to.equal(undefined);
    expect(await controller.checkModel('nobody')).to.equal(undefined);
  });

  it('ask whether it has all that it was told, and leave one that has', async () => {
    const told = readBody(DataStateSchema, await subscribe());
    const checked = controller.checkModel(router.id);
    const asked = await question();
    const { state, fix } = readBody(RouterDataModelValidateRequestSchema, asked);
    expect(fix).to.equal(false);
    expect(state).to.deep.equal(told);
    answer(asked, []);
    expect(await checked).to.deep.equal([]);
  });

  it('ask again before they believe a difference, which the router may have been about to mend', async () => {
    await subscribe();
    const checked = controller.checkModel(router.id);
    const first = await question();
    answer(first, [MISSING]);
    answer(await question(first), []);
    expect(await checked).to.deep.equal([]);
  });

  describe('that an administrator asks for', () => {
    const inspect = async (...requestedValues: string[]) => {
      const body = { appRegex: `^${router.id}$`, requestedValues };
      return JSON.parse(expectStatus(await controller.admin.post(`${FABRIC}/inspections`, body), 200).text) as object;
    };
    const shown = (value: object) => ({
      success: true,
      errors: null,
      values: [{ appId: router.id, name: 'model-check', value }],
    });

    it('say that a router has what it was told', async () => {
      await subscribe();
      const found = inspect('model-check');
      answer(await question(), []);
      expect(await found).to.deep.equal(shown({ differences: 0, first: [] }));
      // It was asked for nothing that it does not know.
      expect(connected.received.map(({ contentType }) => contentType)).not.to.include(ContentType.InspectRequest);
    });

    it('show what it has otherwise, and tell it all of it again', async () => {
      const whole = await subscribe();
      const found = inspect('model-check');
      const first = await question();
      answer(first, [MISSING]);
      answer(await question(first), [MISSING]);
      const difference = { entityType: 'Services', entityId: 'x', kind: 'removed', detail: 'entity missing' };
      expect(await found).to.deep.equal(shown({ differences: 1, first: [difference] }));
      await connected.next(ContentType.DataState, ({ sequence }) => sequence !== whole.sequence);
    });

    it('have no value for a router that was told nothing', async () => {
      expect(await inspect('model-check')).to.deep.equal({ success: true, errors: null, values: null });
    });
  });

  it('take more differences than can be read for one', async () => {
    await subscribe();
    const checked = controller.checkModel(router.id);
    const many = Array.from({ length: 3_000 }, () => ({ ...MISSING, detail: 'x'.repeat(60) }));
    const first = await question();
    answer(first, many);
    answer(await question(first), many);
    expect((await checked)?.map(({ kind }) => kind)).to.deep.equal(['too many to be read']);
  });
});
