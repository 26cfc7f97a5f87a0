/** Routers, the policies that open them, terminators and posture checks. */
import { reading } from './case.js';
import type { BenchCase } from './case.js';
import { lifecycle, newName } from './lifecycle.js';
import type { Kind } from './lifecycle.js';
import { SERIAL } from './load.js';
import { each, one } from './paths.js';
import type { World } from './world.js';

const WRITES_PER_SECOND = 800;
const tags = { patched: true };
const firstId = (items: readonly { readonly id: string }[]): string => items[0]?.id ?? '';

const edgeRouter: Kind = {
  noun: 'edge router',
  collection: 'edge-routers',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createEdgeRouter',
    patch: 'patchEdgeRouter',
    update: 'updateEdgeRouter',
    delete: 'deleteEdgeRouter',
  },
  create: () => ({ name: newName('edge'), roleAttributes: ['bench-new'] }),
  patch: { cost: 7 },
  update: () => ({ name: newName('edge-put'), roleAttributes: ['bench-new'] }),
  acts: [{ name: 're-enroll', operationId: 'reEnrollEdgeRouter', path: '/re-enroll' }],
};

/** A tunneler owns an identity and a policy, so that more goes with it. */
const tunneler: Kind = {
  noun: 'tunneler',
  collection: 'edge-routers',
  perSecond: WRITES_PER_SECOND / 2,
  operations: { create: 'createEdgeRouter', delete: 'deleteEdgeRouter' },
  create: () => ({ name: newName('tunneler'), isTunnelerEnabled: true, roleAttributes: ['bench-new'] }),
};

const transitRouter: Kind = {
  noun: 'transit router',
  collection: 'transit-routers',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createTransitRouter',
    patch: 'patchTransitRouter',
    update: 'updateTransitRouter',
    delete: 'deleteTransitRouter',
  },
  create: () => ({ name: newName('transit') }),
  patch: { cost: 7 },
  update: () => ({ name: newName('transit-put') }),
};

const router: Kind = {
  noun: 'router',
  collection: 'routers',
  perSecond: WRITES_PER_SECOND,
  operations: { create: 'createRouter', patch: 'patchRouter', update: 'updateRouter', delete: 'deleteRouter' },
  create: () => ({ name: newName('router') }),
  patch: { cost: 7 },
  update: () => ({ name: newName('router-put') }),
};

const edgeRouterPolicy: Kind = {
  noun: 'edge router policy',
  collection: 'edge-router-policies',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createEdgeRouterPolicy',
    patch: 'patchEdgeRouterPolicy',
    update: 'updateEdgeRouterPolicy',
    delete: 'deleteEdgeRouterPolicy',
  },
  create: () => ({
    name: newName('reach'),
    semantic: 'AnyOf',
    identityRoles: ['#bench-dept-3'],
    edgeRouterRoles: ['#bench-zone-0'],
  }),
  patch: { identityRoles: ['#bench-dept-4'] },
  update: () => ({
    name: newName('reach-put'),
    semantic: 'AnyOf',
    identityRoles: ['#bench-dept-3'],
    edgeRouterRoles: ['#bench-zone-1'],
  }),
};

const serviceEdgeRouterPolicy: Kind = {
  noun: 'service router policy',
  collection: 'service-edge-router-policies',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createServiceEdgeRouterPolicy',
    patch: 'patchServiceEdgeRouterPolicy',
    update: 'updateServiceEdgeRouterPolicy',
    delete: 'deleteServiceEdgeRouterPolicy',
  },
  create: () => ({
    name: newName('carry'),
    semantic: 'AnyOf',
    serviceRoles: ['#bench-app-3'],
    edgeRouterRoles: ['#bench-zone-0'],
  }),
  patch: { serviceRoles: ['#bench-app-4'] },
  update: () => ({
    name: newName('carry-put'),
    semantic: 'AnyOf',
    serviceRoles: ['#bench-app-3'],
    edgeRouterRoles: ['#bench-zone-1'],
  }),
};

const terminatorBody = ({ services, edgeRouters }: World) => ({
  service: firstId(services),
  router: firstId(edgeRouters),
  binding: 'edge',
  address: newName('address'),
});

const terminator: Kind = {
  noun: 'terminator',
  collection: 'terminators',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createTerminator',
    patch: 'patchTerminator',
    update: 'updateTerminator',
    delete: 'deleteTerminator',
  },
  create: terminatorBody,
  patch: { cost: 7 },
  update: terminatorBody,
};

const postureCheck: Kind = {
  noun: 'posture check',
  collection: 'posture-checks',
  perSecond: WRITES_PER_SECOND,
  operations: {
    create: 'createPostureCheck',
    patch: 'patchPostureCheck',
    update: 'updatePostureCheck',
    delete: 'deletePostureCheck',
  },
  create: () => ({
    name: newName('check'),
    typeId: 'DOMAIN',
    domains: ['new.example.org'],
    roleAttributes: ['bench-new'],
  }),
  patch: { typeId: 'DOMAIN', tags },
  update: () => ({ name: newName('check-put'), typeId: 'DOMAIN', domains: ['put.example.org'] }),
  // Asks for something else each time, so that the epochs of access and of grants move with it.
  acts: [
    {
      name: 'patch, 16 writers',
      operationId: 'patchPostureCheck',
      path: '',
      body: { typeId: 'DOMAIN', domains: [`own-${SERIAL}.example.org`] },
    },
  ],
};

