/** The command line of the bench. */
import { parseArgs } from 'node:util';

export const USAGE =
  `Usage: npm run bench -- [options]

Measures a controller: requests a second and latencies, operation by operation, beside a bare node:https server.
Without --base it starts a controller of its own with an embedded PostgreSQL, and removes both afterwards.

  --identities N        identities to have (1000)
  --services M          services to have, each with a config (100)
  --growth              the same cases at three sizes, each with a controller of its own: ` +
  `1,000 identities and 200 services,
                        20,000 and 1,000, 100,000 and 2,000; shows what becomes slower with size
  --sizes NxM,NxM       the same at these sizes
  --abuse               a controller of its own under the worst that callers may send, attack by attack: memory, and
                        what others notice; --only picks attacks, --seconds is the time of each (8, at most 20)
  --routers N           a controller of its own beside so many routers: in step, at rest, beside the APIs, when a policy
                        goes, when it is killed; then circuits and dials. --only picks of rest, policy, kill,
                        circuits, dials; --seconds is the time of each case
  --api-sessions N      API sessions beside routers (100000), in --sites N sites (100): a router is told those of its
                        own; 1 tells everything to every router
  --in-use N            sessions that routers use when their policy is deleted (10000)
  --reference FILE      the field's program, to compare circuits and dials with its controller
  --posture             endpoints under posture that report once a minute to two controllers of their own: CPU of a
                        report, what it writes, tables before and after; then what posture costs the users of services,
                        at three sizes (--sizes). --endpoints N (100000), --minutes M of each kind of report (2),
                        --only reports or --only ratios
  --shapes              what one body of each shape costs the main thread, at 64 KiB and at 1 MiB
  --compression         a controller of its own: a list of 500 identities and both documents, as they are, by gzip and
                        by brotli: bytes, rate and CPU; --seconds is the time of each
  --frames              a controller of its own with a heap of 256 MiB, and the worst frames of routers, kind by kind:
                        the longest answer to others, the longest sign of life, CPU and memory
  --login-timing        a controller of its own: refused logins of existing and unknown users, pair by pair: in which
                        share of --pairs N (1000) the existing one took longer
  --readers N           connections that read nothing of documents (300, at most 2000)
  --seconds S           time for each case and number of connections (2)
  --connections 1,16    numbers of keep-alive TLS connections
  --only NAME,NAME      only cases of that name, or whose name contains it
  --list                show the names of the cases and exit
  --base URL            measure the controller there; entities named bench-* are made in it and stay
  --username U --password P
                        its administrator (or EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD)
  --compare URL         measure a second controller alongside and show the ratio
  --compare-username U --compare-password P
                        its administrator; without: the same as of the first
  --json FILE           write everything as JSON as well
  --format FILE         write the tables of such a file as Markdown to the output, and exit
  -h, --help            show this text and exit
`;

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
  /** Connections that read nothing, when attacks are to be measured. */
  readonly abuse: { readonly readers: number; readonly seconds: number } | undefined;
  readonly routers:
    | {
        readonly routers: number;
        readonly apiSessions: number;
        readonly sites: number;
        readonly sessions: number;
        readonly reference: string | undefined;
      }
    | undefined;
  readonly posture: { readonly endpoints: number; readonly rounds: number } | undefined;
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

const text = { type: 'string' } as const;

