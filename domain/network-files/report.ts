/** A plan in words. */
import type { AccessChange, Counted } from './access-change.js';
import type { Plan, Step } from './plan.js';
import { displayed } from './values.js';

const MARKS = { create: '+', update: '~', delete: '-' } as const;

/** A line for each entity, and one for each of its changes. */
export function* reportOf({ steps, kept }: Plan): Generator<string> {
  for (const step of steps) {
    if (isSecondHalf(step)) continue;
    yield `${MARKS[step.action]} ${step.kind.title} ${displayed(step.name)}`;
    if (step.action !== 'update') continue;
    for (const { field, from, to } of step.changes) yield `    ${field}: ${displayed(from)} → ${displayed(to)}`;
  }
  for (const { kind, name, reason } of kept) yield `  kept: ${kind.title} ${displayed(name)} (${reason})`;
}

/** Its creation says it already. */
const isSecondHalf = (step: Step): boolean => step.action === 'update' && step.isSecondHalf;

const counted = new Intl.NumberFormat('en-US');

/** Names in a line. */
const NAMED = 5;

/** A line for each service and type that somebody gains or loses. */
export function* accessReportOf({ services, gained, lost, identities }: AccessChange): Generator<string> {
  const counts = `${counted.format(gained)} gained, ${counted.format(lost)} lost`;
  yield `access by policies: ${counts}, identities concerned: ${counted.format(identities)}`;
  const line = (mark: string, what: string, side: Counted, word: string) => {
    const names = side.identities.slice(0, NAMED).map((name) => displayed(name));
    const more = side.count > names.length ? ` and ${counted.format(side.count - names.length)} more` : '';
    const whom = side.count === 1 ? `1 identity ${word}s it` : `${counted.format(side.count)} identities ${word} it`;
    return `  ${mark} ${what}: ${whom}: ${names.join(', ')}${more}`;
  };
  for (const { service, type, gained: more, lost: less } of services) {
    const what = `${displayed(service)} (${type})`;
    if (less.count > 0) yield line('-', what, less, 'lose');
    if (more.count > 0) yield line('+', what, more, 'gain');
  }
}

/** The same for programs. */
export function jsonReportOf({ steps, kept, unchanged }: Plan, access: AccessChange | null, isDone: boolean): object {
  return {
    isDone,
    steps: steps
      .filter((step) => !isSecondHalf(step))
      .map((step) => ({
        action: step.action,
        kind: step.kind.name,
        name: step.name,
        ...(step.action === 'update' ? { changes: step.changes } : {}),
      })),
    kept: kept.map(({ kind, name, reason }) => ({ kind: kind.name, name, reason })),
    unchanged,
    ...(access === null ? {} : { access }),
  };
}

/** @param isDone  false of a dry run: nothing was changed */
export function summaryOf({ steps, unchanged }: Plan, isDone: boolean): string {
  const count = (action: Step['action']) =>
    counted.format(steps.filter((step) => step.action === action && !isSecondHalf(step)).length);
  const numbers = [
    `${count('create')} ${isDone ? 'created' : 'to create'}`,
    `${count('update')} ${isDone ? 'changed' : 'to change'}`,
    `${count('delete')} ${isDone ? 'deleted' : 'to delete'}`,
    `${counted.format(unchanged)} unchanged`,
  ];
  return `${numbers.join(', ')}${isDone ? '' : ' (dry run: nothing was changed)'}`;
}
