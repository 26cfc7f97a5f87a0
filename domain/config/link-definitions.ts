/** The parts of the built-in config type router.link.v1. */
import type { JsonObject } from '../model.js';

const ref = (name: string): JsonObject => ({ $ref: `#/definitions/${name}` });
const closed = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  ...(required.length > 0 && { required }),
  properties,
});
const between = (minimum: number, maximum: number): JsonObject => ({ type: 'integer', minimum, maximum });
const atLeast = (minimum: number): JsonObject => ({ type: 'integer', minimum });

/** Members of listeners and of dialers. */
const ofBoth: JsonObject = {
  binding: { type: 'string', minLength: 1, default: 'transport', description: 'What carries the links.' },
  bindInterface: { type: 'string', description: 'Name of the network interface.' },
  groups: ref('groups'),
  options: ref('options'),
};

export const linkProperties: JsonObject = {
  listeners: { type: 'array', items: ref('listener'), description: 'Where other routers reach this one.' },
  dialers: { type: 'array', items: ref('dialer'), description: 'How this router reaches others.' },
  heartbeats: ref('heartbeats'),
  payloadSenderQueueSize: atLeast(1),
  ackSenderQueueSize: atLeast(1),
  gcMode: {
    type: 'string',
    enum: ['preserve', 'orphaned', 'changed'],
    default: 'preserve',
    description:
      'Which links end when the config changes: none; those whose listener or dialer is gone; also those whose ' +
      'listener or dialer has changed.',
  },
};

export const linkDefinitions: JsonObject = {
  duration: {
    type: 'string',
    pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|\u00b5s|ms|s|m|h))+$',
    description: 'Numbers with units, such as 10s or 1m30s.',
  },
  groups: {
    oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    description: 'Links are made between listeners and dialers of one group.',
  },
  options: closed({
    outQueueSize: atLeast(0),
    maxQueuedConnects: between(0, 5_000),
    maxOutstandingConnects: between(1, 1_000),
    connectTimeout: ref('duration'),
    writeTimeout: ref('duration'),
  }),
  backoff: closed({
    retryBackoffFactor: { type: 'number', minimum: 1, maximum: 100 },
    minRetryInterval: ref('duration'),
    maxRetryInterval: ref('duration'),
  }),
  listener: closed(
    {
      ...ofBoth,
      bind: { type: 'string', minLength: 1, description: 'The address to listen at, such as tls:0.0.0.0:6262.' },
      advertise: { type: 'string', description: 'The address that other routers dial.' },
    },
    ['bind'],
  ),
  dialer: closed({
    ...ofBoth,
    startupDelay: ref('duration'),
    maxDefaultConnections: between(1, 100),
    maxAckConnections: between(0, 100),
    healthyDialBackoff: ref('backoff'),
    unhealthyDialBackoff: ref('backoff'),
  }),
  heartbeats: closed({
    sendInterval: ref('duration'),
    checkInterval: ref('duration'),
    closeUnresponsiveTimeout: ref('duration'),
  }),
};
