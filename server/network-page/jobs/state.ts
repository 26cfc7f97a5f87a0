/** The job that is open, and what it was opened for. */
import { signal } from '@preact/signals';
import type { Named } from '../parts/pickers.js';

export type JobName = 'person' | 'service' | 'router' | 'access' | 'sessions' | 'unlock';

export interface OpenJob {
  readonly name: JobName;
  readonly identity?: Named | undefined;
  readonly service?: Named | undefined;
}

export const currentJob = signal<OpenJob | undefined>(undefined);

export function openJob(name: JobName, about: Omit<OpenJob, 'name'> = {}): void {
  currentJob.value = { name, ...about };
}

export function closeJob(): void {
  currentJob.value = undefined;
}
