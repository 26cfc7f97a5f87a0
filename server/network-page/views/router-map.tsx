/**
 * Routers and links as a map. Places are found by forces that pull linked routers together, from the same start each
 * time, so that a map does not change by itself.
 */
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import type { SimulationLinkDatum, SimulationNodeDatum } from 'd3-force';
import { useMemo } from 'preact/hooks';
import { linkTo } from '../api/route.js';

export interface MapRouter {
  readonly id: string;
  readonly name: string;
  readonly isOnline: boolean;
  readonly isDisabled: boolean;
  /** Circuits that lead over it. */
  readonly circuits: number;
}

export interface MapLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** The larger of both ends. */
  readonly latencyMs: number;
  readonly isUp: boolean;
  readonly circuits: number;
}

interface Node extends SimulationNodeDatum {
  readonly id: string;
}

const WIDTH = 960;
const HEIGHT = 420;
const MARGIN = 70;
const TICKS = 260;
/** Number of routers above which names would cover each other: the list below has them. */
const NAMED = 60;

type Places = ReadonlyMap<string, readonly [number, number]>;

function placesOf(ids: readonly string[], pairs: readonly (readonly [string, string])[]): Places {
  const nodes: Node[] = ids.map((id) => ({ id }));
  const known = new Set(ids);
  const links: SimulationLinkDatum<Node>[] = pairs
    .filter(([from, to]) => known.has(from) && known.has(to))
    .map(([source, target]) => ({ source, target }));
  forceSimulation(nodes)
    .force(
      'link',
      forceLink<Node, SimulationLinkDatum<Node>>(links)
        .id(({ id }) => id)
        .distance(150),
    )
    .force('charge', forceManyBody().strength(-500))
    .force('apart', forceCollide(34))
    .force('center', forceCenter(0, 0))
    .force('x', forceX(0).strength(0.03))
    .force('y', forceY(0).strength(0.12))
    .stop()
    .tick(TICKS);
  const spread = (values: readonly number[]) => Math.max(1, ...values.map(Math.abs));
  const [wide, high] = [spread(nodes.map(({ x = 0 }) => x)), spread(nodes.map(({ y = 0 }) => y))];
  const scale = Math.min((WIDTH / 2 - MARGIN) / wide, (HEIGHT / 2 - MARGIN) / high, 1.6);
  return new Map(nodes.map(({ id, x = 0, y = 0 }) => [id, [WIDTH / 2 + x * scale, HEIGHT / 2 + y * scale]]));
}

const short = (name: string): string => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

type Ends = readonly [from: readonly [number, number], to: readonly [number, number]];

function LinkLine({ link, ends: [from, to] }: { link: MapLink; ends: Ends }) {
  const width = Math.min(8, 1.5 + Math.log2(1 + link.circuits));
  return (
    <line
      class={link.isUp ? 'link' : 'link down'}
      x1={from[0]}
      y1={from[1]}
      x2={to[0]}
      y2={to[1]}
      stroke-width={width}
    />
  );
}

function LinkLabel({ link, ends: [from, to] }: { link: MapLink; ends: Ends }) {
  return (
    <text class="latency" x={(from[0] + to[0]) / 2} y={(from[1] + to[1]) / 2 + 4}>
      {link.isUp ? `${link.latencyMs.toFixed(link.latencyMs < 10 ? 1 : 0)} ms` : 'down'}
    </text>
  );
}

function RouterShape({
  router,
  place,
  isNamed,
}: {
  router: MapRouter;
  place: readonly [number, number];
  isNamed: boolean;
}) {
  const state = router.isDisabled ? 'disabled' : router.isOnline ? 'online' : 'offline';
  return (
    <a href={linkTo(['router', router.id])} class={`router ${state}`} aria-label={`${router.name}, ${state}`}>
      <g transform={`translate(${place[0]} ${place[1]})`}>
        <circle r="15" />
        {state === 'online' ? <path d="M-6 0-2 5 7-5" /> : <path d="M-5-5 5 5M5-5-5 5" />}
        {isNamed && <text y="32">{short(router.name)}</text>}
      </g>
    </a>
  );
}

export function RouterMap({ routers, links }: { routers: readonly MapRouter[]; links: readonly MapLink[] }) {
  const shape = JSON.stringify([routers.map(({ id }) => id), links.map(({ from, to }) => [from, to])]);
  const places = useMemo(
    () =>
      placesOf(
        routers.map(({ id }) => id),
        links.map(({ from, to }) => [from, to] as const),
      ),
    [shape],
  );
  const drawn = links.flatMap((link) => {
    const [from, to] = [places.get(link.from), places.get(link.to)];
    return from === undefined || to === undefined ? [] : [{ link, ends: [from, to] as const }];
  });
  return (
    <svg
      class="map"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="group"
      aria-label="Map of routers and links; the lists below say the same"
    >
      {drawn.map(({ link, ends }) => (
        <LinkLine key={link.id} link={link} ends={ends} />
      ))}
      {drawn.map(({ link, ends }) => (
        <LinkLabel key={link.id} link={link} ends={ends} />
      ))}
      {routers.map((router) => (
        <RouterShape
          key={router.id}
          router={router}
          place={places.get(router.id) ?? [WIDTH / 2, HEIGHT / 2]}
          isNamed={routers.length <= NAMED}
        />
      ))}
    </svg>
  );
}
