/**
 * Requests that this controller makes because an administrator named a URL: all of them go through here. An address is
 * judged after its name is resolved, and the connection goes to what was judged, so no second answer of a name server
 * leads elsewhere. What is not public is out of reach unless the configuration names it; metadata services of clouds
 * always are.
 */
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { request as requestPlain } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isLoopback as isLoopbackName } from '../../domain/pki/server-name.js';
import type { OutgoingTrace } from '../../handlers/context.js';
import { plainAddress } from '../base/client-address.js';
import { listedIn } from './proxy-protocol.js';

/** A request that was refused here or failed there; the message is for the log. */
export class OutgoingFault extends Error {}

export interface OutgoingMessage {
  readonly headers: Headers;
  readonly body: string;
  readonly timeoutMs: number;
}

export interface OutgoingOptions {
  /** Addresses and networks that may be reached though they are not public. */
  readonly allow: readonly string[];
  /** Roots to trust in place of the usual ones, PEM. */
  readonly ca?: string;
}

type Headers = Readonly<Record<string, string>>;

const TIMEOUT_MS = 2_000;
const MAX_BYTES = 262_144;
const MAX_REDIRECTS = 3;

const isLoopback = listedIn(['127.0.0.0/8', '::1']);
const isMetadata = listedIn([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]);
/** Addresses that are not public (RFC 6890): all of them for IPv4, those within global unicast for IPv6. */
const isSpecial = listedIn([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);
const isGlobalUnicast = listedIn(['0.0.0.0/0', '2000::/3']);

export class Outgoing {
  readonly #isNamed: (address: string) => boolean;
  readonly #ca: Pick<OutgoingOptions, 'ca'>;

  constructor({ allow, ca }: OutgoingOptions) {
    this.#isNamed = listedIn(allow);
    this.#ca = ca === undefined ? {} : { ca };
  }

  /**
   * Returns the body of the answer, whose status is 200.
   * @param trace  of the request that makes it necessary
   * @throws OutgoingFault
   */
  async get(text: string, trace?: OutgoingTrace): Promise<Buffer> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const span = url && trace?.begin(url);
    let fault: unknown;
    try {
      return await this.#follow(url ?? new URL(text), signal, span?.headers ?? {});
    } catch (error) {
      fault = error;
      throw asFault(error, signal);
    } finally {
      span?.end(fault);
    }
  }

  /** Follows nothing; what the answer says beyond its status is not read. @throws OutgoingFault when there is none */
  async post(text: string, message: OutgoingMessage, stop: AbortSignal): Promise<number> {
    const url = new URL(text);
    const signal = AbortSignal.any([stop, AbortSignal.timeout(message.timeoutMs)]);
    try {
      requireScheme(url, url);
      const response = await this.#send(url, signal, message.headers, message.body);
      response.on('error', () => undefined).destroy();
      return response.statusCode ?? 0;
    } catch (error) {
      throw asFault(error, signal);
    }
  }

  /**
   * Returns why a URL may not be requested, as far as that is known before its name is resolved; undefined when it may.
   */
  faultOf(text: string): string | undefined {
    if (!URL.canParse(text)) return 'it is no URL';
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') return 'it must not have a user or a password';
    if (url.protocol === 'http:') {
      // The address behind the name is checked once it is resolved.
      if (!isLoopbackName(hostOf(url))) return 'it must begin with https://, unless it names this machine';
    } else if (url.protocol !== 'https:') return 'it must begin with https://';
    return this.#isForbidden(url) ? 'the address may not be reached: outgoing.allow does not name it' : undefined;
  }

  async #follow(first: URL, signal: AbortSignal, more: Headers): Promise<Buffer> {
    let url = first;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      requireScheme(url, first);
      const response = await this.#send(url, signal, more);
      const { statusCode = 0, headers } = response;
      if (statusCode === 200) return bodyOf(response);
      response.destroy();
      if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
        throw new OutgoingFault(`the answer has status ${statusCode}`);
      if (!URL.canParse(headers.location, url.href)) throw new OutgoingFault('the answer leads to no URL');
      url = new URL(headers.location, url.href);
    }
    throw new OutgoingFault('too many redirects');
  }

  #send(url: URL, signal: AbortSignal, more: Headers, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const isPlain = url.protocol === 'http:';
      if (this.#isForbidden(url)) throw new OutgoingFault('the address may not be reached');
      const request = (isPlain ? requestPlain : requestTls)(url, {
        agent: false,
        signal,
        method: body === undefined ? 'GET' : 'POST',
        lookup: onlyWhere((address) => this.#mayReach(address, isPlain)),
        headers: { ...more, 'accept': 'application/json', 'accept-encoding': 'identity' },
        ...this.#ca,
      });
      request.on('response', resolve);
      request.on('error', reject);
      request.end(body);
    });
  }

  #isForbidden(url: URL): boolean {
    const host = hostOf(url);
    return isIP(host) !== 0 && !this.#mayReach(host, url.protocol === 'http:');
  }

  #mayReach(text: string, isPlain: boolean): boolean {
    const address = plainAddress(text);
    if (isMetadata(address)) return false;
    if (isPlain) return isLoopback(address) && this.#isNamed(address);
    return this.#isNamed(address) || (isGlobalUnicast(address) && !isSpecial(address));
  }
}

const asFault = (error: unknown, { aborted }: AbortSignal): OutgoingFault =>
  error instanceof OutgoingFault
    ? error
    : new OutgoingFault(aborted ? 'it took too long' : 'the request failed', { cause: error });

/** Returns the host, without the brackets of IPv6. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** TLS never becomes plain on the way. */
function requireScheme({ protocol, username, password }: URL, first: URL): void {
  const isGood = protocol === 'https:' || (protocol === 'http:' && first.protocol === 'http:');
  if (!isGood || username !== '' || password !== '') throw new OutgoingFault('the URL may not be followed');
}

/** Resolves a name to those of its addresses that may be reached; the connection is made to these. */
function onlyWhere(mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const reachable = found.filter(({ address }) => mayReach(address));
      const [first] = reachable;
      if (first === undefined) done(new OutgoingFault('the address may not be reached'), '');
      else if (options.all === true) done(null, reachable);
      else done(null, first.address, first.family);
    });
  };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new OutgoingFault('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
