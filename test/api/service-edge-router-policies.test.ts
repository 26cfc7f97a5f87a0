/** Service edge router policies: what every resource and every policy does. Against a whole controller. */
import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { EDGE_ROUTERS, SERVICES, behavesLikeAnyPolicy } from '../support/any-policy.js';
import { behavesLikeAnyResource } from '../support/any-resource.js';

describe('service edge router policies', () => {
  let controller: TestController;
  before(async () => {
    controller = await startTestController();
  });
  after(() => controller.stop());

  const common = {
    collection: 'service-edge-router-policies',
    singular: 'serviceEdgeRouterPolicy',
    controller: () => controller,
    body: (name: string) => ({ name, semantic: 'AnyOf' }),
  };
  behavesLikeAnyResource({ ...common, nestedLinks: ['edge-routers', 'services'] });
  behavesLikeAnyPolicy({ ...common, lists: [EDGE_ROUTERS, SERVICES] });
});
