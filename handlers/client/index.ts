/** Every client operation that is built, by operationId. */
import type { HandlerMap } from '../handler.js';
import * as edgeRouters from './edge-routers.js';
import * as enroll from './enroll.js';
import * as protocols from './protocols.js';
import * as services from './services.js';
import * as sessions from './sessions.js';
import { authenticate, deleteCurrentApiSession, getCurrentAPISession } from '../shared/authentication.js';
import * as currentIdentity from '../shared/current-identity.js';
import { detailSpec, detailSpecBody, listClientSpecs, listControllers, listEnumeratedCapabilities, listNetworkJWTs, listRoot,
  listVersion, listWellKnownCas } from '../shared/informational.js';

export const clientHandlers = {
  ...currentIdentity, ...edgeRouters, ...enroll, ...protocols, ...services, ...sessions,
  authenticate, deleteCurrentApiSession, detailSpec, detailSpecBody, getCurrentAPISession, listControllers,
  listEnumeratedCapabilities, listNetworkJWTs, listRoot, listSpecs: listClientSpecs, listVersion, listWellKnownCas,
} satisfies HandlerMap<'client'>;
