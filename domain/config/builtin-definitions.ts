/**
 * The parts that the built-in config types share. Every name here is a `definitions` entry of the types that use it.
 */
import type { JsonObject } from '../model.js';

const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const closed = (required: string[], properties: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
/** Schema of a list of any length except 0, without duplicates. */
const setOf = (items: JsonObject): JsonObject => ({ type: 'array', items, minItems: 1, uniqueItems: true });
const uint16: JsonObject = { type: 'integer', minimum: 0, maximum: 65_535 };
const seconds: JsonObject = { type: 'integer', minimum: 0, maximum: 2_147_483_647 };

const checkProperties: JsonObject = {
  interval: ref('duration'),
  timeout: ref('duration'),
  actions: { type: 'array', items: ref('action'), minItems: 0, maxItems: 20 },
};

function addressTranslation(format: string, bits: number): JsonObject {
  return closed(['from', 'to', 'prefixLength'], {
    from: { type: 'string', format },
    to: { type: 'string', format },
    prefixLength: { type: 'integer', minimum: 0, maximum: bits },
  });
}

/** `forward: true` needs the list of what may be forwarded to; otherwise the one fixed value is needed. */
function forwardOrFixed(forward: string, allowed: string, fixed: string): JsonObject {
  return {
    if: { properties: { [forward]: { const: true } }, required: [forward] },
    then: { required: [allowed] },
    else: { required: [fixed] },
  };
}

/** A type next to its one value: forms that are made of schemas show text for what has none. */
const flag = (description: string): JsonObject => ({ type: 'boolean', enum: [true], description });

/** Properties of how a terminator forwards a connection: host.v1 itself, and each entry of host.v2. */
export const hostProperties: JsonObject = {
  address: { ...ref('address'), description: 'Where connections go.' },
  port: ref('port'),
  protocol: ref('protocol'),
  forwardAddress: flag('Connections go to the address that the client dialed.'),
  forwardPort: flag('Connections go to the port that the client dialed.'),
  forwardProtocol: flag('Connections use the protocol that the client dialed with.'),
  allowedAddresses: ref('addresses'),
  allowedPortRanges: ref('portRanges'),
  allowedProtocols: ref('protocols'),
  allowedSourceAddresses: {
    ...ref('addresses'),
    description: 'Source addresses that a client may ask connections to come from.',
  },
  forwardAddressTranslations: { type: 'array', items: ref('addressTranslation') },
  listenOptions: ref('listenOptions'),
  portChecks: { type: 'array', items: ref('portCheck') },
  httpChecks: { type: 'array', items: ref('httpCheck') },
  proxy: ref('proxy'),
};
export const hostRules: JsonObject[] = [
  forwardOrFixed('forwardAddress', 'allowedAddresses', 'address'),
  forwardOrFixed('forwardPort', 'allowedPortRanges', 'port'),
  forwardOrFixed('forwardProtocol', 'allowedProtocols', 'protocol'),
];

const definitions = {
  port: uint16,
  portRange: closed(['low', 'high'], { low: ref('port'), high: ref('port') }),
  portRanges: setOf(ref('portRange')),
  protocol: { type: 'string', enum: ['tcp', 'udp'] },
  protocols: setOf(ref('protocol')),
  address: {
    type: 'string',
    format: 'idn-hostname',
    not: { pattern: '^$' },
    description: 'A host name, an IP address, a CIDR range, or *.domain.',
  },
  addresses: setOf(ref('address')),
  duration: { type: 'string', pattern: '[0-9]+(h|m|s|ms)', description: 'A number with a unit, such as 30s.' },
  action: closed(['trigger', 'action'], {
    trigger: { type: 'string', enum: ['fail', 'pass', 'change'] },
    action: { type: 'string', pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)' },
    consecutiveEvents: uint16,
    duration: ref('duration'),
  }),
  portCheck: closed(['interval', 'timeout', 'address'], { ...checkProperties, address: { type: 'string' } }),
  httpCheck: closed(['interval', 'timeout', 'url'], {
    ...checkProperties,
    url: { type: 'string' },
    method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH'] },
    body: { type: 'string' },
    expectStatus: { type: 'integer', minimum: 100, maximum: 599 },
    expectInBody: { type: 'string' },
  }),
  listenOptions: closed([], {
    bindUsingEdgeIdentity: { type: 'boolean', description: 'Terminators carry the name of the hosting identity.' },
    connectTimeout: ref('duration'),
    connectTimeoutSeconds: seconds,
    cost: { ...uint16, description: 'Added to the cost of routes through this terminator.' },
    identity: { type: 'string', description: 'Terminators carry this name, by which clients may dial them.' },
    maxConnections: { type: 'integer', minimum: 1 },
    precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
  }),
  dialOptions: closed([], {
    connectTimeoutSeconds: seconds,
    identity: { type: 'string', description: 'The named terminator to dial.' },
  }),
  proxy: closed(['type', 'address'], {
    type: { type: 'string', enum: ['http'] },
    address: { type: 'string', description: 'host:port of the proxy.' },
  }),
  addressTranslation: { oneOf: [addressTranslation('ipv4', 32), addressTranslation('ipv6', 128)] },
  terminator: { ...closed([], hostProperties), allOf: hostRules },
} satisfies JsonObject;

export type DefinitionName = keyof typeof definitions;

/** The named definitions and everything that they refer to, in alphabetical order. */
export function definitionsFor(names: readonly DefinitionName[]): JsonObject {
  const needed = new Set<string>(names);
  for (const name of needed) {
    const text = JSON.stringify(definitions[name as DefinitionName]);
    for (const [, next] of text.matchAll(/#\/definitions\/(\w+)/g)) needed.add(next as string);
  }
  return Object.fromEntries([...needed].sort().map((name) => [name, definitions[name as DefinitionName]]));
}
