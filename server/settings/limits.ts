/**
 * Settings that bound what callers can ask for, and how long anything may take. Part of the table in config.ts; what
 * lies beyond each is in docs/operations/limits.md.
 */
import { duration, integerBetween, setting } from './setting-kinds.js';

export const LIMIT_SETTINGS = {
  maxBodyBytes: setting(
    'limits.bodyBytes',
    'EDGE_LIMIT_BODY_BYTES',
    integerBetween(1024, 104_857_600),
    1_048_576,
    'Largest request body.',
  ),
  maxBodiesBytes: setting(
    'limits.bodiesBytes',
    'EDGE_LIMIT_BODIES_BYTES',
    integerBetween(1_048_576, 17_179_869_184),
    134_217_728,
    'Most bytes of all request bodies on their way together, without the first 64 KiB of each; more are answered 429.',
  ),
  maxHeaders: setting(
    'limits.headers',
    'EDGE_LIMIT_HEADERS',
    integerBetween(16, 2000),
    100,
    'Most header lines of a request.',
  ),
  maxHeaderBytes: setting(
    'limits.headerBytes',
    'EDGE_LIMIT_HEADER_BYTES',
    integerBetween(4096, 1_048_576),
    65_536,
    'Largest sum of header lines.',
  ),
  maxJsonDepth: setting(
    'limits.jsonDepth',
    'EDGE_LIMIT_JSON_DEPTH',
    integerBetween(8, 500),
    64,
    'Deepest nesting of a JSON body.',
  ),
  maxConnections: setting(
    'limits.connections',
    'EDGE_LIMIT_CONNECTIONS',
    integerBetween(1, 1_000_000),
    10_000,
    'Most open connections.',
  ),
  maxConnectionsPerAddress: setting(
    'limits.connectionsPerAddress',
    'EDGE_LIMIT_CONNECTIONS_PER_ADDRESS',
    integerBetween(1, 1_000_000),
    5_000,
    'Most open connections of one address; of IPv6, of one network of 64 bits.',
  ),
  controlConnections: setting(
    'limits.controlConnections',
    'EDGE_LIMIT_CONTROL_CONNECTIONS',
    integerBetween(1, 1_000_000),
    2_000,
    'Most open connections at `control.listen` that are not those of routers of the network, or not yet.',
  ),
  controlConnectionsPerAddress: setting(
    'limits.controlConnectionsPerAddress',
    'EDGE_LIMIT_CONTROL_CONNECTIONS_PER_ADDRESS',
    integerBetween(1, 1_000_000),
    500,
    'Those of one address; of IPv6, of one network of 64 bits.',
  ),
  headersTimeout: setting(
    'limits.headersTimeout',
    'EDGE_LIMIT_HEADERS_TIMEOUT',
    duration(1, 300),
    10,
    'How long a client may take to send its headers.',
  ),
  requestTimeout: setting(
    'limits.requestTimeout',
    'EDGE_LIMIT_REQUEST_TIMEOUT',
    duration(1, 3600),
    30,
    'How long a client may take to send a whole request.',
  ),
  handlerTimeout: setting(
    'limits.handlerTimeout',
    'EDGE_LIMIT_HANDLER_TIMEOUT',
    duration(0.1, 600),
    10,
    'How long a request may be worked on before it is answered 503.',
  ),
  listsPerIdentity: setting(
    'limits.listsPerIdentity',
    'EDGE_LIMIT_LISTS_PER_IDENTITY',
    integerBetween(1, 500),
    4,
    'Lists of one identity that are read at the same time; more wait their turn.',
  ),
  listQueue: setting(
    'limits.listQueue',
    'EDGE_LIMIT_LIST_QUEUE',
    integerBetween(0, 10_000),
    64,
    'Lists of one identity that may wait for that; more are answered 429.',
  ),
  keepAliveTimeout: setting(
    'limits.keepAliveTimeout',
    'EDGE_LIMIT_KEEP_ALIVE',
    duration(1, 3600),
    75,
    'How long an idle connection stays open.',
  ),
  stallTimeout: setting(
    'limits.stallTimeout',
    'EDGE_LIMIT_STALL',
    duration(1, 3600),
    60,
    'How long a client may read nothing of an answer that waits for it before its connection is cut.',
  ),
  readerPatience: setting(
    'limits.readerPatience',
    'EDGE_LIMIT_READER_PATIENCE',
    duration(1, 300),
    10,
    'How long the reader of a list without limit, which holds a connection of the database, may take for 64 KiB of ' +
      'it before it is cut.',
  ),
  eventStreams: setting(
    'limits.eventStreams',
    'EDGE_LIMIT_EVENT_STREAMS',
    integerBetween(0, 10_000),
    200,
    'Streams of events that are open at the same time; more are answered 429.',
  ),
  eventStreamsPerIdentity: setting(
    'limits.eventStreamsPerIdentity',
    'EDGE_LIMIT_EVENT_STREAMS_PER_IDENTITY',
    integerBetween(0, 10_000),
    10,
    'Those of one identity.',
  ),
  lameDuck: setting(
    'limits.lameDuck',
    'EDGE_LIMIT_LAME_DUCK',
    duration(0, 600),
    0,
    'How long a controller that is stopping still accepts connections, with /readyz at 503, so that a balancer ' +
      'stops sending them.',
  ),
  drainTimeout: setting(
    'limits.drainTimeout',
    'EDGE_LIMIT_DRAIN',
    duration(0, 600),
    15,
    'How long requests in flight may take at shutdown.',
  ),
  passwordConcurrency: setting(
    'limits.passwordConcurrency',
    'EDGE_LIMIT_PASSWORD_CONCURRENCY',
    integerBetween(1, 64),
    2,
    'Passwords hashed at the same time.',
  ),
  passwordQueue: setting(
    'limits.passwordQueue',
    'EDGE_LIMIT_PASSWORD_QUEUE',
    integerBetween(0, 10_000),
    64,
    'Logins that may wait for that; more are answered 429.',
  ),
  apiSessionsPerIdentity: setting(
    'limits.apiSessionsPerIdentity',
    'EDGE_LIMIT_API_SESSIONS_PER_IDENTITY',
    integerBetween(1, 1_000_000),
    1_000,
    'API sessions of one identity. Its next login ends the one that was used least recently; raise it where more ' +
      'devices share an identity.',
  ),
  ownChangesPerHour: setting(
    'limits.ownChangesPerHour',
    'EDGE_LIMIT_OWN_CHANGES',
    integerBetween(1, 1_000_000),
    120,
    'Changes that one identity may make in an hour to its own second factor and authenticators; more are answered 429.',
  ),
  certificatesPerHour: setting(
    'limits.certificatesPerHour',
    'EDGE_LIMIT_CERTIFICATES_PER_IDENTITY',
    integerBetween(1, 1_000_000),
    1_000,
    'Certificates that one identity may have issued in an hour, for its API sessions and in place of its own; more ' +
      'are answered 429.',
  ),
  exactTotal: setting(
    'limits.exactTotal',
    'EDGE_LIMIT_EXACT_TOTAL',
    integerBetween(100, 100_000_000),
    10_000,
    'Up to this, `totalCount` is exact in the audit, and for filters that match many of more than 100,000 entities. ' +
      'Larger ones cost each page more.',
  ),
  cachedSessions: setting(
    'limits.cachedSessions',
    'EDGE_LIMIT_CACHED_SESSIONS',
    integerBetween(10, 10_000_000),
    20_000,
    'API sessions kept in memory.',
  ),
  keptTextBytes: setting(
    'limits.keptTextBytes',
    'EDGE_LIMIT_KEPT_TEXT_BYTES',
    integerBetween(0, 4_294_967_296),
    16_777_216,
    'Most bytes of elements of lists that are kept as text, so that what has not changed is not written out again; ' +
      '0: none are.',
  ),
};
