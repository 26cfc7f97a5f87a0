/**
 * The operator of a router speaks at its machine: it is to be emptied (1039), used again (1040) or deleted (1043). Each
 * is answered with a Result, and recorded as done by the router.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { KnownRouter } from '../../db/stores/router-sync-view.js';
import type { StoreSet, Stores } from '../../db/stores/stores.js';
import type { MessageHandler } from '../channel/channel.js';
import { refusalOf } from '../channel/edge-errors.js';
import { forReply } from '../channel/frame.js';
import { BUSY, result } from '../channel/results.js';
import type { FailureLog } from '../channel/router-log.js';
import type { ConnectedRouters } from '../presence/connected-routers.js';
import type { LimitsByRouter } from '../traffic/router-limits.js';

interface OperatorParts extends FailureLog {
  readonly stores: Pick<Stores, 'forRequest'>;
  readonly routers: Pick<ConnectedRouters, 'routerOf'>;
  readonly limits: Pick<LimitsByRouter, 'of'>;
}

/** Pause between two of them: all controllers hear of each. */
const PAUSE_MS = 200;

/** @param answer  answers before the transaction is committed */
type Act = (stores: StoreSet, router: KnownRouter, answer: () => Promise<void>) => Promise<void>;

const asked =
  (act: Act) =>
  (parts: OperatorParts): MessageHandler =>
  (frame, channel) => {
    const router = parts.routers.routerOf(channel);
    if (router === undefined) return;
    const request = forReply(frame);
    const { id, name } = router;
    let isAnswered = false;
    const answer = async () => {
      if (!isAnswered) channel.reply(request, result(true, 'success'));
      isAnswered = true;
      await channel.drained();
    };
    const work = async () => {
      const stores = parts.stores.forRequest({ actor: { kind: 'router', id, name } });
      await stores.transaction((tx) => act(tx, router, answer));
      await answer();
      await delay(PAUSE_MS, undefined, { ref: false });
    };
    parts.limits
      .of(channel)
      .operator.run(work)
      .catch((error: unknown) => {
        const refusal = refusalOf(error, 'what the operator of a router asked for could not be done', channel, parts);
        if (!isAnswered)
          channel.reply(request, result(false, refusal.message, refusal.kind === 'busy' ? BUSY : undefined));
      });
  };

export const quiesceRouter = asked((stores, { id }) => stores.quiescedRouters.quiesce(id));
export const dequiesceRouter = asked((stores, { id }) => stores.quiescedRouters.dequiesce(id));
/** Deletes the router. The commit ends its channel, so it is answered when nothing else is left to be done. */
export const decommissionRouter = asked(async (stores, { id, isEdge }, answer) => {
  await stores.routers.remove(id, isEdge);
  await answer();
});
