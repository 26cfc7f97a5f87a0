/** Settings of webhooks. Part of the table in config.ts; docs/operations/events.md says how to use them. */
import { duration, setting } from './setting-kinds.js';

export const WEBHOOKS = {
  webhookTimeout: setting(
    'webhooks.timeout',
    'EDGE_WEBHOOK_TIMEOUT',
    duration(0.1, 60),
    10,
    'How long the target of a webhook may take to answer.',
  ),
  webhookRetryFor: setting(
    'webhooks.retryFor',
    'EDGE_WEBHOOK_RETRY_FOR',
    duration(0.1, 604_800),
    86_400,
    'How long an event that a target does not take is sent again, before it is a dead letter.',
  ),
};
