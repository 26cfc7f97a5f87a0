/** The field's own command line, logged in as the administrator: `ziti edge …` as an operator types it. */
import { ADMIN } from './controller.js';
import type { TestController } from './controller.js';
import type { ZitiShop } from './ziti.js';

/** Of one request. Its own limit, 5 s, is too short for a machine that runs all suites. */
const TIMEOUT = ['--timeout', '60'];

interface Listed {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string })[];
}

export class CommandLine {
  readonly #ziti: ZitiShop;

  private constructor(ziti: ZitiShop) {
    this.#ziti = ziti;
  }

  static async login(ziti: ZitiShop, { url }: TestController): Promise<CommandLine> {
    const { username, password } = ADMIN;
    await ziti.run('edge', 'login', new URL(url).host, '-u', username, '-p', password, '-y', ...TIMEOUT);
    return new CommandLine(ziti);
  }

  /** @returns what it prints. @throws Error when it fails */
  edge(...args: string[]): Promise<string> {
    return this.#ziti.run('edge', ...args, ...TIMEOUT);
  }

  /** Of an entity that is made: the id that is printed. */
  async create(...args: string[]): Promise<string> {
    const [, id] = /([0-9A-Za-z]{22})\s*$/.exec(await this.edge('create', ...args)) ?? [];
    if (id === undefined) throw new Error(`ziti edge create ${args.join(' ')} prints no id`);
    return id;
  }

  /** What a command that has to fail writes. */
  async refusalOf(...args: string[]): Promise<string> {
    const started = this.#ziti.start('edge', ...args, ...TIMEOUT);
    started.finish();
    if ((await started.ended) === 0) throw new Error(`ziti edge ${args.join(' ')} does not fail`);
    return started.output();
  }

  /** What `list -j` gets. */
  async list(...args: string[]): Promise<Listed['data']> {
    return (JSON.parse(await this.edge('list', ...args, '-j')) as Listed).data;
  }

  /** Rows of `list --csv`, without the head: other output of it is made to be looked at. */
  async rows(...args: string[]): Promise<string[]> {
    const [, ...rows] = (await this.edge('list', ...args, '--csv')).trim().split('\n');
    return rows.map((row) => row.trim());
  }
}
