/** A home for pages whose commands use a controller: its data directory, the tools that they name, and a shell. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openShell, placeShim } from './page.js';
import type { Shell } from './page.js';
import { addressAt, freePort } from './ports.js';
import type { ProcessShop } from './process.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export const pageAt = (name: string): string => join(root, name);

export interface PageHome {
  /** Where the commands run: with `data`, `examples` and `node_modules`, as in the folder of the controller. */
  readonly place: string;
  readonly shell: Shell;
}

export interface PageNeeds {
  readonly shop: ProcessShop;
  /** The field's own program, as `ziti`. */
  readonly cli: string | undefined;
  /** Settings of the controller. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Variables of the shell alone. */
  readonly variables?: Readonly<Record<string, string>>;
}

export async function openPageHome({ shop, cli, settings = {}, variables = {} }: PageNeeds): Promise<PageHome> {
  const place = shop.place();
  const port = await freePort();
  const all = { ...addressAt(port), ...settings };
  const tools = placeShim(join(place, 'tools'));
  mkdirSync(tools, { recursive: true });
  for (const name of ['examples', 'node_modules']) symlinkSync(join(root, name), join(place, name));
  if (cli !== undefined) symlinkSync(cli, join(tools, 'ziti'));
  await shop.start(join(place, 'data'), { env: all }).ready();
  const env = {
    ...all,
    ...variables,
    PATH: [tools, dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
    HOME: place,
    EDGE_URL: `https://localhost:${port}`,
  };
  return { place, shell: openShell({ cwd: place, place: tools, env }) };
}
