/** The schemas of the built-in config types: what they take and refuse. */
import { expect } from 'chai';
import { builtinConfigTypes } from '../../domain/config/builtin-types.js';
import { ConfigSchemaCache } from '../../domain/config/schema-cache.js';
import { compileConfigSchema } from '../../domain/config/schema.js';
import { DomainError } from '../../domain/errors.js';

function typeNamed(name: string) {
  const type = builtinConfigTypes.find((candidate) => candidate.name === name);
  return type ?? expect.fail(`there is no type ${name}`);
}

const schemas = new ConfigSchemaCache();

/** undefined, or `field: text`. */
function faultOf(name: string, data: unknown): string | undefined {
  try {
    schemas.get({ ...typeNamed(name), updatedAt: new Date(0) }).validate(data);
    return undefined;
  } catch (error) {
    if (!(error instanceof DomainError) || !error.field) throw error;
    return error.field.reason.replace(/^.*? is invalid: /, '');
  }
}

const host = { address: 'localhost', port: 80, protocol: 'tcp' };
const intercept = {
  protocols: ['tcp'],
  addresses: ['*.example.org', '10.0.0.0/8'],
  portRanges: [{ low: 80, high: 90 }],
};
const portCheck = { interval: '5s', timeout: '100ms', address: 'localhost:80' };
const httpCheck = { interval: '5s', timeout: '1m', url: 'http://localhost/' };
const withAction = (action: object) => ({ ...host, portChecks: [{ ...portCheck, actions: [action] }] });

const accepted: [string, object][] = [
  ['router.link.v1', {}],
  [
    'router.link.v1',
    {
      listeners: [
        { bind: 'tls:0.0.0.0:6262', advertise: 'tls:r:6262', groups: ['a', 'b'], options: { outQueueSize: 0 } },
      ],
      dialers: [
        {
          binding: 'transport',
          groups: 'a',
          startupDelay: '1m30s',
          maxDefaultConnections: 3,
          maxAckConnections: 0,
          healthyDialBackoff: { retryBackoffFactor: 1.5, minRetryInterval: '0.5s', maxRetryInterval: '5m' },
        },
      ],
      heartbeats: { sendInterval: '10s', checkInterval: '1s', closeUnresponsiveTimeout: '1m' },
      payloadSenderQueueSize: 1,
      ackSenderQueueSize: 1,
      gcMode: 'orphaned',
    },
  ],
  ['host.v1', host],
  ['host.v1', { forwardAddress: true, allowedAddresses: ['10.0.0.0/8'], port: 80, protocol: 'udp' }],
  ['host.v1', { forwardPort: true, allowedPortRanges: [{ low: 1, high: 2 }], address: 'a', protocol: 'tcp' }],
  ['host.v1', { forwardProtocol: true, allowedProtocols: ['tcp', 'udp'], address: 'a', port: 0 }],
  [
    'host.v1',
    {
      ...host,
      listenOptions: {
        bindUsingEdgeIdentity: true,
        connectTimeout: '5s',
        connectTimeoutSeconds: 5,
        cost: 65_535,
        identity: 'x',
        maxConnections: 1,
        precedence: 'failed',
      },
    },
  ],
  [
    'host.v1',
    {
      ...host,
      portChecks: [
        {
          ...portCheck,
          actions: [{ trigger: 'fail', action: 'mark unhealthy', consecutiveEvents: 3, duration: '1h' }],
        },
      ],
    },
  ],
  [
    'host.v1',
    { ...host, httpChecks: [{ ...httpCheck, method: 'PUT', body: 'x', expectStatus: 599, expectInBody: 'y' }] },
  ],
  ['host.v1', { ...host, proxy: { type: 'http', address: 'proxy:3128' }, allowedSourceAddresses: ['10.0.0.1'] }],
  [
    'host.v1',
    {
      ...host,
      forwardAddressTranslations: [
        { from: '10.0.0.0', to: '10.1.0.0', prefixLength: 16 },
        { from: 'fd00::', to: 'fd01::', prefixLength: 128 },
      ],
    },
  ],
  ['host.v2', { terminators: [host, { ...host, forwardPort: true, allowedPortRanges: [{ low: 1, high: 2 }] }] }],
  ['intercept.v1', intercept],
  [
    'intercept.v1',
    {
      ...intercept,
      dialOptions: { connectTimeoutSeconds: 5, identity: '$dst_hostname' },
      sourceIp: '$tunneler_id.name',
      allowedSourceAddresses: ['10.0.0.1'],
    },
  ],
  ['ziti-tunneler-client.v1', { hostname: 'a', port: 65_535 }],
  [
    'ziti-tunneler-server.v1',
    { hostname: 'a', port: 0, protocol: 'udp', portChecks: [portCheck], httpChecks: [httpCheck] },
  ],
  ['proxy.v1', { port: 1, protocols: ['tcp'], binding: 'proxy' }],
  ['interfaces.v1', { interfaces: ['eth0'] }],
  ['l2.host.v1', { bridgeIfs: ['eth0'], listenOptions: { cost: 1 } }],
  ['l2.host.v1', {}],
  ['l2.intercept.v1', { ethTypes: ['0x0800', '0X86dd'], dialOptions: {} }],
];

