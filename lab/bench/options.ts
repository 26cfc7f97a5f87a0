/** The command line of the bench. */
import { Command, CommanderError } from 'commander';

/** A fault in the command line. */
export class UsageError extends Error {}

export interface Login {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** How much there is to be. */
export interface Size {
  readonly identities: number;
  readonly services: number;
}

export interface BenchOptions extends Size {
  /** Empty unless growth is measured. */
  readonly sizes: readonly Size[];
  /** Whether these are filled by SQL, before their controllers start. */
  readonly isFilledBySql: boolean;
  /** Connections that read nothing, when attacks are to be measured. */
  readonly abuse: { readonly readers: number; readonly seconds: number } | undefined;
  readonly routers:
    | {
        readonly routers: number;
        readonly apiSessions: number;
        readonly tunneled: number;
        readonly sites: number;
        readonly sessions: number;
        readonly reference: string | undefined;
      }
    | undefined;
  /** The folder of a revision that takes turns with this one. */
  readonly beside: { readonly dir: string; readonly rounds: number; readonly starts: number } | undefined;
  readonly posture: { readonly endpoints: number; readonly rounds: number } | undefined;
  /** Whether the picture of who reaches what is measured. */
  readonly isAccess: boolean;
  /** Whether compressed answers are measured. */
  readonly isCompression: boolean;
  /** Whether bodies of each shape are. */
  readonly isShapes: boolean;
  /** Whether the worst frames of routers are measured. */
  readonly isFrames: boolean;
  /** Pairs of refused logins of each kind, when these are measured. */
  readonly loginPairs: number | undefined;
  readonly formatFile: string | undefined;
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly only: readonly string[];
  readonly isList: boolean;
  readonly isHelp: boolean;
  readonly base: Login | undefined;
  /** A login without name and password is that of the measured controller. */
  readonly compare: (Pick<Login, 'url'> & Partial<Login>) | undefined;
  readonly jsonFile: string | undefined;
}

interface Values {
  readonly identities: number;
  readonly services: number;
  readonly growth?: true;
  readonly sizes?: readonly Size[];
  readonly filled?: true;
  readonly abuse?: true;
  readonly routers?: number;
  readonly apiSessions: number;
  readonly tunneled: number;
  readonly sites: number;
  readonly inUse: number;
  readonly reference?: string;
  readonly posture?: true;
  readonly endpoints: number;
  readonly minutes: number;
  readonly access?: true;
  readonly shapes?: true;
  readonly compression?: true;
  readonly frames?: true;
  readonly loginTiming?: true;
  readonly pairs: number;
  readonly readers: number;
  readonly seconds?: number;
  readonly connections?: readonly number[];
  readonly only?: readonly string[];
  readonly list?: true;
  readonly base?: string;
  readonly username?: string;
  readonly password?: string;
  readonly beside?: string;
  readonly rounds: number;
  readonly starts: number;
  readonly compare?: string;
  readonly compareUsername?: string;
  readonly comparePassword?: string;
  readonly json?: string;
  readonly format?: string;
  readonly help?: true;
}

/** What is measured in place of one operation after the other: one of these at a time. */
const SUBJECTS = {
  abuse: '--abuse',
  access: '--access',
  beside: '--beside',
  compression: '--compression',
  frames: '--frames',
  loginTiming: '--login-timing',
  posture: '--posture',
  routers: '--routers',
  shapes: '--shapes',
} as const satisfies Partial<Record<keyof Values, string>>;
const SIZES = '1000x200,20000x1000,100000x2000';
const MOST_READERS = 2_000;
const MOST_ATTACK_SECONDS = 20;
/** Below this the groups of a network that is filled by SQL have no members. */
const LEAST_FILLED = 100;

const whole = (name: string, least: number) => (value: string) => wholeNumber(name, value, least);

/** The size of the network, and what may be measured in it instead of one operation after the other. */
const addSubjects = (command: Command): Command =>
  command
    .option('--identities <N>', 'identities to have', whole('--identities', 20), 1000)
    .option('--services <M>', 'services to have, each with a config', whole('--services', 20), 100)
    .option('--growth', `the same cases at sizes ${SIZES}, each with a controller of its own: what becomes slower`)
    .option('--sizes <NxM,NxM>', 'the same at these sizes', sizesOf)
    .option('--filled', 'their networks are filled by SQL: 1,000,000 identities in minutes')
    .option(
      '--abuse',
      'a controller of its own under the worst that callers may send, attack by attack: memory, and what others ' +
        'notice; --only picks attacks, --seconds is the time of each (8, at most 20)',
    )
    .option(
      '--access',
      'a controller of its own: the picture of who reaches what, its lists and the overview, each read anew, without ' +
        'and with posture; --identities and --services say of what size',
    )
    .option('--shapes', 'what one body of each shape costs the main thread, at 64 KiB and at 1 MiB')
    .option(
      '--compression',
      'a controller of its own: a list of 500 identities and both documents, as they are, by gzip and by brotli: ' +
        'bytes, rate and CPU; --seconds is the time of each',
    )
    .option(
      '--frames',
      'a controller of its own with a heap of 256 MiB, and the worst frames of routers, kind by kind: the longest ' +
        'answer to others, the longest sign of life, CPU and memory',
    )
    .option(
      '--login-timing',
      'a controller of its own: refused logins of existing and unknown users, pair by pair: in which share of ' +
        '--pairs the existing one took longer',
    )
    .option('--pairs <N>', 'pairs of refused logins', whole('--pairs', 10), 1000)
    .option(
      '--readers <N>',
      `connections that read nothing of documents, at most ${MOST_READERS}`,
      whole('--readers', 1),
      300,
    );

/** Routers and endpoints under posture. */
const addDevices = (command: Command): Command =>
  command
    .option(
      '--routers <N>',
      'a controller of its own beside so many routers: in step, at rest, beside the APIs, when a policy goes, when ' +
        'it is killed; then circuits and dials, changes beside tunnelers, and clients with access tokens. --only ' +
        'picks of rest, policy, kill, circuits, dials, tunnelers, bearers; --seconds is the time of each case',
      whole('--routers', 1),
    )
    .option(
      '--api-sessions <N>',
      'API sessions beside routers, in --sites sites: a router is told those of its own',
      whole('--api-sessions', 1),
      100_000,
    )
    .option('--sites <N>', 'sites of the routers; 1 tells everything to every router', whole('--sites', 1), 100)
    .option('--in-use <N>', 'sessions that routers use when their policy is deleted', whole('--in-use', 1), 10_000)
    .option('--tunneled <N>', 'services of each router with a tunneler', whole('--tunneled', 1), 20)
    .option('--reference <FILE>', "the field's program, to compare circuits and dials with its controller")
    .option(
      '--posture',
      'endpoints under posture that report once a minute to two controllers of their own: CPU of a report, what it ' +
        'writes, tables before and after; then what posture costs the users of services, at three sizes (--sizes); ' +
        '--only reports or --only ratios',
    )
    .option('--endpoints <N>', 'endpoints under posture', whole('--endpoints', 60), 100_000)
    .option('--minutes <M>', 'time of each kind of report', whole('--minutes', 1), 2);

/** How it is measured, by which controllers, and where the figures go. */
const addMeans = (command: Command): Command =>
  command
    .option('--seconds <S>', 'time for each case and number of connections (2)', secondsOf)
    .option('--connections <1,16>', 'numbers of keep-alive TLS connections (1,16)', connectionsOf)
    .option('--only <NAME,NAME>', 'only cases of that name, or whose name contains it', listOf)
    .option('--list', 'show the names of the cases and exit')
    .option('--base <URL>', 'measure the controller there; entities named bench-* are made in it and stay')
    .option('--username <U>', 'its administrator (or EDGE_ADMIN_USERNAME)')
    .option('--password <P>', 'and the password (or EDGE_ADMIN_PASSWORD)')
    .option('--compare <URL>', 'measure a second controller alongside and show the ratio')
    .option('--compare-username <U>', 'its administrator; without: the same as of the first')
    .option('--compare-password <P>', 'and the password')
    .option(
      '--beside <DIR>',
      'this revision and the one that is built in DIR, each with a controller of its own, in slices of --seconds ' +
        '(0.5) that take turns: which case has become faster or slower',
    )
    .option('--rounds <N>', 'slices of each revision, case and start', whole('--rounds', 3), 5)
    .option('--starts <N>', 'how often both are started: processes differ by a tenth', whole('--starts', 1), 2)
    .option('--json <FILE>', 'write everything as JSON as well')
    .option('--format <FILE>', 'write the tables of such a file as Markdown to the output, and exit')
    .option('-h, --help', 'show this text and exit');

const command = (): Command =>
  addMeans(addDevices(addSubjects(new Command('npm run bench --'))))
    .description(
      'Measures a controller: requests a second and latencies, operation by operation, beside a bare node:https ' +
        'server. Without --base it starts a controller of its own with an embedded PostgreSQL, and removes both ' +
        'afterwards.',
    )
    .helpOption(false)
    .exitOverride()
    .configureOutput({ getOutHelpWidth: () => 120, writeErr: () => undefined });

export const usage = (): string => command().helpInformation();

/** @throws UsageError */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): BenchOptions {
  const values = valuesOf(args);
  const username = values.username ?? env['EDGE_ADMIN_USERNAME'] ?? 'admin';
  const password = values.password ?? env['EDGE_ADMIN_PASSWORD'];
  const sizes = values.sizes ?? (values.growth === true || values.posture === true ? sizesOf(SIZES) : []);
  requireAgreement(values, sizes, password);
  const { beside, rounds, starts, routers, apiSessions, sites, inUse, tunneled, reference } = values;
  return {
    sizes,
    isFilledBySql: values.filled === true,
    routers: routers === undefined ? undefined : { routers, apiSessions, sites, sessions: inUse, tunneled, reference },
    abuse:
      values.abuse === true
        ? {
            readers: Math.min(MOST_READERS, values.readers),
            seconds: Math.min(MOST_ATTACK_SECONDS, values.seconds ?? 8),
          }
        : undefined,
    beside: beside === undefined ? undefined : { dir: beside, rounds, starts },
    posture: values.posture === true ? { endpoints: values.endpoints, rounds: values.minutes } : undefined,
    isAccess: values.access === true,
    isCompression: values.compression === true,
    isShapes: values.shapes === true,
    isFrames: values.frames === true,
    loginPairs: values.loginTiming === true ? values.pairs : undefined,
    formatFile: values.format,
    identities: values.identities,
    services: values.services,
    seconds: values.seconds ?? (beside === undefined ? 2 : 0.5),
    connections: values.connections ?? [1, 16],
    only: values.only ?? [],
    isList: values.list === true,
    isHelp: values.help === true,
    base:
      values.base === undefined
        ? undefined
        : { url: httpsUrl('--base', values.base), username, password: password ?? '' },
    compare: compareOf(values),
    jsonFile: values.json,
  };
}

