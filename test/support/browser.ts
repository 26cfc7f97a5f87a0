/**
 * A real browser for tests: Chromium, driven over its debugging protocol. It keeps a record of everything that a page
 * must not do: errors in its console, breaches of its content security policy, requests that fail or leave the
 * controller.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';

export const BROWSER_VARIABLE = 'EDGE_TEST_CHROMIUM';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Quiet: nothing that a test does not ask for goes over the network. */
const ARGUMENTS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const ARTIFACTS = fileURLToPath(new URL('../../../test/artifacts/', import.meta.url));

/** @throws Error that says how to get a browser: a suite that cannot run fails */
export function findBrowser(
  env: Readonly<Record<string, string | undefined>> = process.env,
  exists: (path: string) => boolean = existsSync,
): string {
  const given = env[BROWSER_VARIABLE];
  if (given !== undefined && given !== '') {
    if (exists(given)) return given;
    throw new Error(`${BROWSER_VARIABLE} names ${given}, which does not exist`);
  }
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [...PLACES, ...onPath].find(exists);
  if (found === undefined) {
    throw new Error(
      'The browser tests need Chromium and found none. On Debian or Ubuntu: apt-get install -y chromium. ' +
        `Elsewhere install Chromium or Chrome and set ${BROWSER_VARIABLE} to its path.`,
    );
  }
  return found;
}

/** A page is drawn in its own time on a busy machine. */
const DEADLINE_MS = 60_000;

/** One window, in which each test has a page: a window of its own for each takes as much again as the page. */
export async function startBrowser(): Promise<BrowserContext> {
  const isRoot = process.getuid?.() === 0;
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    headless: true,
    args: isRoot ? ['--no-sandbox', ...ARGUMENTS] : ARGUMENTS,
  });
  const window = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 900 } });
  window.setDefaultTimeout(DEADLINE_MS);
  await window.newPage(); // it would close with the last page
  return window;
}

export const endBrowser = async (window: BrowserContext | undefined): Promise<void> => window?.browser()?.close();

export interface WatchedPage {
  readonly page: Page;
  /** What went wrong so far, a line each; empty on a good page. */
  readonly troubles: string[];
  /** Everything the page asked for, as `METHOD path` or, outside the controller, `METHOD URL`. */
  readonly requests: string[];
  /** Writes `test/artifacts/<name>.png`: what the window shows. */
  screenshot(name: string): Promise<void>;
  close(): Promise<void>;
}

interface Violation {
  readonly directive: string;
  readonly blocked: string;
  readonly sample: string;
}

/** @param url  the controller's own, such as `https://127.0.0.1:1280`; any other origin is a trouble */
export async function openPage(window: BrowserContext, url: string): Promise<WatchedPage> {
  await window.clearCookies();
  const page = await window.newPage();
  const troubles: string[] = [];
  const requests: string[] = [];
  await page.exposeFunction('reportViolation', ({ directive, blocked, sample }: Violation) => {
    troubles.push(`policy: ${directive} refused ${blocked} ${sample}`.trim());
  });
  await page.addInitScript(
    "document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, " +
      `sample }) => {
    void window.reportViolation({ directive: effectiveDirective, blocked: blockedURI, sample });
  });`,
  );
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => {
    troubles.push(`script: ${error.message}`);
  });
  page.on('requestfailed', (request) => {
    troubles.push(`request: ${request.url()} ${request.failure()?.errorText ?? ''}`);
  });
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol === 'data:' || target.protocol === 'blob:') return;
    const isOurs = target.origin === new URL(url).origin;
    requests.push(`${request.method()} ${isOurs ? target.pathname + target.search : target.href}`);
    if (!isOurs) troubles.push(`request: ${target.href} leaves the controller`);
  });
  return {
    page,
    troubles,
    requests,
    async screenshot(name) {
      mkdirSync(ARTIFACTS, { recursive: true });
      await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
    },
    close: () => page.close(),
  };
}
