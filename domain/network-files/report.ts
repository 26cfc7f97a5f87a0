/** A plan in words. */
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
