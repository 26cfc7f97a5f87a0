/**
 * Which targets this process delivers to: those that it leases. Each target is leased by one process of the network at
 * a time, who renews the lease while it lives; when it does not any more, another one goes on where it was.
 */
import { randomBytes } from 'node:crypto';
import type { EventPage, EventStore } from '../../db/stores/event-batches.js';
import type { Lease, WebhookStore } from '../../db/stores/webhooks.js';
import type { KeyRing } from '../../domain/pki/master-key.js';
import { CoalescedTask } from '../../domain/scheduling/coalesced-task.js';
import { webhookContext } from '../../domain/webhooks/secret-context.js';
import type { EventReader } from './event-reader.js';
import type { Logger } from '../base/log.js';
import { noteFailure } from '../base/outage-log.js';
import type { Outgoing } from '../sockets/outgoing.js';
import { WebhookTarget } from './webhook-target.js';

export interface WebhookOptions {
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly reader: EventReader;
  readonly outgoing: Outgoing;
  readonly secrets: Pick<KeyRing, 'open'>;
  readonly newId: () => string;
  readonly timeoutMs: number;
  readonly retryForMs: number;
  readonly log: Logger;
}

export interface Webhooks {
  /** Targets have changed, or there is something to send again. */
  changed(): void;
  close(): Promise<void>;
}

const LEASE_SECONDS = 8;
const LOOK_MS = 2_500;
/** Targets that are taken at a look: so those that were left behind are shared. */
const TAKEN_AT_ONCE = 20;

interface Known {
  last: number;
  timeline: string;
  readonly stop: () => void;
}

export function createWebhooks(options: WebhookOptions): Webhooks {
  const { events, webhooks, reader, secrets, log } = options;
  const holder = randomBytes(12).toString('hex');
  const targets = new Map<string, WebhookTarget>();
  let known: Known | undefined;

  const wakeAll = () => {
    for (const target of targets.values()) target.wake();
  };
  const listen = async (): Promise<Known> => {
    const listening = await reader.listen((start) => ({
      last: start.batch - 1,
      read({ end }: EventPage) {
        if (known !== undefined) known.last = end.seq === 0 ? end.batch - 1 : end.batch;
        wakeAll();
      },
      lost() {
        void closeTargets([...targets.keys()]);
        known?.stop();
        known = undefined;
      },
    }));
    const { timeline, last } = await events.range();
    return { timeline, last: Math.max(last, listening.listener.last), stop: listening.stop };
  };

  const closeTargets = async (ids: readonly string[]): Promise<void> => {
    const closing = ids.flatMap((id) => targets.get(id) ?? []);
    for (const id of ids) targets.delete(id);
    await Promise.all(closing.map((target) => target.close()));
  };

  const open = (lease: Lease, at: Known) => {
    let secret: Buffer;
    try {
      secret = secrets.open(lease.sealedSecret, webhookContext(lease.id));
    } catch (error) {
      log.error({ webhookId: lease.id, err: error }, 'the secret of a webhook does not open: set another one');
      return;
    }
    // After a failover the batches of before may be lost: then it goes on with what is there.
    const isAhead = lease.position.batch > at.last + 1;
    const position = isAhead ? { batch: at.last + 1, seq: 0 } : lease.position;
    targets.set(
      lease.id,
      new WebhookTarget(
        { ...lease, position },
        {
          ...options,
          holder,
          secret,
          known: () => known ?? at,
        },
      ),
    );
  };

  const turns = new CoalescedTask(async () => {
    try {
      const leases = await webhooks.lease(holder, LEASE_SECONDS, TAKEN_AT_ONCE);
      const leased = new Map(leases.map((lease) => [lease.id, lease]));
      const old = [...targets].filter(([id, target]) => {
        const lease = leased.get(id);
        return lease === undefined || lease.version !== target.lease.version || target.isClosed;
      });
      await closeTargets(old.map(([id]) => id));
      if (leases.length > 0) known ??= await listen();
      else {
        known?.stop();
        known = undefined;
      }
      let isChanged = false;
      for (const lease of leases) {
        const target = targets.get(lease.id);
        // What was closed just now has written down where it is: that is not in this lease.
        if (old.some(([id]) => id === lease.id)) isChanged = true;
        else if (target !== undefined) target.wake(lease.hasDue);
        else if (known !== undefined && !turns.isClosed) open(lease, known);
      }
      if (isChanged) turns.schedule();
    } catch (error) {
      noteFailure(log, error, 'webhooks could not be looked at; it is tried again');
    }
  });
  const timer = setInterval(() => {
    turns.schedule();
  }, LOOK_MS).unref();
  turns.schedule();

  return {
    changed() {
      turns.schedule();
    },
    async close() {
      clearInterval(timer);
      await turns.close();
      known?.stop();
      await closeTargets([...targets.keys()]);
      try {
        await webhooks.release(holder);
      } catch (error) {
        noteFailure(log, error, 'the leases of webhooks could not be given back');
      }
    },
  };
}
