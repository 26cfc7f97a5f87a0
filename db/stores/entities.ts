/** All declared entities, for what is read off every one of them. */
import type { SymbolTable } from '../filter/index.js';
import type { Versioned } from '../postgres/contracts.js';
import { ca } from './cas.js';
import * as undeclaredForClients from './client-symbols.js';
import { apiSessionCertificate } from './api-session-certificates.js';
import { apiSession } from './api-session-rows.js';
import { authenticator } from './authenticators.js';
import { configType } from './config-types.js';
import { config } from './configs.js';
import { edgeRouterPolicy } from './edge-router-policies.js';
import { enrollment } from './enrollments.js';
import { identity } from './identities.js';
import { identityType } from './identity-types.js';
import { postureCheck, postureCheckType } from './posture-checks.js';
import { revocation } from './revocations.js';
import { serviceEdgeRouterPolicy } from './service-edge-router-policies.js';
import { servicePolicy } from './service-policies.js';
import { service } from './services.js';
import { session } from './session-rows.js';
import * as undeclared from './symbols.js';
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
  authenticator,
  ca,
  config,
  configType,
  deadLetter,
  edgeRouterPolicy,
  enrollment,
  identity,
  identityType,
  postureCheck,
  postureCheckType,
  revocation,
  service,
  serviceEdgeRouterPolicy,
  servicePolicy,
  session,
  terminator,
  webhook,
];

const updated = (name: string, table: string): Versioned => ({ name, table, by: 'updatedAt' });

/** Entities whose stores do not declare them yet. */
const UNDECLARED: Readonly<Record<string, Versioned>> = {
  'auth-policies': updated('authPolicy', 'auth_policies'),
  'controller-settings': updated('controllerSetting', 'controller_settings'),
  'edge-routers': updated('router', 'routers'),
  'external-jwt-signers': updated('externalJwtSigner', 'external_jwt_signers'),
  'routers': updated('router', 'routers'),
  'transit-routers': updated('router', 'routers'),
};

/** The places of the versions of entities, by collection. */
export const versions: ReadonlyMap<string, Versioned> = new Map([
  ...Object.entries(UNDECLARED),
  ...ENTITIES.flatMap(({ collections, versioned }) =>
    versioned === undefined ? [] : collections.map((collection) => [collection, versioned] as const),
  ),
]);

/** Symbols that administrators may ask of every list. */
export const symbolTables: readonly SymbolTable[] = [
  ...ENTITIES.map(({ symbols }) => symbols),
  ...Object.values(undeclared),
];

/** Symbols that clients may ask of their lists. */
export const clientTables: readonly SymbolTable[] = [
  ...ENTITIES.map(({ clientSymbols }) => clientSymbols),
  ...Object.values(undeclaredForClients),
];
