/** Access that one policy gives, whatever others do: its identities times its services. */
import { hasBit } from './bits.js';
import { FAILS_POSTURE, IS_DISABLED, Tally } from './outcomes.js';
import type { Visible } from './visible.js';
import type { AccessWorld, IdentityClass, ServiceClass } from './world.js';

/** Identities by what they bring. */
export interface DialingSide {
  readonly entities: number;
  readonly disabled: number;
  readonly failing: number;
  /** The others, by the number of their routers. */
  readonly byStart: ReadonlyMap<number, number>;
}

export interface ServingSide {
  readonly entities: number;
  readonly byEnd: ReadonlyMap<number, number>;
}

export function dialingSide(classes: readonly IdentityClass[], policy: number, visible: Visible): DialingSide {
  let [entities, disabled, failing] = [0, 0, 0];
  const byStart = new Map<number, number>();
  for (const { count, isDisabled, passing, start } of classes) {
    entities += count;
    if (visible.identity && isDisabled) disabled += count;
    else if (visible.posture && !hasBit(passing, policy)) failing += count;
    else byStart.set(start, (byStart.get(start) ?? 0) + count);
  }
  return { entities, disabled, failing, byStart };
}

export function servingSide(classes: readonly ServiceClass[]): ServingSide {
  const byEnd = new Map<number, number>();
  for (const { end, count } of classes) byEnd.set(end, (byEnd.get(end) ?? 0) + count);
  return { entities: classes.reduce((sum, { count }) => sum + count, 0), byEnd };
}

export function tallyOf({ routes }: AccessWorld, from: DialingSide, to: ServingSide, visible: Visible): Tally {
  const tally = new Tally();
  tally.add(IS_DISABLED, from.disabled * to.entities);
  tally.add(FAILS_POSTURE, from.failing * to.entities);
  for (const [start, dialing] of from.byStart)
    for (const [end, serving] of to.byEnd) tally.add(routes.between(start, end, visible), dialing * serving);
  return tally;
}
