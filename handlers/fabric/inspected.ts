/** Asks all processes that hold channels of routers, and hears those that answer in time. */
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../domain/errors.js';
import { inspectionMs } from '../../domain/fabric/inspection.js';
import type { InspectionAnswer } from '../../domain/fabric/inspection.js';
import type { HostAnswer, AskedHost } from '../../db/stores/inspections.js';
import type { StoreSet } from '../../db/stores/stores.js';
import type { Context } from '../context.js';

/** Beyond the time of routers, for the rows of the answers. */
const ROWS_MS = 900;
const LOOK_MS = 50;

/**
 * Asks routers and controllers whose ids a regular expression matches.
 * @throws DomainError `rateLimited` while as many inspections as may be are under way
 */
export async function inspected(
  pattern: string,
  requested: readonly string[],
  { stores, newId }: Pick<Context, 'stores' | 'newId'>,
): Promise<InspectionAnswer | 'badPattern'> {
  const id = newId();
  const waitMs = inspectionMs(requested) + ROWS_MS;
  const asked = await stores.inspections.open(id, { pattern, requested, forMs: waitMs });
  if (asked === 'full') throw new DomainError('rateLimited', { causeMessage: 'other inspections are under way' });
  if (asked === 'badPattern') return asked;
  try {
    const answers = await heard(id, asked, waitMs, stores);
    const silent = asked.filter(({ hostId }) => !answers.some((one) => one.hostId === hostId));
    const faults = silent.map(({ controllerId }) => `${controllerId}: no answer within ${waitMs} ms`);
    return {
      values: answers.flatMap((one) => one.values),
      errors: [...faults, ...answers.flatMap((one) => one.errors)],
    };
  } finally {
    await stores.inspections.close(id);
  }
}

/** The answers of all that were asked, or of those that came in time. */
async function heard(
  id: string,
  asked: readonly AskedHost[],
  waitMs: number,
  { inspections }: Pick<StoreSet, 'inspections'>,
): Promise<HostAnswer[]> {
  for (const until = performance.now() + waitMs; ; await pause(LOOK_MS)) {
    const answers = await inspections.answers(id);
    if (answers.length >= asked.length || performance.now() > until) return answers;
  }
}
