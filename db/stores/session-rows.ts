/** Sessions as their table has them, with their service, and with the edge routers that clients reach it by. */
import type { NamedRef, PolicyType, Session } from '../../domain/model.js';
import type { Db } from '../postgres/contracts.js';
import { entity } from '../query/entity.js';
import { text } from '../query/fields.js';
import { HAS_CHANNELS, routersFor } from './session-routers.js';

/** A session as its table has it. */
type Stored = Omit<Session, 'service' | 'servicePolicies' | 'edgeRouters'> & { readonly serviceId: string };

export const session = entity<Stored>(
  'sessions',
  {
    token: text().filteredBy({ kind: 'string', sql: 't.token', nullable: false, equalityOnly: true }).forClients(),
    type: text<PolicyType>().forClients(),
    apiSessionId: text().filteredAs('apiSession').forClients(),
    identityId: text().unfiltered(),
    serviceId: text().filteredAs('service').forClients(),
  },
  { name: 'session', collections: ['sessions'], versionedBy: 'updatedAt' },
);

export interface SessionRow extends Stored {
  readonly serviceName: string;
  readonly policies: NamedRef[] | null;
  /** Some router may be connected. */
  readonly hasChannels: boolean;
}
/** A column of the service `s`. */
export const SERVICE_NAME = 's.name AS "serviceName"';
/** Whether any router can be shown. */
export const IS_ROUTED = `${HAS_CHANNELS} AS "hasChannels"`;
export const NO_POLICIES = 'NULL AS policies';
export const JOINS_SERVICE = 'JOIN services s ON s.id = t.service_id';

export function sessionFrom(row: SessionRow): Session {
  return {
    apiSessionId: row.apiSessionId,
    identityId: row.identityId,
    service: { id: row.serviceId, name: row.serviceName },
    type: row.type,
    token: row.token,
    servicePolicies: row.policies ?? [],
    edgeRouters: [],
    id: row.id,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    tags: row.tags,
  };
}

export const useOf = ({ identityId, service }: Session) => ({ identityId, serviceId: service.id });

/** The session with its edge routers. */
export async function shownSession(db: Db, row: SessionRow): Promise<Session> {
  const found = sessionFrom(row);
  if (!row.hasChannels) return found;
  return { ...found, edgeRouters: (await routersFor(db, [useOf(found)]))(useOf(found)) };
}
