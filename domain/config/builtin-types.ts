/**
 * The config types that exist in every network, under the ids and names that tunnelers and routers ask for. They are
 * written into a new database and are then ordinary config types.
 */
import type { ConfigTarget, JsonObject } from '../model.js';
import { definitionsFor, hostProperties, hostRules, type DefinitionName } from './builtin-definitions.js';
import { linkDefinitions, linkProperties } from './link-definitions.js';

export interface BuiltinConfigType {
  readonly id: string;
  readonly name: string;
  readonly schema: JsonObject;
  readonly target: ConfigTarget;
}

interface Outline {
  readonly required?: string[];
  readonly properties: JsonObject;
  readonly rules?: JsonObject[];
  readonly uses: readonly DefinitionName[];
}

const ref = (name: DefinitionName): JsonObject => ({ $ref: `#/definitions/${name}` });

const openingOf = (name: string): JsonObject => ({
  $id: `http://ziti-edge.netfoundry.io/schemas/${name}.schema.json`,
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
});

function builtin(id: string, name: string, { required, properties, rules, uses }: Outline): BuiltinConfigType {
  return {
    id,
    name,
    target: 'service',
    schema: {
      ...openingOf(name),
      ...(required && { required }),
      properties,
      ...(rules && { allOf: rules }),
      definitions: definitionsFor(uses),
    },
  };
}

/** How a service is reached by those who host it. */
const hostV1 = builtin('NH5p4FpGR', 'host.v1', {
  properties: hostProperties,
  rules: hostRules,
  uses: [
    'port',
    'protocol',
    'address',
    'addresses',
    'portRanges',
    'protocols',
    'addressTranslation',
    'listenOptions',
    'portCheck',
    'httpCheck',
    'proxy',
  ],
});

/** The same for several terminators of one service. */
const hostV2 = builtin('host.v2', 'host.v2', {
  required: ['terminators'],
  properties: { terminators: { type: 'array', items: ref('terminator'), minItems: 1 } },
  uses: ['terminator'],
});

/** Config of the traffic that a client sends to the service. */
const interceptV1 = builtin('g7cIWbcGg', 'intercept.v1', {
  required: ['protocols', 'addresses', 'portRanges'],
  properties: {
    protocols: ref('protocols'),
    addresses: ref('addresses'),
    portRanges: ref('portRanges'),
    dialOptions: ref('dialOptions'),
    sourceIp: { type: 'string', description: 'The source address to ask the hosting side for; may hold variables.' },
    allowedSourceAddresses: { ...ref('addresses'), description: 'Only traffic from these addresses is intercepted.' },
  },
  uses: ['protocols', 'addresses', 'portRanges', 'dialOptions'],
});

/** The older form of intercept.v1: one host, one port. */
const tunnelerClientV1 = builtin('f2dd2df0-9c04-4b84-a91e-71437ac229f1', 'ziti-tunneler-client.v1', {
  required: ['hostname', 'port'],
  properties: { hostname: { type: 'string' }, port: ref('port') },
  uses: ['port'],
});

/** The older form of host.v1: one host, one port. */
const tunnelerServerV1 = builtin('cea49285-6c07-42cf-9f52-09a9b115c783', 'ziti-tunneler-server.v1', {
  required: ['hostname', 'port'],
  properties: {
    hostname: { type: 'string' },
    port: ref('port'),
    protocol: ref('protocol'),
    portChecks: { type: 'array', items: ref('portCheck') },
    httpChecks: { type: 'array', items: ref('httpCheck') },
  },
  uses: ['port', 'protocol', 'portCheck', 'httpCheck'],
});

/** A port of a router at which the service is offered to clients without an overlay. */
const proxyV1 = builtin('proxy.v1', 'proxy.v1', {
  required: ['port', 'protocols'],
  properties: {
    port: { type: 'number', minimum: 1, maximum: 65_535 },
    protocols: ref('protocols'),
    binding: { type: 'string' },
  },
  uses: ['protocols'],
});

/** Names of network interfaces. */
const interfacesV1 = builtin('interfaces.v1', 'interfaces.v1', {
  required: ['interfaces'],
  properties: { interfaces: { type: 'array', items: { type: 'string' } } },
  uses: [],
});

/** Hosting of Ethernet frames: the interfaces to bridge to. */
const l2HostV1 = builtin('l2.host.v1', 'l2.host.v1', {
  properties: { bridgeIfs: { type: 'array', items: { type: 'string' } }, listenOptions: ref('listenOptions') },
  uses: ['listenOptions'],
});

/** Interception of Ethernet frames, by EtherType in hex. */
const l2InterceptV1 = builtin('l2.intercept.v1', 'l2.intercept.v1', {
  required: ['ethTypes'],
  properties: {
    ethTypes: { type: 'array', items: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{4}$' } },
    dialOptions: ref('dialOptions'),
  },
  uses: ['dialOptions'],
});

/** Links of a router: where it listens for those of others, and how it dials. */
const routerLinkV1: BuiltinConfigType = {
  id: 'router.link.v1',
  name: 'router.link.v1',
  target: 'router',
  schema: {
    ...openingOf('router.link.v1'),
    properties: linkProperties,
    definitions: linkDefinitions,
  },
};

export const builtinConfigTypes: readonly BuiltinConfigType[] = [
  hostV1,
  hostV2,
  interceptV1,
  tunnelerClientV1,
  tunnelerServerV1,
  proxyV1,
  interfacesV1,
  l2HostV1,
  l2InterceptV1,
  routerLinkV1,
];