function valuesOf(args: readonly string[]): Values {
  try {
    return command()
      .parse([...args], { from: 'user' })
      .opts<Values>();
  } catch (error) {
    if (error instanceof CommanderError) throw new UsageError(error.message.replace(/^error: /, ''));
    throw error;
  }
}

/** @throws UsageError when options do not go together */
function requireAgreement(values: Values, sizes: readonly Size[], password: string | undefined): void {
  const hasBase = values.base !== undefined;
  const hasSizes = sizes.length > 0;
  const subjects = Object.entries(SUBJECTS).filter(([name]) => values[name as keyof typeof SUBJECTS] !== undefined);
  if (subjects.length > 1)
    throw new UsageError(`one thing is measured at a time, not ${subjects.map(([, option]) => option).join(' and ')}`);
  if (hasBase && password === undefined) throw new UsageError('--base needs --password');
  if (hasSizes && (hasBase || values.compare !== undefined))
    throw new UsageError('growth is measured on controllers of its own: without --base and --compare');
  if (values.filled === true && (!hasSizes || values.posture === true))
    throw new UsageError('--filled is for --growth and --sizes');
  if (values.filled === true && sizes.some((size) => Math.min(size.identities, size.services) < LEAST_FILLED))
    throw new UsageError(`--filled makes at least ${LEAST_FILLED} identities and services`);
  if (values.abuse === true && (hasBase || hasSizes))
    throw new UsageError('attacks are measured on a controller of their own: without --base, --growth and --sizes');
  if (values.beside !== undefined && (hasBase || hasSizes || values.compare !== undefined))
    throw new UsageError('revisions take turns on controllers of their own: without --base, --compare and --growth');
  if (values.routers !== undefined && (hasBase || hasSizes))
    throw new UsageError('routers are measured on a controller of their own: without --base, --growth and --sizes');
}

