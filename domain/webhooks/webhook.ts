/** Webhooks: targets that events are sent to, and how what they get is signed (Standard Webhooks). */
import { createHmac, randomBytes } from 'node:crypto';
import { invalidField } from '../errors.js';
import type { EventMessage } from '../events/event.js';
import type { BaseEntity } from '../model.js';

export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  /** Patterns; empty for all kinds. */
  readonly kinds: readonly string[];
  readonly isEnabled: boolean;
}

/** How far its deliveries are. */
export interface WebhookState {
  readonly deliveredAt: Date | null;
  /** Time since which the next event cannot be delivered, the number of attempts, and the time of the next one. */
  readonly failingSince: Date | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly lastError: string | null;
  readonly deadLetters: number;
}

export type Webhook = WebhookSettings & WebhookState & BaseEntity;

/** An event that could not be delivered in time. */
export interface DeadLetter extends BaseEntity {
  readonly eventId: string;
  readonly kind: string;
  readonly attempts: number;
  readonly firstFailedAt: Date;
  readonly lastError: string;
  /** It will be sent again. */
  readonly isDue: boolean;
}

const PREFIX = 'whsec_';
const [SMALLEST, LARGEST] = [24, 64];

/** The bytes that are signed with. */
export const newSecret = (): Buffer => randomBytes(32);

export const secretText = (secret: Buffer): string => PREFIX + secret.toString('base64');

/** @throws DomainError `invalidField`, which does not repeat it */
export function parseSecret(text: string): Buffer {
  const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
  const secret = Buffer.from(base64, 'base64');
  const isWhole = secret.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  if (!isWhole || secret.length < SMALLEST || secret.length > LARGEST) {
    const rule = `must be ${PREFIX} and the base64 of ${SMALLEST} to ${LARGEST} random bytes; left out, one is made`;
    throw invalidField('secret', rule, '(hidden)', 'the secret of a webhook has not its form');
  }
  return secret;
}

/** The headers of one attempt. @param at  in milliseconds */
export function signedHeaders(
  { id, body }: EventMessage,
  secret: Buffer,
  at: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;

/**
 * How long to wait after an attempt that failed: twice as long each time, up to an hour, less up to a fifth at random,
 * so that targets that failed together do not come back together.
 * @param attempts  so far
 */
export function pauseAfter(attempts: number, random = Math.random()): number {
  const full = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts - 1, 20), LONGEST_PAUSE_MS);
  return Math.round(full * (1 - random / 5));
}
