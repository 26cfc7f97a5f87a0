/** All declared entities, for what is read off every one of them. */
import type { SymbolTable } from '../filter/index.js';
import type { Versioned } from '../postgres/contracts.js';
import { ca } from './cas.js';
import { apiSessionCertificate } from './api-session-certificates.js';
import { apiSession } from './api-session-rows.js';
import { authPolicy } from './auth-policies.js';
import { authenticator } from './authenticators.js';
import { configType } from './config-types.js';
import { config } from './configs.js';
import { controllerSetting } from './controller-settings.js';
import { controller } from './controllers.js';
import { edgeRouterPolicy } from './edge-router-policies.js';
import { enrollment } from './enrollments.js';
import { externalJwtSigner } from './external-jwt-signers.js';
import { identity } from './identities.js';
import { identityType } from './identity-types.js';
import { postureCheck, postureCheckType } from './posture-checks.js';
import { revocation } from './revocations.js';
import { anyRouterSymbols, router, serviceEdgeRouterSymbols } from './routers.js';
import { serviceEdgeRouterPolicy } from './service-edge-router-policies.js';
import { servicePolicy } from './service-policies.js';
import { service } from './services.js';
import { session } from './session-rows.js';
import * as ofOtherLists from './symbols.js';
import { fabricService } from './fabric-services.js';
import { fabricTerminator } from './fabric-terminators.js';
import { terminator } from './terminators.js';
import { deadLetter, webhook } from './webhooks.js';

/** An entity that the APIs read and change by id, as far as it is declared. */
interface Declared {
  readonly collections: readonly string[];
  readonly versioned: Versioned | undefined;
  readonly symbols: SymbolTable;
  readonly clientSymbols: SymbolTable;
}

const ENTITIES: readonly Declared[] = [
  apiSession,
  apiSessionCertificate,
  authPolicy,
  authenticator,
  ca,
  config,
  configType,
  controller,
  controllerSetting,
  deadLetter,
  edgeRouterPolicy,
  enrollment,
  externalJwtSigner,
  identity,
  identityType,
  postureCheck,
  postureCheckType,
  revocation,
  router,
  service,
  serviceEdgeRouterPolicy,
  servicePolicy,
  session,
  fabricService,
  fabricTerminator,
  terminator,
  webhook,
];

/** The places of the versions of entities, by collection. */
export const versions: ReadonlyMap<string, Versioned> = new Map(
  ENTITIES.flatMap(({ collections, versioned }) =>
    versioned === undefined ? [] : collections.map((collection) => [collection, versioned] as const),
  ),
);

/** Symbols that administrators may ask of every list. */
export const symbolTables: readonly SymbolTable[] = [
  ...ENTITIES.map(({ symbols }) => symbols),
  anyRouterSymbols,
  ...Object.values(ofOtherLists),
];

/** Symbols that clients may ask of their lists. */
export const clientTables: readonly SymbolTable[] = [
  ...ENTITIES.map(({ clientSymbols }) => clientSymbols),
  serviceEdgeRouterSymbols,
];