/** @throws UsageError */
export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv): BenchOptions {
  const { values } = parse(args);
  const username = values.username ?? env['EDGE_ADMIN_USERNAME'] ?? 'admin';
  const password = values.password ?? env['EDGE_ADMIN_PASSWORD'];
  if (values.base !== undefined && password === undefined) throw new UsageError('--base needs --password');
  const compareUsername = values['compare-username'];
  const comparePassword = values['compare-password'];
  const sizes =
    values.sizes === undefined
      ? values.growth === true || values.posture === true
        ? GROWTH_SIZES
        : []
      : list(values.sizes).map(size);
  if (sizes.length > 0 && (values.base !== undefined || values.compare !== undefined))
    throw new UsageError('growth is measured on controllers of its own: without --base and --compare');
  if (values.abuse === true && (values.base !== undefined || sizes.length > 0))
    throw new UsageError('attacks are measured on a controller of their own: without --base, --growth and --sizes');
  if (values.routers !== undefined && (values.base !== undefined || sizes.length > 0 || values.abuse === true))
    throw new UsageError('routers are measured on a controller of their own: without --base, --growth and --abuse');
  return {
    sizes,
    routers: values.routers === undefined ? undefined : routersOf(values.routers, values),
    abuse: values.abuse === true ? abuse(values) : undefined,
    posture:
      values.posture === true
        ? {
            endpoints: wholeNumber('--endpoints', values.endpoints ?? '100000', 60),
            rounds: wholeNumber('--minutes', values.minutes ?? '2', 1),
          }
        : undefined,
    isCompression: values.compression === true,
    isShapes: values.shapes === true,
    isFrames: values.frames === true,
    loginPairs: values['login-timing'] === true ? wholeNumber('--pairs', values.pairs ?? '1000', 10) : undefined,
    formatFile: values.format,
    identities: wholeNumber('--identities', values.identities ?? '1000', 20),
    services: wholeNumber('--services', values.services ?? '100', 20),
    seconds: seconds(values.seconds ?? '2'),
    connections: list(values.connections ?? '1,16').map((item) => wholeNumber('--connections', item, 1)),
    only: list(values.only ?? ''),
    isList: values.list === true,
    isHelp: values.help === true,
    base:
      values.base === undefined
        ? undefined
        : { url: httpsUrl('--base', values.base), username, password: password ?? '' },
    compare:
      values.compare === undefined
        ? undefined
        : {
            url: httpsUrl('--compare', values.compare),
            ...(compareUsername === undefined ? {} : { username: compareUsername }),
            ...(comparePassword === undefined ? {} : { password: comparePassword }),
          },
    jsonFile: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        identities: text,
        services: text,
        seconds: text,
        connections: text,
        only: text,
        base: text,
        username: text,
        password: text,
        compare: text,
        'compare-username': text,
        'compare-password': text,
        json: text,
        format: text,
        sizes: text,
        growth: { type: 'boolean' },
        abuse: { type: 'boolean' },
        posture: { type: 'boolean' },
        compression: { type: 'boolean' },
        frames: { type: 'boolean' },
        'login-timing': { type: 'boolean' },
        'shapes': { type: 'boolean' },
        pairs: text,
        endpoints: text,
        minutes: text,
        readers: text,
        routers: text,
        'api-sessions': text,
        sites: text,
        'in-use': text,
        reference: text,
        list: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const list = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

const GROWTH_SIZES: readonly Size[] = [
  { identities: 1000, services: 200 },
  { identities: 20_000, services: 1000 },
  { identities: 100_000, services: 2000 },
];

function size(value: string): Size {
  const [identities, services, ...more] = value.split('x');
  if (more.length > 0 || services === undefined)
    throw new UsageError(`--sizes must be pairs such as 1000x200, not ${value}`);
  return {
    identities: wholeNumber('identities in --sizes', identities ?? '', 20),
    services: wholeNumber('services in --sizes', services, 20),
  };
}

const MAX_READERS = 2_000;
const MAX_ATTACK_SECONDS = 20;

function abuse(values: { readonly readers?: string | undefined; readonly seconds?: string | undefined }) {
  return {
    readers: Math.min(MAX_READERS, wholeNumber('--readers', values.readers ?? '300', 1)),
    seconds: Math.min(MAX_ATTACK_SECONDS, seconds(values.seconds ?? '8')),
  };
}

function routersOf(
  routers: string,
  values: Readonly<Partial<Record<'api-sessions' | 'sites' | 'in-use' | 'reference', string>>>,
) {
  return {
    routers: wholeNumber('--routers', routers, 1),
    apiSessions: wholeNumber('--api-sessions', values['api-sessions'] ?? '100000', 1),
    sites: wholeNumber('--sites', values.sites ?? '100', 1),
    sessions: wholeNumber('--in-use', values['in-use'] ?? '10000', 1),
    reference: values.reference,
  };
}

function wholeNumber(name: string, value: string, least: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least)
    throw new UsageError(`${name} must be a whole number from ${least}, not ${value}`);
  return number;
}

function seconds(value: string): number {
  const number = Number(value);
  if (!(number >= 0.1 && number <= 3600))
    throw new UsageError(`--seconds must be a number from 0.1 to 3600, not ${value}`);
  return number;
}

function httpsUrl(name: string, value: string): string {
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return new URL(value).origin;
  throw new UsageError(`${name} must be a URL such as https://localhost:1280, not ${value}`);
}
