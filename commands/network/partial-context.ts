/** Contexts of handlers of which only some members are there: to read another one is an error of ours. */
import type { Context } from '../../handlers/context.js';

/** All members: the compiler wants each one named. */
const MEMBERS: Readonly<Record<keyof Context, true>> = {
  targetFault: true,
  eventStreams: true,
  maintenance: true,
  stores: true,
  edgeConnections: true,
  trafficFeed: true,
  passwords: true,
  yieldQueue: true,
  apiSessions: true,
  loginProvider: true,
  signerKeys: true,
  secondTokens: true,
  tokenLeewaySeconds: true,
  enrollments: true,
  sessionTokens: true,
  network: true,
  warn: true,
  secrets: true,
  qrCodes: true,
  totpIssuer: true,
  pki: true,
  version: true,
  documents: true,
  epochs: true,
  responseCache: true,
  elementCache: true,
  worlds: true,
  ownState: true,
  newId: true,
  checkConfigData: true,
  checkConfigSchema: true,
};

/** @param purpose  for the message of the error */
export function partialContext(purpose: string, part: Partial<Context>): Context {
  const missing = Object.keys(MEMBERS).filter((name) => !Object.hasOwn(part, name));
  const context: object = { ...part };
  for (const name of missing) {
    Object.defineProperty(context, name, {
      get() {
        throw new Error(`${purpose} has no use for ${name}`);
      },
    });
  }
  return context as Context;
}
