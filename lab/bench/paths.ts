/** The paths that reading cases ask for: one, or one for each of many entities. */
import { GROUPS } from './seed.js';
import { spread } from './world.js';
import type { Known, Named, World } from './world.js';

const VARIETY = 200;

export const one = (path: string) => () => [path];
export const query = (parameters: Readonly<Record<string, string | number>>): string =>
  `?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`;
export const filtered = (filter: string, more: Readonly<Record<string, string | number>> = {}): string =>
  query({ filter, ...more });

/** One path for each of many entities. */
export const each =
  <T extends Known = Named>(items: (world: World) => readonly T[], path: (item: T, world: World) => string) =>
  (world: World) =>
    spread(items(world), VARIETY).map((item) => path(item, world));
export const groups = (path: (group: number) => string) => () =>
  Array.from({ length: GROUPS }, (_, group) => path(group));

export const identities = (world: World) => world.identities;
export const services = (world: World) => world.services;
export const configs = (world: World) => world.configs;
export const policies = (world: World) => world.policies;
