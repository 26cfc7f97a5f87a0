/** Webhooks, and the events that could not be delivered to them. */
import type { Page, Tags } from '../../domain/model.js';
import type { DeadLetter, Webhook, WebhookSettings } from '../../domain/webhooks/webhook.js';
import { noteAudit } from './audit-records.js';
import { TOUCHED } from '../query/change-statements.js';
import type { Db } from '../postgres/contracts.js';
import { rowsWhere } from '../query/scopes.js';
import { entity } from '../query/entity.js';
import { bytes, expression, flag, integer, text, textArray, time } from '../query/fields.js';
import type { Lists, ListRequest } from '../query/lists.js';
import type { Changes } from '../query/table.js';
import { change, slowRead } from '../postgres/statement.js';
import * as deliveries from './webhook-deliveries.js';
import type { WebhookDeliveries } from './webhook-deliveries.js';

export const webhook = entity<Webhook, { readonly sealedSecret: Buffer; readonly secretSetAt: Date }>(
  'webhooks',
  {
    name: text().unique(),
    url: text(),
    kinds: textArray(),
    isEnabled: flag().in('is_enabled').filteredAs('enabled'),
    deliveredAt: expression<Date | null>('w.delivered_at'),
    failingSince: expression<Date | null>('w.failing_since'),
    attempts: expression<number>('w.attempts'),
    nextAttemptAt: expression<Date | null>('w.next_attempt_at'),
    lastError: expression<string | null>('w.last_error'),
    deadLetters: expression<number>('(SELECT count(*)::int FROM webhook_dead_letters l WHERE l.webhook_id = t.id)'),
  },
  {
    name: 'webhook',
    collections: ['webhooks'],
    versionedBy: 'updatedAt',
    joins: 'LEFT JOIN webhook_progress w ON w.webhook_id = t.id',
    hidden: { sealedSecret: bytes(), secretSetAt: time() },
  },
);

export const deadLetter = entity<DeadLetter>(
  'webhook_dead_letters',
  {
    eventId: text(),
    kind: text(),
    attempts: integer(),
    firstFailedAt: time(),
    lastError: text().unfiltered(),
    isDue: flag(),
  },
  { name: 'webhookDeadLetter' },
);

export type WebhookDraft = WebhookSettings & { readonly tags: Tags; readonly sealedSecret: Buffer };

export interface SealedWebhook {
  readonly id: string;
  readonly sealed: Buffer;
}

export interface WebhookStore extends WebhookDeliveries {
  /** @throws DomainError `notFound` */
  get(id: string): Promise<Webhook>;
  list(request: ListRequest): Promise<Page<Webhook>>;
  /** @throws DomainError `duplicate` (name) */
  create(id: string, draft: WebhookDraft): Promise<void>;
  /** @throws DomainError as `create`, `notFound` */
  update(id: string, changes: Changes<WebhookDraft>): Promise<void>;
  /** Deletes the webhook with its dead letters. @throws DomainError `notFound` */
  remove(id: string): Promise<void>;
  /** @throws DomainError `notFound` for the webhook */
  listDeadLetters(id: string, request: ListRequest): Promise<Page<DeadLetter>>;
  /**
   * Has these sent again; all of them for undefined. Answers how many. Call it in a transaction, since it is recorded.
   * @throws DomainError `notFound`
   */
  redeliver(id: string, letterIds: readonly string[] | undefined): Promise<number>;
  /** All secrets. */
  sealed(): Promise<SealedWebhook[]>;
  reseal(webhook: SealedWebhook): Promise<void>;
}

const REDELIVER = change(
  'webhook-redeliver',
  ({ returningActor }) => `UPDATE webhook_dead_letters SET is_due = true, ${TOUCHED}
  WHERE webhook_id = $1 AND ($2::text[] IS NULL OR id = ANY ($2))${returningActor}`,
);

const WEBHOOKS_SEALED = slowRead<SealedWebhook>(
  'webhooks-sealed',
  'SELECT id, sealed_secret AS sealed FROM webhooks ORDER BY id',
);

const RESEAL = change(
  'webhook-reseal',
  ({ returningActor }) => `UPDATE webhooks SET sealed_secret = $2 WHERE id = $1${returningActor}`,
);

export function webhookStore(db: Db, lists: Lists): WebhookStore {
  const get = (id: string) => webhook.get(db, id);
  return {
    get,
    list: (request) => lists.page(db, webhook.source, request),
    create: (id, draft) => webhook.insert(db, id, { ...draft, secretSetAt: new Date() }),
    update: (id, changes) => webhook.update(db, id, withTime(changes)),
    remove: (id) => webhook.remove(db, id),
    async listDeadLetters(id, request) {
      await get(id);
      const ofWebhook = rowsWhere('webhook', (bind) => `t.webhook_id = ${bind(id)}`);
      return lists.page(db, deadLetter.source, request, ofWebhook);
    },
    async redeliver(id, letterIds) {
      const rowCount = await db.count(REDELIVER, [id, letterIds ?? null]);
      const { name } = await get(id);
      if (rowCount > 0)
        await noteAudit(db, {
          kind: 'webhook.redelivered',
          entityType: 'webhook',
          entityId: id,
          entityName: name,
          after: { count: rowCount },
        });
      return rowCount;
    },
    lease: (holder, seconds, more) => deliveries.leaseWebhooks(db, holder, seconds, more),
    release: (holder) => deliveries.releaseWebhooks(db, holder),
    save: (holder, id, progress) => deliveries.saveProgress(db, holder, id, progress),
    bury: (holder, id, letter, progress) => deliveries.buryLetter(db, holder, id, letter, progress),
    due: (id, limit) => deliveries.dueLetters(db, id, limit),
    dropLetter: (letterId) => deliveries.dropLetter(db, letterId),
    keepLetter: (letterId, error) => deliveries.keepLetter(db, letterId, error),
    async sealed() {
      return await db.many(WEBHOOKS_SEALED);
    },
    async reseal({ id, sealed }) {
      await db.execute(RESEAL, [id, sealed]);
    },
  };
}

/** A new secret comes with the time at which it was set. */
const withTime = (changes: Changes<WebhookDraft>) => ({
  ...changes,
  secretSetAt: changes.sealedSecret === undefined ? undefined : new Date(),
});
