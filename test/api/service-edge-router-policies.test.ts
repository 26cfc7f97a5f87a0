import { startTestController } from '../support/controller.js';
import type { TestController } from '../support/controller.js';
import { EDGE_ROUTERS, SERVICES, behavesLikeAnyPolicy } from '../cases/policy.js';
import { behavesLikeAnyResource } from '../cases/resource.js';

describe('service edge router policies', () => {
  let controller: TestController;
  before(async () => { controller = await startTestController(); });
  after(() => controller.stop());

  const common = {
    collection: 'service-edge-router-policies', singular: 'serviceEdgeRouterPolicy', controller: () => controller,
    body: (name: string) => ({ name, semantic: 'AnyOf' }),
  };
  behavesLikeAnyResource({ ...common, nestedLinks: ['edge-routers', 'services'] });
  behavesLikeAnyPolicy({ ...common, lists: [EDGE_ROUTERS, SERVICES] });
});
