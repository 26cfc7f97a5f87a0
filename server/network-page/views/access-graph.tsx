/**
 * Draws who reaches what: columns of nodes with edges between them. Order and places of nodes are those of a Sankey
 * layout, which keeps edges from crossing. Patterns and words of edges say the same as their colours.
 */
import { sankey } from 'd3-sankey';
import { useMemo } from 'preact/hooks';
import { STATES } from './states.js';
import type { AccessStateName } from './states.js';

export interface GraphNode {
  readonly key: string;
  readonly column: 0 | 1 | 2;
  readonly title: string;
  readonly note: string;
  readonly href: string;
  readonly state: AccessStateName | undefined;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly state: AccessStateName;
  /** Said of it when it is pointed at. */
  readonly note: string;
}

const ROW = 40;
const GAP = 12;
const WIDTH = 1000;
/** Left and right side of each column, of a width of 1000. */
const COLUMNS: readonly (readonly [number, number])[] = [
  [0, 270],
  [365, 635],
  [730, 1000],
];

interface Extent {
  readonly top: number;
}
type Layout = ReadonlyMap<string, Extent>;

function layoutOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[], height: number): Layout {
  const known = new Set(nodes.map(({ key }) => key));
  const { nodes: placed } = sankey<{ key: string; column: number; fixedValue: number }, object>()
    .nodeId(({ key }) => key)
    .nodeAlign(({ column }) => column)
    .nodeWidth(1)
    .nodePadding(GAP)
    .iterations(32)
    .extent([
      [0, 0],
      [WIDTH, height],
    ])({
    nodes: nodes.map(({ key, column }) => ({ key, column, fixedValue: 1 })),
    links: edges
      .filter(({ from, to }) => known.has(from) && known.has(to))
      .map(({ from, to }) => ({ source: from, target: to, value: 0.001 })),
  });
  const middle = (top = 0, bottom = 0) => (top + bottom) / 2 - ROW / 2;
  return new Map(placed.map(({ key, y0, y1 }) => [key, { top: middle(y0, y1) }]));
}

function Edge({ edge, from, to, isLit, isDim }: EdgeProps) {
  const [y1, y2] = [from.top + ROW / 2, to.top + ROW / 2];
  const middle = (from.x + to.x) / 2;
  return (
    <path
      class={`edge ${edge.state}${isLit ? ' lit' : ''}${isDim ? ' dim' : ''}`}
      d={`M${from.x} ${y1}C${middle} ${y1} ${middle} ${y2} ${to.x} ${y2}`}
    >
      <title>{edge.note}</title>
    </path>
  );
}

interface EdgeProps {
  readonly edge: GraphEdge;
  readonly from: { readonly x: number; readonly top: number };
  readonly to: { readonly x: number; readonly top: number };
  readonly isLit: boolean;
  readonly isDim: boolean;
}

interface GraphProps {
  readonly heads: readonly [string, string, string];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Key of the node that was chosen. */
  readonly chosen: string;
}

/** Keys of all nodes that are connected with one, to its left and to its right. */
function connected(key: string, edges: readonly GraphEdge[]): ReadonlySet<string> {
  const found = new Set([key]);
  const walk = (from: string, ahead: boolean) => {
    for (const edge of edges) {
      const [here, there] = ahead ? [edge.from, edge.to] : [edge.to, edge.from];
      if (here !== from) continue;
      found.add(there);
      walk(there, ahead);
    }
  };
  walk(key, true);
  walk(key, false);
  return found;
}

const percent = (value: number): string => `${(value / WIDTH) * 100}%`;

export function AccessGraph({ heads, nodes, edges, chosen }: GraphProps) {
  const most = Math.max(1, ...[0, 1, 2].map((column) => nodes.filter((node) => node.column === column).length));
  const height = most * (ROW + GAP);
  const layout = useMemo(() => layoutOf(nodes, edges, height), [nodes, edges, height]);
  const columnOf = useMemo(() => new Map(nodes.map(({ key, column }) => [key, column])), [nodes]);
  const lit = chosen === '' ? undefined : connected(chosen, edges);
  const endOf = (key: string, side: 0 | 1) => {
    const [column, extent] = [columnOf.get(key), layout.get(key)];
    return column === undefined || extent === undefined
      ? undefined
      : { x: COLUMNS[column]?.[side] ?? 0, top: extent.top };
  };
  return (
    <div class="scroll" role="group" aria-label="Picture of who reaches what" tabIndex={0}>
      <div class="graph">
        <div class="heads">
          {heads.map((head, index) =>
            head === '' ? null : (
              <h2 key={head} class={`column-${index}`}>
                {head}
              </h2>
            ),
          )}
        </div>
        <div class="stage" style={{ height: `${height}px` }}>
          <svg viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" aria-hidden="true">
            {edges.map((edge) => {
              const [from, to] = [endOf(edge.from, 1), endOf(edge.to, 0)];
              if (from === undefined || to === undefined) return null;
              const isLit = lit !== undefined && lit.has(edge.from) && lit.has(edge.to);
              const key = `${edge.from} ${edge.to}`;
              return (
                <Edge key={key} edge={edge} from={from} to={to} isLit={isLit} isDim={lit !== undefined && !isLit} />
              );
            })}
          </svg>
          {nodes.map((node) => (
            <NodeLink
              key={node.key}
              node={node}
              top={layout.get(node.key)?.top ?? 0}
              isChosen={node.key === chosen}
              isDim={lit !== undefined && !lit.has(node.key)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface NodeProps {
  readonly node: GraphNode;
  readonly top: number;
  readonly isChosen: boolean;
  readonly isDim: boolean;
}

function NodeLink({ node: { column, title, note, href, state }, top, isChosen, isDim }: NodeProps) {
  const [left = 0, right = 0] = COLUMNS[column] ?? [];
  const words = state === undefined ? '' : `, ${STATES[state].word}`;
  return (
    <a
      class={`node ${state ?? ''}${isDim ? ' dim' : ''}`}
      href={href}
      aria-current={isChosen ? 'true' : undefined}
      title={`${title}, ${note}${words}`}
      style={{ top: `${top}px`, left: percent(left), width: percent(right - left) }}
    >
      <span class="title">{title}</span>
      <span class="note">
        {note}
        <span class="unseen">{words}</span>
      </span>
    </a>
  );
}

/** Tells what the lines mean, each drawn as in the picture. */
export function Legend({ states }: { states: readonly AccessStateName[] }) {
  return (
    <ul class="legend">
      {states.map((state) => (
        <li key={state}>
          <svg viewBox="0 0 34 8" aria-hidden="true">
            <path class={`edge ${state}`} d="M1 4h32" />
          </svg>
          <span>{STATES[state].word}</span>
        </li>
      ))}
    </ul>
  );
}
