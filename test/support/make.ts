/**
 * Entities that suites start from, made over the management API by its administrator. Each has a name of its own unless
 * it is given one. What the API demands and most suites do not care about is filled in. Each maker returns the id.
 */
import type * as Request from '../../generated/management/request.js';
import { unique } from './controller.js';
import type { TestController } from './controller.js';
import { make } from './entities.js';

type At = Pick<TestController, 'admin'>;

export const makeIdentity = (at: At, body: Partial<Request.IdentityCreate> = {}): Promise<string> =>
  make(at, 'identities', { name: unique('identity'), type: 'User', isAdmin: false, ...body });

export const makeService = (at: At, body: Partial<Request.ServiceCreate> = {}): Promise<string> =>
  make(at, 'services', { name: unique('service'), encryptionRequired: false, ...body });

export const makeConfig = (at: At, body: Omit<Request.ConfigCreate, 'name'> & { name?: string }): Promise<string> =>
  make(at, 'configs', { name: unique('config'), ...body });

export const makeRouter = (at: At, body: Partial<Request.EdgeRouterCreate> = {}): Promise<string> =>
  make(at, 'edge-routers', { name: unique('router'), ...body });

/** Lets identities of the roles dial services of the roles, unless `type` says Bind. */
export const makeServicePolicy = (at: At, body: Partial<Request.ServicePolicyCreate> = {}): Promise<string> =>
  make(at, 'service-policies', { name: unique('policy'), type: 'Dial', semantic: 'AnyOf', ...body });

export const makeEdgeRouterPolicy = (at: At, body: Partial<Request.EdgeRouterPolicyCreate> = {}): Promise<string> =>
  make(at, 'edge-router-policies', { name: unique('policy'), semantic: 'AnyOf', ...body });

export const makeServiceEdgeRouterPolicy = (
  at: At,
  body: Partial<Request.ServiceEdgeRouterPolicyCreate> = {},
): Promise<string> => make(at, 'service-edge-router-policies', { name: unique('policy'), semantic: 'AnyOf', ...body });