const refused: [string, object, string][] = [
  ['router.link.v1', { listeners: [{}] }, 'listeners.0: bind is required'],
  [
    'router.link.v1',
    { listeners: [{ bind: 'tls:0.0.0.0:1', x: 1 }] },
    'listeners.0: Additional property x is not allowed',
  ],
  ['router.link.v1', { ackSenderQueueSize: 0 }, 'ackSenderQueueSize: Must be greater than or equal to 1'],
  [
    'router.link.v1',
    { dialers: [{ maxDefaultConnections: 101 }] },
    'dialers.0.maxDefaultConnections: Must be less than or equal to 100',
  ],
  [
    'router.link.v1',
    { gcMode: 'all' },
    'gcMode: gcMode must be one of the following: "preserve", "orphaned", "changed"',
  ],
  [
    'router.link.v1',
    { heartbeats: { sendInterval: '10' } },
    "heartbeats.sendInterval: Does not match pattern '^([0-9]+(\\.[0-9]+)?(ns|us|\u00b5s|ms|s|m|h))+$'",
  ],
  ['host.v1', { port: 80, protocol: 'tcp' }, '(root): Must validate "else" as "if" was not valid'],
  ['host.v1', { address: 'a', protocol: 'tcp' }, '(root): Must validate "else" as "if" was not valid'],
  ['host.v1', { address: 'a', port: 80 }, '(root): Must validate "else" as "if" was not valid'],
  ['host.v1', { ...host, forwardAddress: true }, '(root): Must validate "then" as "if" was valid'],
  ['host.v1', { ...host, forwardPort: true }, '(root): Must validate "then" as "if" was valid'],
  ['host.v1', { ...host, forwardProtocol: true }, '(root): Must validate "then" as "if" was valid'],
  ['host.v1', { ...host, forwardPort: false }, 'forwardPort: forwardPort must be one of the following: true'],
  ['host.v1', { ...host, zz: 1 }, '(root): Additional property zz is not allowed'],
  ['host.v1', { ...host, port: 65_536 }, 'port: Must be less than or equal to 65535'],
  ['host.v1', { ...host, port: -1 }, 'port: Must be greater than or equal to 0'],
  ['host.v1', { ...host, port: '80' }, 'port: Invalid type. Expected: integer, given: string'],
  ['host.v1', { ...host, protocol: 'sctp' }, 'protocol: protocol must be one of the following: "tcp", "udp"'],
  ['host.v1', { ...host, address: '' }, 'address: Must not validate the schema (not)'],
  ['host.v1', { ...host, allowedProtocols: [] }, 'allowedProtocols: Array must have at least 1 items'],
  ['host.v1', { ...host, allowedAddresses: ['a', 'a'] }, 'allowedAddresses: array items[0,1] must be unique'],
  [
    'host.v1',
    { ...host, listenOptions: { maxConnections: 0 } },
    'listenOptions.maxConnections: Must be greater than or equal to 1',
  ],
  ['host.v1', { ...host, listenOptions: { cost: 65_536 } }, 'listenOptions.cost: Must be less than or equal to 65535'],
  [
    'host.v1',
    { ...host, listenOptions: { connectTimeout: 'soon' } },
    "listenOptions.connectTimeout: Does not match pattern '[0-9]+(h|m|s|ms)'",
  ],
  ['host.v1', { ...host, listenOptions: { zz: 1 } }, 'listenOptions: Additional property zz is not allowed'],
  [
    'host.v1',
    { ...host, proxy: { type: 'socks', address: 'a' } },
    'proxy.type: proxy.type must be one of the following: "http"',
  ],
  ['host.v1', { ...host, proxy: { type: 'http' } }, 'proxy: address is required'],
  ['host.v1', { ...host, portChecks: [{ interval: '5s', timeout: '1s' }] }, 'portChecks.0: address is required'],
  [
    'host.v1',
    { ...host, portChecks: [{ ...portCheck, url: 'x' }] },
    'portChecks.0: Additional property url is not allowed',
  ],
  [
    'host.v1',
    { ...host, httpChecks: [{ ...httpCheck, method: 'DELETE' }] },
    'httpChecks.0.method: httpChecks.0.method must be one of the following: "GET", "POST", "PUT", "PATCH"',
  ],
  [
    'host.v1',
    { ...host, httpChecks: [{ ...httpCheck, expectStatus: 99 }] },
    'httpChecks.0.expectStatus: Must be greater than or equal to 100',
  ],
  [
    'host.v1',
    withAction({ trigger: 'never', action: 'send event' }),
    'portChecks.0.actions.0.trigger: portChecks.0.actions.0.trigger must be one of the following: "fail", "pass", ' +
      '"change"',
  ],
  [
    'host.v1',
    withAction({ trigger: 'fail', action: 'explode' }),
    "portChecks.0.actions.0.action: Does not match pattern '(mark (un)?healthy|increase cost [0-9]+|decrease cost " +
      "[0-9]+|send event)'",
  ],
  ['host.v1', withAction({ trigger: 'fail' }), 'portChecks.0.actions.0: action is required'],
  [
    'host.v1',
    {
      ...host,
      portChecks: [
        { ...portCheck, actions: Array.from({ length: 21 }, () => ({ trigger: 'fail', action: 'send event' })) },
      ],
    },
    'portChecks.0.actions: Array must have at most 20 items',
  ],
  [
    'host.v1',
    { ...host, forwardAddressTranslations: [{ from: '10.0.0.0', to: 'fd00::', prefixLength: 16 }] },
    'forwardAddressTranslations.0: Must validate one and only one schema (oneOf)',
  ],
  [
    'host.v1',
    { ...host, forwardAddressTranslations: [{ from: '10.0.0.0', to: '10.1.0.0', prefixLength: 33 }] },
    'forwardAddressTranslations.0: Must validate one and only one schema (oneOf)',
  ],
  ['host.v2', {}, '(root): terminators is required'],
  ['host.v2', { terminators: [] }, 'terminators: Array must have at least 1 items'],
  ['host.v2', { terminators: [host, { port: 1 }] }, 'terminators.1: Must validate "else" as "if" was not valid'],
  ['host.v2', { terminators: [{ ...host, zz: 1 }] }, 'terminators.0: Additional property zz is not allowed'],
  ['intercept.v1', {}, '(root): protocols is required'],
  ['intercept.v1', { ...intercept, addresses: [] }, 'addresses: Array must have at least 1 items'],
  ['intercept.v1', { ...intercept, addresses: [''] }, 'addresses.0: Must not validate the schema (not)'],
  ['intercept.v1', { ...intercept, protocols: ['tcp', 'tcp'] }, 'protocols: array items[0,1] must be unique'],
  ['intercept.v1', { ...intercept, portRanges: [{ low: 1 }] }, 'portRanges.0: high is required'],
  ['intercept.v1', { ...intercept, zz: 1 }, '(root): Additional property zz is not allowed'],
  ['ziti-tunneler-client.v1', { hostname: 'a' }, '(root): port is required'],
  [
    'ziti-tunneler-client.v1',
    { hostname: 'a', port: 1, protocol: 'tcp' },
    '(root): Additional property protocol is not allowed',
  ],
  ['ziti-tunneler-server.v1', { port: 1 }, '(root): hostname is required'],
  ['proxy.v1', { port: 0, protocols: ['tcp'] }, 'port: Must be greater than or equal to 1'],
  ['proxy.v1', { port: 1 }, '(root): protocols is required'],
  ['interfaces.v1', {}, '(root): interfaces is required'],
  ['l2.host.v1', { ethTypes: [] }, '(root): Additional property ethTypes is not allowed'],
  ['l2.intercept.v1', {}, '(root): ethTypes is required'],
  ['l2.intercept.v1', { ethTypes: ['0x800'] }, "ethTypes.0: Does not match pattern '^0[xX][0-9a-fA-F]{4}$'"],
];

