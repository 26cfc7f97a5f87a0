// Measures links and circuits: the choice of paths, and many circuits on one controller. For people, never for a timed
// test. `--only paths` or `--only circuits` measures one of them; `--routers`, `--links` and `--circuits` are its size,
// and `--passing` says how many circuits pass the router that goes.
import { parseArgs } from 'node:util';
import type { Closers } from './bench/measure.js';
import { clearProgress } from './bench/progress.js';
import { figureHead, figureRow } from './bench/routers/figures.js';
import type { Figure } from './bench/routers/figures.js';
import { measureCircuits } from './links/circuits.js';
import { measurePathChoice } from './links/path-choice.js';

const SIZES = [
  { routers: 100, links: 500 },
  { routers: 1_000, links: 5_000 },
  { routers: 5_000, links: 25_000 },
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    routers: { type: 'string', default: '1000' },
    links: { type: 'string', default: '5000' },
    circuits: { type: 'string', default: '50000' },
    passing: { type: 'string', default: '5000' },
  },
});

function print(figures: readonly Figure[]): void {
  clearProgress();
  for (const figure of figures) process.stdout.write(`${figureRow(figure)}\n`);
}

process.stdout.write(`${figureHead()}\n`);
if (values.only !== 'circuits') for (const size of SIZES) print(measurePathChoice(size));
if (values.only !== 'paths') {
  const closers: Closers = [];
  const circuits = Number(values.circuits);
  const scale = {
    routers: Number(values.routers),
    links: Number(values.links),
    circuits,
    passing: Number(values.passing),
  };
  try {
    print(await measureCircuits(scale, closers));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
