/** The command line of the bench. */
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run bench -- [options]

Measures a controller: requests a second and latencies, operation by operation, beside a bare node:https server.
Without --base it starts a controller of its own with an embedded PostgreSQL, and removes both afterwards.

  --identities N        identities to have (1000)
  --services M          services to have, each with a config (100)
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
  -h, --help            show this text and exit
`;

/** A fault in the command line. */
export class UsageError extends Error {}

export interface Login { readonly url: string; readonly username: string; readonly password: string }

export interface BenchOptions {
  readonly identities: number;
  readonly services: number;
  readonly seconds: number;
  readonly connections: readonly number[];
  readonly only: readonly string[];
  readonly isList: boolean;
  readonly isHelp: boolean;
  readonly base: Login | undefined;
  /** A login without name and password is that of the measured controller. */
  readonly compare: Pick<Login, 'url'> & Partial<Login> | undefined;
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
  return {
    identities: wholeNumber('--identities', values.identities ?? '1000', 20), services: wholeNumber('--services', values.services ?? '100', 20),
    seconds: seconds(values.seconds ?? '2'), connections: list(values.connections ?? '1,16').map((item) => wholeNumber('--connections', item, 1)),
    only: list(values.only ?? ''), isList: values.list === true, isHelp: values.help === true,
    base: values.base === undefined ? undefined : { url: httpsUrl('--base', values.base), username, password: password ?? '' },
    compare: values.compare === undefined ? undefined : {
      url: httpsUrl('--compare', values.compare), ...(compareUsername === undefined ? {} : { username: compareUsername }),
      ...(comparePassword === undefined ? {} : { password: comparePassword }),
    },
    jsonFile: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: {
      identities: text, services: text, seconds: text, connections: text, only: text, base: text, username: text, password: text, compare: text,
      'compare-username': text, 'compare-password': text, json: text, list: { type: 'boolean' }, help: { type: 'boolean', short: 'h' },
    } });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

const list = (value: string): string[] => value.split(',').map((item) => item.trim()).filter((item) => item !== '');

function wholeNumber(name: string, value: string, least: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least) throw new UsageError(`${name} must be a whole number from ${least}, not ${value}`);
  return number;
}

function seconds(value: string): number {
  const number = Number(value);
  if (!(number >= 0.1 && number <= 3600)) throw new UsageError(`--seconds must be a number from 0.1 to 3600, not ${value}`);
  return number;
}

function httpsUrl(name: string, value: string): string {
  if (URL.canParse(value) && new URL(value).protocol === 'https:') return new URL(value).origin;
  throw new UsageError(`${name} must be a URL such as https://localhost:1280, not ${value}`);
}
