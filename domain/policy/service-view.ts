/** Shows whether what an identity sees of its services has changed, without reading all of it again. */
import { createHash } from 'node:crypto';
import type { ServiceView } from '../model.js';
import type { AccessPolicy } from './access.js';

/**
 * Names all that decides what an identity sees of services: what it is granted, and the content that grants select
 * from.
 */
export function stateOf(grants: readonly AccessPolicy[], content: number): Buffer {
  const what = grants.map(({ policyId, type, semantic, serviceRoles, isPassing }) => [
    policyId,
    type,
    semantic,
    serviceRoles,
    isPassing,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([content, what]))
    .digest();
}

/** One value for all that a client can see of its services: it changes exactly when they do. */
export function digestOf(services: readonly ServiceView[]): Buffer {
  const hash = createHash('sha256');
  for (const service of services) {
    hash.update(
      JSON.stringify([
        service.id,
        service.name,
        service.encryptionRequired,
        service.terminatorStrategy,
        service.maxIdleTimeMillis,
        service.roleAttributes,
        service.configs,
        service.config,
        service.permissions,
        service.grants,
        service.tags,
      ]),
    );
  }
  return hash.digest();
}
