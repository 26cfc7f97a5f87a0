/** Settings of the log. Part of the table in config.ts. */
import { duration, oneOf, orNone, plainHeader, setting } from './setting-kinds.js';

export const LOG = {
  logLevel: setting(
    'log.level',
    'EDGE_LOG_LEVEL',
    oneOf('debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'Least severe log line that is written.',
  ),
  logFormat: setting(
    'log.format',
    'EDGE_LOG_FORMAT',
    oneOf('auto', 'json', 'pretty'),
    'auto',
    'auto: readable on a terminal, JSON elsewhere.',
  ),
  logRequests: setting(
    'log.requests',
    'EDGE_LOG_REQUESTS',
    oneOf('all', 'changes', 'none'),
    'changes',
    'Which requests get a log line: all, those that change something, or none. Failures of ours always do.',
  ),
  slowRequest: setting(
    'log.slow',
    'EDGE_LOG_SLOW',
    duration(0, 600),
    1,
    'Requests that take longer get a line of their own, whatever they are, which tells where the time went; 0s: ' +
      'none do.',
  ),
  requestIdHeader: setting(
    'log.requestIdHeader',
    'EDGE_LOG_REQUEST_ID_HEADER',
    orNone(plainHeader),
    null,
    'Header in which a load balancer names each request, such as x-request-id: the name is used in logs and answers ' +
      'when it has 1 to 64 letters, digits, dots, hyphens and underscores. Unset: names are made here.',
  ),
};
