/** Publishes a service: its configs, itself, who hosts it and who may use it. Of a failure nothing is left. */
import { call } from '../api/client.js';
import { filterText } from '../parts/words.js';

export interface Publication {
  readonly name: string;
  /** Host name or address that clients use. */
  readonly address: string;
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
  /** Address that the host sends connections to. */
  readonly targetAddress: string;
  readonly targetPort: number;
  /** Roles of identities, `#attribute`, `@id` or `#all`. */
  readonly hosts: readonly string[];
  readonly users: readonly string[];
}

async function configTypeId(name: string): Promise<string> {
  const [type] = await call('listConfigTypes', { query: { filter: `name = ${filterText(name)}` } });
  if (type === undefined) throw new Error(`This network has no config type ${name}.`);
  return type.id;
}

/** Names of what is made, for the reader to see before it is. */
export function madeNames({ name, hosts, users }: Publication): readonly string[] {
  return [
    `Config ${name}-intercept`,
    `Config ${name}-host`,
    `Service ${name}`,
    ...(hosts.length === 0 ? [] : [`Service policy ${name}-hosts`]),
    ...(users.length === 0 ? [] : [`Service policy ${name}-users`]),
  ];
}

/** @returns the id of the service */
export async function publish(publication: Publication): Promise<string> {
  const { name, address, port, protocol, targetAddress, targetPort } = publication;
  const undo: (() => Promise<unknown>)[] = [];
  const config = async (ending: string, type: string, data: Record<string, unknown>) => {
    const body = { name: `${name}-${ending}`, configTypeId: await configTypeId(type), data };
    const { id = '' } = await call('createConfig', { body });
    undo.unshift(() => call('deleteConfig', { params: { id } }));
    return id;
  };
  try {
    const intercept = { protocols: [protocol], addresses: [address], portRanges: [{ low: port, high: port }] };
    const configs = [
      await config('intercept', 'intercept.v1', intercept),
      await config('host', 'host.v1', { protocol, address: targetAddress, port: targetPort }),
    ];
    const { id = '' } = await call('createService', { body: { name, encryptionRequired: true, configs } });
    undo.unshift(() => call('deleteService', { params: { id } }));
    for (const [ending, type, roles] of [
      ['hosts', 'Bind', publication.hosts],
      ['users', 'Dial', publication.users],
    ] as const) {
      if (roles.length === 0) continue;
      const body = {
        name: `${name}-${ending}`,
        type,
        semantic: 'AnyOf' as const,
        serviceRoles: [`@${id}`],
        identityRoles: [...roles],
      };
      const { id: policyId = '' } = await call('createServicePolicy', { body });
      undo.unshift(() => call('deleteServicePolicy', { params: { id: policyId } }));
    }
    return id;
  } catch (error) {
    for (const step of undo) await step().catch(() => undefined);
    throw error;
  }
}
