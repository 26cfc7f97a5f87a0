/**
 * One policy over all identities and services, changed one call at a time: what a call takes, and the client's next
 * list after it.
 */
import { performance } from 'node:perf_hooks';
import { CLIENT, MANAGEMENT } from './world.js';
import type { World } from './world.js';

/** Milliseconds, the middle of several rounds; each change is followed by a list of the client's services. */
export interface PolicyProbe {
  readonly createMs: number;
  readonly listAfterCreateMs: number;
  readonly patchMs: number;
  readonly listAfterPatchMs: number;
  readonly deleteMs: number;
  readonly listAfterDeleteMs: number;
  /** The same list when nothing has changed. */
  readonly listMs: number;
}

const ROUNDS = 15;

export async function probePolicy({ admin, client }: World, rounds = ROUNDS): Promise<PolicyProbe> {
  const times: Record<keyof PolicyProbe, number[]> = {
    createMs: [],
    listAfterCreateMs: [],
    patchMs: [],
    listAfterPatchMs: [],
    deleteMs: [],
    listAfterDeleteMs: [],
    listMs: [],
  };
  const timed = async <T>(what: keyof PolicyProbe, act: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await act();
    times[what].push(performance.now() - start);
    return result;
  };
  const list = () => client.call('GET', `${CLIENT}/services?limit=500`);
  for (let round = 0; round < rounds; round += 1) {
    const name = `bench-new-whole-${Date.now().toString(36)}-${round}`;
    const id = await timed('createMs', () =>
      admin.create(`${MANAGEMENT}/service-policies`, {
        name,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#all'],
        serviceRoles: ['#all'],
      }),
    );
    await timed('listAfterCreateMs', list);
    await timed('patchMs', () => admin.call('PATCH', `${MANAGEMENT}/service-policies/${id}`, { type: 'Bind' }));
    await timed('listAfterPatchMs', list);
    await timed('deleteMs', () => admin.call('DELETE', `${MANAGEMENT}/service-policies/${id}`));
    await timed('listAfterDeleteMs', list);
    await timed('listMs', list);
  }
  const middle = (what: keyof PolicyProbe): number => times[what].sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? NaN;
  return {
    createMs: middle('createMs'),
    listAfterCreateMs: middle('listAfterCreateMs'),
    patchMs: middle('patchMs'),
    listAfterPatchMs: middle('listAfterPatchMs'),
    deleteMs: middle('deleteMs'),
    listAfterDeleteMs: middle('listAfterDeleteMs'),
    listMs: middle('listMs'),
  };
}

export function probeLine(probe: PolicyProbe): string {
  const ms = (value: number) => value.toFixed(1);
  return (
    `policy      #all to #all, ms of one call and of the client's next list of 500: create ${ms(probe.createMs)} + ` +
    `${ms(probe.listAfterCreateMs)}, ` +
    `patch ${ms(probe.patchMs)} + ${ms(probe.listAfterPatchMs)}, delete ${ms(probe.deleteMs)} + ` +
    `${ms(probe.listAfterDeleteMs)}; list unchanged ${ms(probe.listMs)}`
  );
}
