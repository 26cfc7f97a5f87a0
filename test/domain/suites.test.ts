/** What decides about a run of all suites: which files a word means, and what the last lines say. */
import { expect } from 'chai';

interface Failure {
  readonly title: string;
  readonly error: string;
}
interface Result {
  readonly passes: number;
  readonly pending: number;
  readonly failures: readonly Failure[];
  readonly first?: readonly Failure[];
  readonly seconds: number;
  readonly cpuSeconds?: number;
}
interface Scripts {
  readonly filesNamed: (names: readonly string[], word: string) => string[];
  readonly grouped: (names: readonly string[]) => Record<string, string[]>;
  readonly summary: (
    results: Readonly<Record<string, Result>>,
    faults: readonly Failure[],
    how?: { readonly isHalted: boolean },
  ) => { readonly lines: readonly string[]; readonly code: number };
}

const script = (name: string) => new URL(`../../../scripts/${name}.mjs`, import.meta.url).href;
const { filesNamed, grouped, summary } = {
  ...((await import(script('suite-files'))) as object),
  ...((await import(script('suite-summary'))) as object),
} as Scripts;

describe('a word of the command line means', () => {
  const names = ['api/kept-texts', 'api/services', 'db/access', 'domain/access/roles', 'domain/kept-texts'].map(
    (name) => `${name}.test.js`,
  );
  const built = (...found: readonly string[]) => found.map((name) => `dist/test/${name}.test.js`);

  for (const [what, word, found] of [
    ['a source', 'test/api/services.test.ts', ['api/services']],
    ['a source from here', './test/api/services.test.ts', ['api/services']],
    ['what it was compiled to', 'dist/test/api/services.test.js', ['api/services']],
    ['a path without its ending', 'api/services', ['api/services']],
    ['a bare name', 'services', ['api/services']],
    ['a bare name of two files', 'kept-texts.test.ts', ['api/kept-texts', 'domain/kept-texts']],
    ['a folder', 'test/domain/', ['domain/access/roles', 'domain/kept-texts']],
    ['no part of a name', 'service', []],
    ['no file that is elsewhere', 'api/access', []],
  ] as const)
    it(`${what}: ${word}`, () => {
      expect(filesNamed(names, word)).to.deep.equal(built(...found));
    });

  it('one file, where another one has the name of its folder', () => {
    expect(filesNamed(['api.test.js', 'api/services.test.js'], 'test/api.test.ts')).to.deep.equal(built('api'));
  });
});

describe('a run of all suites', () => {
  it('takes each file once', () => {
    const names = ['api/hostile-floods', 'api/services', 'lab/outage-drill', 'life/kill', 'life/upgrade', 'sdk/sdks'];
    const groups = grouped(names.map((name) => `${name}.test.js`));
    expect(groups).to.deep.equal({
      alone: ['dist/test/api/hostile-floods.test.js'],
      drills: ['dist/test/lab/outage-drill.test.js'],
      patient: ['dist/test/sdk/sdks.test.js'],
      once: ['dist/test/life/upgrade.test.js'],
      processes: ['dist/test/life/kill.test.js'],
      others: ['dist/test/api/services.test.js'],
    });
  });

  const passed: Result = { passes: 3, pending: 0, failures: [], seconds: 1, cpuSeconds: 1 };
  const failure = (title: string) => ({ title, error: `${title} went wrong` });
  const again: Result = { ...passed, first: [failure('a test')] };
  const last = (lines: readonly string[]) => lines.at(-1);

  it('passes when all files do', () => {
    const { lines, code } = summary({ a: passed, b: { ...passed, pending: 2 } }, []);
    expect(lines.slice(-2)).to.deep.equal(['2 not run: their titles say why', '6 passed, 0 failed']);
    expect(code).to.equal(0);
  });

  it('names the file that passed only when it was run again, in its last lines', () => {
    const { lines, code } = summary({ a: passed, b: again }, []);
    expect(lines.slice(-2)).to.deep.equal([
      'failed at first, and passed when run again: b\n  a test\n    a test went wrong',
      '6 passed, 0 failed',
    ]);
    expect(code).to.equal(0);
  });

  it('fails with two of them', () => {
    const { lines, code } = summary({ a: again, b: again, c: passed }, []);
    expect(lines.filter((line) => line.startsWith('failed at first'))).to.have.length(2);
    expect(lines.slice(-2)).to.deep.equal(['2 such files: each counts as failed', '9 passed, 2 failed']);
    expect(code).to.equal(1);
  });

  it('counts a file that failed twice by its tests alone', () => {
    const { lines, code } = summary({ a: { ...again, failures: [failure('a test')] }, b: passed }, []);
    expect([last(lines), code]).to.deep.equal(['6 passed, 1 failed', 1]);
    expect(lines.join('\n')).to.include('failed:\n  a test\n    a test went wrong').and.not.include('at first');
  });

  it('fails by a check, and when it was halted', () => {
    const checked = summary({ a: passed }, [failure('lint')]);
    expect([last(checked.lines), checked.code]).to.deep.equal(['3 passed, 1 failed', 1]);
    const halted = summary({ a: passed }, [], { isHalted: true });
    expect(halted.lines.slice(-2)).to.deep.equal(['halted: not all have run', '3 passed, 0 failed']);
    expect(halted.code).to.equal(1);
  });

  it('lists its slowest files first, with the time of processors where that is known', () => {
    const { lines } = summary({ a: passed, b: { ...passed, seconds: 20.4, cpuSeconds: 7.6 } }, []);
    expect(lines.slice(1, 3)).to.deep.equal(['    20     8  b', '     1     1  a']);
    const unknown: Result = { passes: 3, pending: 0, failures: [], seconds: 1 };
    expect(summary({ a: unknown }, []).lines[1]).to.equal('     1     -  a');
  });
});