describe('built-in config types', () => {
  it('are these ten, under the ids that clients know', () => {
    expect(Object.fromEntries(builtinConfigTypes.map(({ id, name }) => [name, id]))).to.deep.equal({
      'host.v1': 'NH5p4FpGR',
      'host.v2': 'host.v2',
      'intercept.v1': 'g7cIWbcGg',
      'interfaces.v1': 'interfaces.v1',
      'l2.host.v1': 'l2.host.v1',
      'l2.intercept.v1': 'l2.intercept.v1',
      'proxy.v1': 'proxy.v1',
      'router.link.v1': 'router.link.v1',
      'ziti-tunneler-client.v1': 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
      'ziti-tunneler-server.v1': 'cea49285-6c07-42cf-9f52-09a9b115c783',
    });
  });

  for (const { name, schema } of builtinConfigTypes) {
    it(`${name} has a schema that compiles, is closed, and is named after it`, () => {
      expect(() => compileConfigSchema(schema)).not.to.throw();
      expect(schema).to.include({
        type: 'object',
        additionalProperties: false,
        $id: `http://ziti-edge.netfoundry.io/schemas/${name}.schema.json`,
      });
    });
  }

  it('give what is only true or absent a type, by which consoles make their forms', () => {
    const { schema } = typeNamed('host.v1');
    const { definitions } = typeNamed('host.v2').schema as unknown as {
      definitions: { terminator: { properties: Record<string, object> } };
    };
    const { properties } = schema as unknown as { properties: Record<string, object> };
    for (const of of [properties, definitions.terminator.properties])
      for (const name of ['forwardAddress', 'forwardPort', 'forwardProtocol'])
        expect(of[name], name).to.deep.include({ type: 'boolean', enum: [true] });
  });

  for (const [name, data] of accepted)
    it(`${name} accepts ${JSON.stringify(data).slice(0, 80)}`, () => expect(faultOf(name, data)).to.equal(undefined));
  for (const [name, data, expected] of refused)
    it(`${name} refuses ${JSON.stringify(data).slice(0, 80)}`, () => expect(faultOf(name, data)).to.equal(expected));
});
