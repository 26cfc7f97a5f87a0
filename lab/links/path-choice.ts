/** Measures how long the choice of a path takes in a large network in which links change all the time: CPU time. */
import { PathGraph } from '../../domain/fabric/paths.js';
import type { PathLink } from '../../domain/fabric/paths.js';
import type { Figure } from '../bench/routers/figures.js';
import { Histogram } from '../bench/histogram.js';

export interface NetworkSize {
  readonly routers: number;
  readonly links: number;
}

const WARM_UP = 500;
const ROUNDS = 3_000;
const ONE_P99 = 'one path, p99';
const MOST_COST = 300;
/** Milliseconds that one path may take at this size. */
const BOUND = { routers: 1_000, ms: 1 };

/** The same numbers in each run. @returns from 0 to below `below` */
export function numbers(seed = 1): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const routerName = (index: number): string => `router-${String(index).padStart(5, '0')}`;

/** A ring, so that each router reaches all others, and links between any two beside it. */
export function randomLinks({ routers, links }: NetworkSize, random: (below: number) => number): PathLink[] {
  return Array.from({ length: links }, (_, index) => {
    const from = index % routers;
    const to = index < routers ? (from + 1) % routers : (from + 1 + random(routers - 1)) % routers;
    return {
      id: `link-${String(index).padStart(5, '0')}`,
      routers: [routerName(from), routerName(to)],
      cost: 1 + random(MOST_COST),
    };
  });
}

export function measurePathChoice(size: NetworkSize): Figure[] {
  const random = numbers();
  const graph = new PathGraph();
  for (let index = 0; index < size.routers; index += 1)
    graph.setRouter({ id: routerName(index), cost: 0, noTraversal: index % 20 === 19 });
  const links = randomLinks(size, random);
  for (const link of links) graph.setLink(link);
  const change = () => {
    const link = links[random(links.length)];
    if (link !== undefined) graph.setLink({ ...link, cost: 1 + random(MOST_COST) });
  };
  const one = timed(() => {
    change();
    graph.path(routerName(random(size.routers)), routerName(random(size.routers)));
  });
  const all = timed(() => {
    change();
    graph.pathsFrom(routerName(random(size.routers)));
  });
  const name = `${size.routers} routers, ${size.links} links`;
  const figure = (what: string, value: number): Figure => ({
    part: 'paths',
    name: `${what}, ${name}`,
    value,
    unit: 'ms',
    ...(what === ONE_P99 && size.routers === BOUND.routers
      ? { bound: { is: 'at most' as const, value: BOUND.ms } }
      : {}),
  });
  return [
    figure('one path, p50', one.quantileMs(0.5)),
    figure(ONE_P99, one.quantileMs(0.99)),
    figure('all of a router, p99', all.quantileMs(0.99)),
  ];
}

/** Counts what the processor worked, so that other programs on the machine do not show. */
function timed(round: () => void): Histogram {
  for (let index = 0; index < WARM_UP; index += 1) round();
  const histogram = new Histogram();
  for (let index = 0; index < ROUNDS; index += 1) {
    const before = process.cpuUsage();
    round();
    const { user, system } = process.cpuUsage(before);
    histogram.add(user + system);
  }
  return histogram;
}