function compareOf({ compare, compareUsername, comparePassword }: Values): BenchOptions['compare'] {
  if (compare === undefined) return undefined;
  return {
    url: httpsUrl('--compare', compare),
    ...(compareUsername === undefined ? {} : { username: compareUsername }),
    ...(comparePassword === undefined ? {} : { password: comparePassword }),
  };
}

function listOf(value: string): string[] {
  return value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function connectionsOf(value: string): number[] {
  return listOf(value).map((item) => wholeNumber('--connections', item, 1));
}

function sizesOf(value: string): Size[] {
  return listOf(value).map((pair) => {
    const [identities, services, ...more] = pair.split('x');
    if (more.length > 0 || services === undefined)
      throw new UsageError(`--sizes must be pairs such as 1000x200, not ${pair}`);
    return {
      identities: wholeNumber('identities in --sizes', identities ?? '', 20),
      services: wholeNumber('services in --sizes', services, 20),
    };
  });
}

function wholeNumber(name: string, value: string, least: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least)
    throw new UsageError(`${name} must be a whole number from ${least}, not ${value}`);
  return number;
}

function secondsOf(value: string): number {
  const number = Number(value);
  if (!(number >= 0.1 && number <= 3600))
    throw new UsageError(`--seconds must be a number from 0.1 to 3600, not ${value}`);
  return number;
}

function httpsUrl(name: string, value: string): string {
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return new URL(value).origin;
  throw new UsageError(`${name} must be a URL such as https://localhost:1280, not ${value}`);
}
