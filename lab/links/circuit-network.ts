/** Many routers with links between them, that make circuits as they are told and remember where each leads. */
import { randomBytes } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { ContentType } from '../../fabric/channel/content-types.js';
import { message, readBody } from '../../fabric/channel/frame.js';
import type { Frame } from '../../fabric/channel/frame.js';
import {
  CircuitRequestHeader,
  Header,
  RouteResultHeader,
  encodeBoolean,
  encodeInt32,
  encodeText,
  encodeUint32,
  readInt32,
} from '../../fabric/channel/headers.js';
import { REROUTE_ATTEMPT } from '../../fabric/traffic/route-results.js';
import {
  DestType,
  FaultSchema,
  FaultSubject,
  RouteSchema,
  RouterLinksSchema,
  UnrouteSchema,
} from '../../generated/fabric/control_pb.js';
import { MetricsMessageSchema } from '../../generated/fabric/metrics_pb.js';
import type { Fleet, Member } from '../bench/routers/fleet.js';

export interface NetworkLink {
  readonly id: string;
  /** Numbers of the routers. */
  readonly from: number;
  readonly to: number;
  readonly latencyMs: number;
}

/** A session of a client as its router shows it. */
export interface ShownSession {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
}

/** Routers that many paths lead over, and links of each. */
const HUBS = 8;
const LINKS_OF_HUB = 150;
const HUB_LATENCY_MS = 8;

export const isHub = (index: number): boolean => index < HUBS;

/** A ring, so that each router reaches all others; cheap links to hubs; and links between any two. */
export function networkLinks(routers: number, links: number, random: (below: number) => number): NetworkLink[] {
  const hubLinks = Math.min(HUBS * LINKS_OF_HUB, Math.floor(links / 4));
  return Array.from({ length: links }, (_, index) => {
    const id = `link-${String(index).padStart(5, '0')}`;
    if (index < routers) return { id, from: index, to: (index + 1) % routers, latencyMs: 20 + random(60) };
    const isOfHub = index < routers + hubLinks;
    const from = isOfHub ? index % HUBS : random(routers);
    const to = (from + 1 + random(routers - 1)) % routers;
    return { id, from, to, latencyMs: isOfHub ? HUB_LATENCY_MS : 20 + random(60) };
  });
}

export class CircuitNetwork {
  readonly #members: readonly Member[];
  readonly #links: readonly NetworkLink[];
  readonly #answers = new Map<string, (isMade: boolean) => void>();
  /** Circuits by the number of a router that they only pass. */
  readonly #passing = new Map<number, Set<string>>();
  /** Circuits that were led over another path, and that ended, as their first routers were told. */
  readonly moved = new Set<string>();
  readonly ended = new Set<string>();

  constructor(fleet: Fleet, links: readonly NetworkLink[]) {
    this.#members = [...fleet.members].sort((a, b) => a.router.number - b.router.number);
    this.#links = links;
    for (const member of this.#members)
      member.onFrame = (frame) => {
        this.#received(member, frame);
      };
  }

  /** All say which links they dialed, and what both ends measured. */
  report(): void {
    for (const { link, router } of this.#members) {
      const dialed = this.#links.filter(({ from }) => from === router.number);
      link?.sendTyped(ContentType.RouterLinks, RouterLinksSchema, {
        links: dialed.map(({ id, to }) => ({
          id,
          destRouterId: this.#members[to]?.router.id ?? '',
          linkProtocol: 'tls',
          dialAddress: 'tls:router.example:6000',
          iteration: 1,
        })),
        fullRefresh: true,
      });
      const own = this.#links.filter(({ from, to }) => from === router.number || to === router.number);
      link?.sendTyped(ContentType.Metrics, MetricsMessageSchema, {
        histograms: Object.fromEntries(
          own.map(({ id, latencyMs }) => [`link.${id}.latency`, { mean: latencyMs * 1e6, count: 1n }]),
        ),
      });
    }
  }

  /** @returns whether the circuit was made */
  dial(number: number, { sessionToken, apiSessionToken }: ShownSession): Promise<boolean> {
    const link = this.#members[number]?.link;
    return new Promise((resolve) => {
      if (link === undefined) {
        resolve(false);
        return;
      }
      const sequence = link.send(
        message(ContentType.CreateCircuitV2, '', [
          [CircuitRequestHeader.SessionToken, encodeText(sessionToken)],
          [CircuitRequestHeader.ApiSessionToken, encodeText(apiSessionToken)],
        ]),
      );
      this.#answers.set(`${number} ${sequence}`, resolve);
    });
  }

  /** The router that about so many circuits only pass. */
  busiest(wanted: number): { readonly number: number; readonly circuits: ReadonlySet<string> } {
    const [first] = [...this.#passing].sort(([, a], [, b]) => Math.abs(a.size - wanted) - Math.abs(b.size - wanted));
    return { number: first?.[0] ?? 0, circuits: first?.[1] ?? new Set() };
  }

  /** A router is gone, and its peers say that they lost their links to it. */
  lose(number: number): void {
    this.#members[number]?.link?.close();
    for (const { id, from, to } of this.#links) {
      const peer = from === number ? to : to === number ? from : undefined;
      if (peer === undefined) continue;
      const body = create(FaultSchema, { subject: FaultSubject.LINK, id, iteration: 1 });
      this.#members[peer]?.link?.sendTyped(ContentType.Fault, FaultSchema, body);
    }
  }

  #received({ router: { number }, link }: Member, frame: Frame): void {
    switch (frame.contentType) {
      case ContentType.Route:
        this.#route(number, link, frame);
        return;
      case ContentType.Unroute: {
        const { circuitId } = readBody(UnrouteSchema, frame);
        if (!this.moved.has(circuitId)) this.ended.add(circuitId);
        return;
      }
      case ContentType.CreateCircuitV2Response:
      case ContentType.Error: {
        const key = `${number} ${readInt32(frame.headers, Header.ReplyFor)}`;
        this.#answers.get(key)?.(frame.contentType === ContentType.CreateCircuitV2Response);
        this.#answers.delete(key);
      }
    }
  }

  #route(number: number, link: Member['link'], frame: Frame): void {
    const { circuitId, attempt, forwards } = readBody(RouteSchema, frame);
    if (attempt === REROUTE_ATTEMPT) {
      if (forwards.some(({ dstType }) => dstType === DestType.START)) this.moved.add(circuitId);
    } else if (forwards.every(({ dstType }) => dstType === DestType.LINK)) {
      const known = this.#passing.get(number) ?? new Set();
      this.#passing.set(number, known.add(circuitId));
    }
    link?.send(
      message(ContentType.RouteResult, circuitId, [
        [Header.ReplyFor, encodeInt32(frame.sequence)],
        [RouteResultHeader.Attempt, encodeUint32(attempt)],
        [RouteResultHeader.Success, encodeBoolean(true)],
      ]),
    );
  }
}

export const newAddress = (): string => `bench-${randomBytes(8).toString('hex')}`;