const edgeRouters = (world: World) => world.edgeRouters;
const transitRouters = (world: World) => world.transitRouters;
const edgePolicies = (world: World) => world.edgeRouterPolicies;
const carryPolicies = (world: World) => world.serviceEdgeRouterPolicies;

export const routingReads: readonly BenchCase[] = [
  reading('edge routers 10', 'management', 'listEdgeRouters', one('/edge-routers?limit=10'), 'admin'),
  reading(
    'edge router by id',
    'management',
    'detailEdgeRouter',
    each(edgeRouters, ({ id }) => `/edge-routers/${id}`),
    'admin',
  ),
  reading(
    'edge router identities',
    'management',
    'listEdgeRouterIdentities',
    each(edgeRouters, ({ id }) => `/edge-routers/${id}/identities`),
    'admin',
  ),
  reading(
    'edge router services',
    'management',
    'listEdgeRouterServices',
    each(edgeRouters, ({ id }) => `/edge-routers/${id}/services`),
    'admin',
  ),
  reading(
    'edge router policies of router',
    'management',
    'listEdgeRouterEdgeRouterPolicies',
    each(edgeRouters, ({ id }) => `/edge-routers/${id}/edge-router-policies`),
    'admin',
  ),
  reading(
    'service router policies of router',
    'management',
    'listEdgeRouterServiceEdgeRouterPolicies',
    each(edgeRouters, ({ id }) => `/edge-routers/${id}/service-edge-router-policies`),
    'admin',
  ),
  reading(
    'edge router role attributes',
    'management',
    'listEdgeRouterRoleAttributes',
    one('/edge-router-role-attributes'),
    'admin',
  ),
  reading('transit routers 10', 'management', 'listTransitRouters', one('/transit-routers?limit=10'), 'admin'),
  reading(
    'transit router by id',
    'management',
    'detailTransitRouter',
    each(transitRouters, ({ id }) => `/transit-routers/${id}`),
    'admin',
  ),
  reading('routers 10', 'management', 'listRouters', one('/routers?limit=10'), 'admin'),
  reading(
    'router by id',
    'management',
    'detailRouter',
    each(transitRouters, ({ id }) => `/routers/${id}`),
    'admin',
  ),
  reading(
    'edge router policies 10',
    'management',
    'listEdgeRouterPolicies',
    one('/edge-router-policies?limit=10'),
    'admin',
  ),
  reading(
    'edge router policy by id',
    'management',
    'detailEdgeRouterPolicy',
    each(edgePolicies, ({ id }) => `/edge-router-policies/${id}`),
    'admin',
  ),
  reading(
    'routers of edge router policy',
    'management',
    'listEdgeRouterPolicyEdgeRouters',
    each(edgePolicies, ({ id }) => `/edge-router-policies/${id}/edge-routers`),
    'admin',
  ),
  reading(
    'identities of edge router policy',
    'management',
    'listEdgeRouterPolicyIdentities',
    each(edgePolicies, ({ id }) => `/edge-router-policies/${id}/identities`),
    'admin',
  ),
  reading(
    'service router policies 10',
    'management',
    'listServiceEdgeRouterPolicies',
    one('/service-edge-router-policies?limit=10'),
    'admin',
  ),
  reading(
    'service router policy by id',
    'management',
    'detailServiceEdgeRouterPolicy',
    each(carryPolicies, ({ id }) => `/service-edge-router-policies/${id}`),
    'admin',
  ),
  reading(
    'routers of service router policy',
    'management',
    'listServiceEdgeRouterPolicyEdgeRouters',
    each(carryPolicies, ({ id }) => `/service-edge-router-policies/${id}/edge-routers`),
    'admin',
  ),
  reading(
    'services of service router policy',
    'management',
    'listServiceEdgeRouterPolicyServices',
    each(carryPolicies, ({ id }) => `/service-edge-router-policies/${id}/services`),
    'admin',
  ),
  reading('terminators 10', 'management', 'listTerminators', one('/terminators?limit=10'), 'admin'),
  reading(
    'terminator by id',
    'management',
    'detailTerminator',
    each(
      (world) => world.terminators,
      ({ id }) => `/terminators/${id}`,
    ),
    'admin',
  ),
  reading('posture checks 10', 'management', 'listPostureChecks', one('/posture-checks?limit=10'), 'admin'),
  reading(
    'posture check by id',
    'management',
    'detailPostureCheck',
    each(
      (world) => world.postureChecks,
      ({ id }) => `/posture-checks/${id}`,
    ),
    'admin',
  ),
  reading('posture check types', 'management', 'listPostureCheckTypes', one('/posture-check-types'), 'admin'),
  reading(
    'posture check type by id',
    'management',
    'detailPostureCheckType',
    one('/posture-check-types/DOMAIN'),
    'admin',
  ),
  reading(
    'posture role attributes',
    'management',
    'listPostureCheckRoleAttributes',
    one('/posture-check-role-attributes'),
    'admin',
  ),
];

export const routingChanges: readonly BenchCase[] = [
  ...[edgeRouter, tunneler, transitRouter, router].flatMap(lifecycle),
  ...[edgeRouterPolicy, serviceEdgeRouterPolicy, terminator, postureCheck].flatMap(lifecycle),
];
