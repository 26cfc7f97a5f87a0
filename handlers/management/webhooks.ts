/** Webhooks: targets that events are sent to, and the events that could not be delivered. */
import { invalidField } from '../../domain/errors.js';
import { requireKinds } from '../../domain/events/kinds.js';
import { newSecret, parseSecret, secretText } from '../../domain/webhooks/webhook.js';
import type { DeadLetter, Webhook } from '../../domain/webhooks/webhook.js';
import type * as Request from '../../generated/management/request.js';
import type * as Response from '../../generated/management/response.js';
import type { Context } from '../context.js';
import { baseFields, given, givenTags, isoTime, isoTimeOrNull, linksOf, tagsFrom } from '../fields.js';
import { created, listOf, noData, ok } from '../handler.js';
import type { Handler } from '../handler.js';
import { requireMayReadEvents } from '../delegation/delegation.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';

const COLLECTION = 'webhooks';

/** GET /webhooks. */
export const listWebhooks: Handler<'management', 'listWebhooks'> = async ({ query }, { stores }) =>
  listOf(await stores.webhooks.list(query), toDetail);

/** POST /webhooks. Fails: `unauthenticated`, `duplicate` (name), `invalidField` (url, kinds, secret). */
export const createWebhook: Handler<'management', 'createWebhook'> = async ({ body, caller }, context) => {
  requireMayReadEvents(caller);
  const { stores, newId } = context;
  const settings = fromCreate(body, context);
  const secret = secretFrom(body.secret) ?? newSecret();
  const id = newId();
  await stores.events.close(); // what was committed before is not sent to it
  await stores.webhooks.create(id, { ...settings, sealedSecret: seal(id, secret, context) });
  const reply = created(COLLECTION, id);
  return { ...reply, data: { ...reply.data, secret: secretText(secret) } };
};

/** GET /webhooks/{id}. Fails: `notFound`. */
export const detailWebhook: Handler<'management', 'detailWebhook'> = async ({ params }, { stores }) =>
  ok(toDetail(await stores.webhooks.get(params.id)));

/** PUT /webhooks/{id}: the secret stays where none is given. Fails: as create, `notFound`. */
export const updateWebhook: Handler<'management', 'updateWebhook'> = async ({ params, body, caller }, context) => {
  requireMayReadEvents(caller);
  const settings = fromCreate(body, context);
  await context.stores.webhooks.update(params.id, { ...settings, ...sealed(params.id, body.secret, context) });
  return noData();
};

/** PATCH /webhooks/{id}: names, tags and an end of deliveries take no right to events. Fails: as PUT. */
export const patchWebhook: Handler<'management', 'patchWebhook'> = async ({ params, body, caller }, context) => {
  const [url, kinds, isEnabled] = [given(body.url), given(body.kinds), given(body.enabled)];
  const isOfName = url === undefined && kinds === undefined && isEnabled !== true && given(body.secret) === undefined;
  if (!isOfName) requireMayReadEvents(caller);
  if (url !== undefined) requireUrl(url, context);
  if (kinds !== undefined) requireKinds('kinds', kinds);
  await context.stores.webhooks.update(params.id, {
    name: given(body.name),
    url,
    kinds,
    isEnabled,
    tags: givenTags(body.tags),
    ...sealed(params.id, body.secret, context),
  });
  return noData();
};

/** DELETE /webhooks/{id}: with its dead letters. Fails: `notFound`. */
export const deleteWebhook: Handler<'management', 'deleteWebhook'> = async ({ params }, { stores }) => {
  await stores.webhooks.remove(params.id);
  return noData();
};

/** GET /webhooks/{id}/dead-letters. Fails: `notFound`. */
export const listWebhookDeadLetters: Handler<'management', 'listWebhookDeadLetters'> = async (
  { params, query },
  { stores },
) => listOf(await stores.webhooks.listDeadLetters(params.id, query), (letter) => toDeadLetter(letter, params.id));

/** POST /webhooks/{id}/redeliver. Fails: `notFound`. */
export const redeliverWebhook: Handler<'management', 'redeliverWebhook'> = async ({ params, body }, { stores }) =>
  ok({ count: await stores.transaction((tx) => tx.webhooks.redeliver(params.id, given(body.ids))) });

/** Reads a POST or a PUT. @throws DomainError `invalidField` */
function fromCreate({ name, url, ...body }: Request.WebhookCreate, context: Context) {
  const kinds = given(body.kinds) ?? [];
  requireUrl(url, context);
  requireKinds('kinds', kinds);
  return { name, url, kinds, isEnabled: given(body.enabled) ?? true, tags: tagsFrom(body.tags) };
}

/** @throws DomainError `invalidField` */
function requireUrl(url: string, { targetFault }: Context): void {
  const fault = targetFault(url);
  if (fault !== undefined)
    throw invalidField('url', fault, url.slice(0, 200), 'the URL of a webhook may not be reached');
}

function secretFrom(text: string | null | undefined): Buffer | undefined {
  return text === null || text === undefined ? undefined : parseSecret(text);
}

function sealed(id: string, text: string | null | undefined, context: Context) {
  const secret = secretFrom(text);
  return secret === undefined ? undefined : { sealedSecret: seal(id, secret, context) };
}

const seal = (id: string, secret: Buffer, { secrets }: Context): Buffer => secrets.seal(secret, webhookContext(id));

function toDetail(webhook: Webhook): Response.WebhookDetail {
  return {
    attempts: webhook.attempts,
    deadLetters: webhook.deadLetters,
    deliveredAt: isoTimeOrNull(webhook.deliveredAt),
    enabled: webhook.isEnabled,
    failingSince: isoTimeOrNull(webhook.failingSince),
    kinds: [...webhook.kinds],
    lastError: webhook.lastError,
    name: webhook.name,
    nextAttemptAt: isoTimeOrNull(webhook.nextAttemptAt),
    url: webhook.url,
    ...baseFields(webhook, linksOf(COLLECTION, webhook.id)),
  };
}

function toDeadLetter(letter: DeadLetter, webhookId: string): Response.WebhookDeadLetterDetail {
  return {
    attempts: letter.attempts,
    eventId: letter.eventId,
    firstFailedAt: isoTime(letter.firstFailedAt),
    isDue: letter.isDue,
    kind: letter.kind,
    lastError: letter.lastError,
    ...baseFields(letter, { webhook: { href: `./${COLLECTION}/${webhookId}` } }),
  };
}
