/** Suites and tests that not every machine can run: where one cannot, its title in the report says why. */
import type { AsyncFunc, Func, Suite } from 'mocha';
import { IS_ROOT, nobody } from './process.js';
import { RELEASES, findStockBinary, missing } from './stock-binary.js';
import type { Release } from './stock-binary.js';

/** Why this machine cannot run something; undefined where it can. */
type Hindrance = string | undefined;

export const NO_ROOT: Hindrance = IS_ROOT ? undefined : 'needs root';
export const NO_OTHER_USER: Hindrance =
  IS_ROOT && nobody() !== undefined ? undefined : 'only root can act as another user';

const titled = (title: string, hindrance: string) => `${title} (not run: ${hindrance})`;

export function describeUnless(hindrance: Hindrance, title: string, suite: (this: Suite) => void): void {
  if (hindrance === undefined) describe(title, suite);
  else describe.skip(titled(title, hindrance), suite); // its title says why
}

export function itUnless(hindrance: Hindrance, title: string, test: Func | AsyncFunc): void {
  if (hindrance === undefined) it(title, test as AsyncFunc);
  else it.skip(titled(title, hindrance), test as AsyncFunc); // its title says why
}

/** Hinders what takes minutes of processors and tests what others build on, more than what is built here. */
export const ONLY_ALL: Hindrance =
  process.env['EDGE_TEST_ALL'] === '1' ? undefined : '`npm run test:all` has time for it';

/** How much of something that may go on as long as one likes: enough to find what is plainly wrong, or more. */
export const amount = (usual: number, all: number): number => (ONLY_ALL === undefined ? all : usual);

/** Hinders what waits for minutes, most of all for routers that try again: `npm run interop` has time for it. */
export const ONLY_INTEROP: Hindrance =
  process.env['EDGE_INTEROP'] === 'all' || ONLY_ALL === undefined ? undefined : '`npm run interop` has time for it';

/**
 * A suite that drives the field's own program, which is no part of this project and comes from no registry: with each
 * release by `npm run interop`.
 */
export function describeStock(title: string, suite: (this: Suite, binary: string) => void): void {
  for (const release of RELEASES) describeRelease(release, `${title}, ${release} release`, suite, ONLY_INTEROP);
}

/** The same with the present release everywhere: for what shows most. */
export function describeStockCore(title: string, suite: (this: Suite, binary: string) => void): void {
  describeRelease('present', `${title}, present release`, suite);
  describeRelease('next', `${title}, next release`, suite, ONLY_INTEROP);
}

/** The same with one release. */
export function describeRelease(
  release: Release,
  title: string,
  suite: (this: Suite, binary: string) => void,
  hindrance?: Hindrance,
): void {
  const binary = findStockBinary(release);
  const lack = binary === undefined ? missing(release) : undefined;
  describeUnless(lack ?? hindrance, title, function stock() {
    this.timeout(300_000);
    suite.call(this, binary ?? '');
  });
}
