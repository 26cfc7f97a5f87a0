/** The command line of the bench: what options mean together, and what is refused. */
import { expect } from 'chai';
import { parseOptions, usage, UsageError } from '../../lab/bench/options.js';

const parse = (line: string, env: NodeJS.ProcessEnv = {}) => parseOptions(line.split(' ').filter(Boolean), env);

describe('the options of the bench', () => {
  it('have defaults', () => {
    expect(parse('')).to.deep.include({
      identities: 1000,
      services: 100,
      seconds: 2,
      connections: [1, 16],
      only: [],
      sizes: [],
      base: undefined,
      routers: undefined,
      abuse: undefined,
    });
  });

  it('choose what is measured, with what belongs to it', () => {
    expect(parse('--abuse --readers 9000 --seconds 60').abuse).to.deep.equal({ readers: 2000, seconds: 20 });
    expect(parse('--abuse').abuse).to.deep.equal({ readers: 300, seconds: 8 });
    expect(parse('--routers 5 --in-use 7').routers).to.deep.equal({
      routers: 5,
      apiSessions: 100_000,
      sites: 100,
      sessions: 7,
      tunneled: 20,
      reference: undefined,
    });
    expect(parse('--posture --minutes 3')).to.deep.include({ posture: { endpoints: 100_000, rounds: 3 } });
    expect(parse('--growth').sizes).to.have.length(3);
    expect(parse('--sizes 20x20,40x30').sizes).to.deep.equal([
      { identities: 20, services: 20 },
      { identities: 40, services: 30 },
    ]);
    expect(parse('--growth')).to.deep.include({ isFilledBySql: false });
    expect(parse('--growth --filled')).to.deep.include({ isFilledBySql: true });
    expect(parse('--login-timing --pairs=12').loginPairs).to.equal(12);
    expect(parse('--beside ../old')).to.deep.include({ beside: { dir: '../old', rounds: 5, starts: 2 }, seconds: 0.5 });
    expect(parse('--beside x --rounds 9 --starts 1 --seconds 2')).to.deep.include({
      beside: { dir: 'x', rounds: 9, starts: 1 },
      seconds: 2,
    });
    expect(parse('--only a,b --connections 4')).to.deep.include({ only: ['a', 'b'], connections: [4] });
  });

  it('name controllers, with administrators from the environment', () => {
    const env = { EDGE_ADMIN_USERNAME: 'root', EDGE_ADMIN_PASSWORD: 'secret' };
    const { base, compare } = parse('--base https://a:1280/x --compare https://b:1280 --compare-username other', env);
    expect(base).to.deep.equal({ url: 'https://a:1280', username: 'root', password: 'secret' });
    expect(compare).to.deep.equal({ url: 'https://b:1280', username: 'other' });
  });

  const REFUSED: [line: string, message: string][] = [
    ['--nope', "unknown option '--nope'"],
    ['more', 'too many arguments. Expected 0 arguments but got 1.'],
    ['--identities 3', '--identities must be a whole number from 20, not 3'],
    ['--connections 1,x', '--connections must be a whole number from 1, not x'],
    ['--seconds 0', '--seconds must be a number from 0.1 to 3600, not 0'],
    ['--sizes 20', '--sizes must be pairs such as 1000x200, not 20'],
    ['--base http://a --password p', '--base must be a URL such as https://localhost:1280, not http://a'],
    ['--base https://a', '--base needs --password'],
    ['--filled', '--filled is for --growth and --sizes'],
    ['--posture --filled', '--filled is for --growth and --sizes'],
    ['--sizes 200x20 --filled', '--filled makes at least 100 identities and services'],
    [
      '--beside x --compare https://a',
      'revisions take turns on controllers of their own: without --base, --compare and --growth',
    ],
    ['--beside x --rounds 2', '--rounds must be a whole number from 3, not 2'],
    ['--growth --compare https://a', 'growth is measured on controllers of its own: without --base and --compare'],
    ['--abuse --growth', 'attacks are measured on a controller of their own: without --base, --growth and --sizes'],
    ['--routers 3 --growth', 'routers are measured on a controller of their own: without --base, --growth and --sizes'],
    ['--routers 3 --abuse', 'one thing is measured at a time, not --abuse and --routers'],
    ['--beside x --posture', 'one thing is measured at a time, not --beside and --posture'],
    [
      '--frames --shapes --login-timing',
      'one thing is measured at a time, not --frames and --login-timing and --shapes',
    ],
  ];
  for (const [line, message] of REFUSED)
    it(`refuse ${line}`, () => {
      expect(() => parse(line)).to.throw(UsageError, message);
    });

  it('are all in the help', () => {
    const text = usage();
    expect(text.split('\n').filter((line) => line.length > 120)).to.deep.equal([]);
    expect(parse('-h').isHelp).to.equal(true);
    for (const name of ['--identities', '--reference', '--compare-password', '--format']) expect(text).to.include(name);
  });
});
